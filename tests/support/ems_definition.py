"""The oracle of Earth Mover Similarity: its definition written plainly.

Every pair of patches is compared, every transport problem is solved in full and in float64, and the
denominator is computed like the numerator: in profile ``paper`` the larger of the distances from an
all-black and an all-white image, as equation 4 has it, with the Euclidean distance of equation 3
between patches. It shares no code with the package.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import ot
from PIL import Image

LUMA = np.array([0.299, 0.587, 0.114])

#: The colours with a grey of exactly 127 that np.matmul of numpy 2.4 finds darker with AVX-512 kernels.
ROUNDED_BELOW_127 = (
    (4, 178, 187), (7, 199, 71), (22, 190, 78), (29, 201, 3), (30, 170, 160), (37, 181, 85), (44, 192, 10),
    (45, 161, 167), (53, 141, 249), (60, 152, 174), (63, 173, 58), (71, 153, 140), (78, 164, 65),
    (86, 144, 147), (93, 155, 72), (94, 124, 229), (101, 135, 154), (104, 156, 38), (116, 126, 161),
    (119, 147, 45), (127, 127, 127), (134, 138, 52), (142, 118, 134), (149, 129, 59), (157, 109, 141),
    (160, 130, 25), (175, 121, 32), (183, 101, 114), (190, 112, 39), (191, 81, 196), (198, 92, 121),
    (201, 113, 5), (205, 103, 46), (206, 72, 203), (221, 63, 210), (224, 84, 94), (236, 54, 217),
    (239, 75, 101), (247, 55, 183), (251, 45, 224),
)  # fmt: skip


@dataclass(frozen=True)
class Patch:
    greys: np.ndarray
    light: np.ndarray
    row: float
    column: float

    def pixel_weights(self) -> np.ndarray:
        weights = np.where(self.light, 0.001, 1.0)
        return weights / weights.sum()


def commonest(picture: np.ndarray) -> tuple[tuple[int, ...], float]:
    counts: dict[tuple[int, ...], int] = {}
    for pixel in picture.reshape(-1, 3).tolist():
        counts[tuple(pixel)] = counts.get(tuple(pixel), 0) + 1
    most = max(counts.values())
    return min(colour for colour, count in counts.items() if count == most), most / (picture.size // 3)


def reduced(picture: np.ndarray) -> np.ndarray:
    height, width, _ = picture.shape
    patches = math.ceil(width / 8) * math.ceil(height / 8)
    if patches <= 100:
        return picture
    columns = math.ceil(width / 8 / math.sqrt(patches / 100))
    rows = max(1, 100 // columns)
    return np.array(Image.fromarray(picture).resize((columns * 8, rows * 8), Image.Resampling.BICUBIC))


def greys_paper(pixels: np.ndarray) -> np.ndarray:
    return pixels @ LUMA / 255


def light_paper(pixels: np.ndarray, colour: tuple[int, ...]) -> np.ndarray:
    away = np.abs((pixels.astype(int) - np.array(colour)) @ np.array([299, 587, 114]))
    return away <= 500


def greys_helm(pixels: np.ndarray) -> np.ndarray:
    return np.float32(np.float32(pixels / 255) @ LUMA).astype(float)


def light_helm(pixels: np.ndarray, colour: tuple[int, ...]) -> np.ndarray:
    return greys_helm(pixels) == float(np.float32(np.array(colour) / 255 @ LUMA))


def cut(picture: np.ndarray, colour: tuple[int, ...], profile: str) -> list[Patch]:
    greys, light = (greys_helm, light_helm) if profile == "helm" else (greys_paper, light_paper)
    height, width, _ = picture.shape
    rows, columns = math.ceil(height / 8), math.ceil(width / 8)
    patches = []
    for row in range(rows):
        for column in range(columns):
            pixels = np.empty((8, 8, 3), np.uint8)
            pixels[:] = colour
            part = picture[row * 8 : row * 8 + 8, column * 8 : column * 8 + 8]
            pixels[: part.shape[0], : part.shape[1]] = part
            pixels = pixels.reshape(64, 3)
            patches.append(Patch(greys(pixels), light(pixels, colour), row / rows, column / columns))
    return patches


def patch_weights(patches: list[Patch], colour: tuple[int, ...], profile: str) -> np.ndarray:
    matches = profile == "paper" or colour in ((0, 0, 0), (255, 255, 255))
    weights = np.array([0.001 if matches and patch.light.all() else 1.0 for patch in patches])
    return weights / weights.sum()


def moving_pixels(a: Patch, b: Patch) -> float:
    row, column = np.divmod(np.arange(64), 8)
    costs = np.abs(a.greys[:, None] - b.greys[None])
    costs = costs + np.abs(row[:, None] - row[None]) / 8 + np.abs(column[:, None] - column[None]) / 8
    return float(ot.emd2(a.pixel_weights(), b.pixel_weights(), costs))


def distance(a: np.ndarray, b: np.ndarray, profile: str, *, drops: bool) -> float:
    height, width, _ = b.shape
    colour, share = commonest(b)
    pairs = list(zip(cut(a, colour, profile), cut(b, colour, profile), strict=True))
    ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    weights = np.maximum(patch_weights(ours, colour, profile), patch_weights(theirs, colour, profile))
    if drops and share > 0.5:
        kept = [not (x.light.all() and y.light.all()) for x, y in pairs]
        if any(kept):
            ours = [patch for patch, keep in zip(ours, kept, strict=True) if keep]
            theirs = [patch for patch, keep in zip(theirs, kept, strict=True) if keep]
            weights = weights[kept]
    weights = weights / weights.sum()
    costs = np.empty((len(ours), len(theirs)))
    for i, x in enumerate(ours):
        for j, y in enumerate(theirs):
            down, across = abs(x.row - y.row), abs(x.column - y.column)
            apart = math.hypot(down, across) if profile == "paper" else down + across
            costs[i, j] = moving_pixels(x, y) + apart * 8 / (width + height)
    return float(ot.emd2(weights, weights, costs))


def blank_levels(reference: np.ndarray, profile: str) -> tuple[int, ...]:
    """Levels of the one-colour pictures: equation 4 takes both, the released code chooses one."""
    if profile == "paper":
        return (0, 255)
    colour = commonest(reference)[0]
    thousandths = int(np.array(colour) @ np.array([299, 587, 114]))
    return (255 if thousandths < 127_000 or colour in ROUNDED_BELOW_127 else 0,)


def plain_parts(prediction: np.ndarray, reference: np.ndarray, profile: str) -> tuple[float, float]:
    """Numerator and denominator of the definition, for two images and "paper" or "helm"."""
    blanks = [reduced(np.full_like(reference, level)) for level in blank_levels(reference, profile)]
    return (
        distance(reduced(prediction), reduced(reference), profile, drops=True),
        max(distance(blank, reduced(reference), profile, drops=False) for blank in blanks),
    )
