"""The image of a figure by places of the figure, and which pixels can be of a colour that was drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from i2s_sdk.errors import ProtocolError
from i2s_sdk.instances.images import PILLOW_PIXELS, ImageFaultError, decode_image
from i2s_wire.render.figure import Figure, FigureBox

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

#: The least difference of two colours that can be seen, as distance in RGB of 0 to 255.
VISIBLE = 10.0
#: How far a pixel may be from a colour, or from its mixtures with a background.
_CLOSE = 24.0
#: The least part of a mixture that is the colour of an edge that was smoothed.
_LEAST_PART = 0.3
#: How far from a background pixels are of it.
_GROUND_REACH = 5.0
#: The least difference between both sides of an edge, likewise.
_EDGE_STEP = 6.0
#: Backgrounds that are told apart in one region, and the least part of it that each takes.
_MOST_GROUNDS, _LEAST_GROUND = 8, 0.01
#: Difference of neighbours in one of red, green and blue, and the part of them that has it, in noise.
_NOISE_STEP, _NOISE_SHARE = 24.0, 0.45
#: Pixels of a side of a region that are looked at; of larger ones, every second, third and so on.
_SIDE = 160


def pixels_of(png: bytes) -> NDArray[np.uint8]:
    """Return the pixels of an image as a renderer answers it, of shape (rows, columns, 3).

    Raises:
        ProtocolError: It is no image.
    """
    try:
        image = decode_image(png, PILLOW_PIXELS)
    except ImageFaultError as error:
        raise ProtocolError(f"the image of the renderer {error}") from None
    return np.asarray(image.convert("RGB"))


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of an image in pixels: the first column and row, and those after the last."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Columns."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Rows."""
        return self.bottom - self.top

    @property
    def empty(self) -> bool:
        """Whether there are no pixels."""
        return self.right <= self.left or self.bottom <= self.top


@dataclass(frozen=True)
class Canvas:
    """The image of a figure."""

    #: Rows, columns and red, green and blue from 0 to 255.
    pixels: NDArray[np.uint8]
    #: The part of the figure that it shows.
    shown: FigureBox
    #: Pixels for each point of 1/72 inch.
    per_point: float

    @classmethod
    def of(cls, figure: Figure, pixels: NDArray[np.uint8]) -> Canvas:
        """Return the canvas of a figure."""
        shown = figure.shown or FigureBox(0.0, 0.0, 1.0, 1.0)
        if shown.width <= 0 or shown.height <= 0:
            shown = FigureBox(0.0, 0.0, 1.0, 1.0)
        inches = shown.width * figure.width_inches
        per_point = pixels.shape[1] / inches / 72 if inches > 0 else 1.0
        return cls(pixels, shown, float(np.clip(per_point, 0.05, 20.0)))

    @property
    def whole(self) -> Region:
        """All of the image."""
        return Region(0, 0, self.pixels.shape[1], self.pixels.shape[0])

    def places(self, fractions: Floats) -> Floats:
        """Return places of the figure, of shape (n, 2), as columns and rows of the image, not rounded."""
        height, width = self.pixels.shape[:2]
        across = (fractions[:, 0] - self.shown.x) / self.shown.width * width
        down = (fractions[:, 1] - self.shown.y) / self.shown.height * height
        found: Floats = np.clip(np.column_stack([across, down]), -1e6, 1e6)
        return found

    def corners(self, box: FigureBox) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of a box in pixels, not rounded, also outside of the image."""
        ends = np.array([[box.x, box.y], [box.x + box.width, box.y + box.height]])
        (left, top), (right, bottom) = np.sort(self.places(ends), axis=0)  # of an inverted axis it is turned
        return float(left), float(top), float(right), float(bottom)

    def region(self, box: FigureBox, margin: float = 0.0) -> Region:
        """Return the pixels of a box that are in the image."""
        left, top, right, bottom = self.corners(box)
        height, width = self.pixels.shape[:2]
        # What is claimed of a figure may be any number, also one that is not finite after a multiplication.
        first = np.nan_to_num(np.clip(np.floor([left - margin, top - margin]), 0, (width, height)))
        end = np.nan_to_num(np.clip(np.ceil([right + margin, bottom + margin]), 0, (width, height)))
        return Region(int(first[0]), int(first[1]), int(end[0]), int(end[1]))

    def sample(self, region: Region) -> Floats:
        """Return the pixels of a region as rows and columns, thinned evenly if there are many."""
        across = 1 + (region.right - region.left) // _SIDE
        down = 1 + (region.bottom - region.top) // _SIDE
        part = self.pixels[region.top : region.bottom : down, region.left : region.right : across]
        return part.astype(np.float64)

    def ring(self, places: Floats, radius: float) -> Floats:
        """Return pixels on two rings around places and those in their middle, as ``around`` does."""
        turns = np.arange(8) * (np.pi / 4)
        circle = np.column_stack([np.cos(turns), np.sin(turns)])
        offsets = np.concatenate([[[0.0, 0.0]], circle * radius, circle * radius / 2]).round()
        return self._at(np.floor(places)[:, None, :] + offsets[None, :, :])

    def at(self, places: Floats) -> Floats:
        """Return the pixels at places, of shape (n, 3); those outside of the image are NaN."""
        return self._at(np.floor(places)[:, None, :])[:, 0]

    def around(self, places: Floats, radius: float) -> Floats:
        """Return the pixels around places, of shape (n, m, 3); those outside of the image are NaN."""
        reach = round(max(radius, 1.0))
        step = max(1, reach // 3)
        line = np.arange(-reach, reach + 1, step)
        offsets = np.array([(x, y) for x in line for y in line if x * x + y * y <= (reach + 0.5) ** 2])
        return self._at(np.floor(places)[:, None, :] + offsets[None, :, :])

    def _at(self, spots: Floats) -> Floats:
        spots = spots.astype(int)
        height, width = self.pixels.shape[:2]
        inside: Bools = (spots >= 0).all(axis=2) & (spots[..., 0] < width) & (spots[..., 1] < height)
        rows, columns = np.clip(spots[..., 1], 0, height - 1), np.clip(spots[..., 0], 0, width - 1)
        found: Floats = self.pixels[rows, columns].astype(np.float64)
        found[~inside] = np.nan
        return found


def laid_over(pixels: Floats, ink: Ink) -> Bools:
    """Return in which groups of pixels one is another one with the ink laid over it.

    Args:
        pixels: Of shape (n, m, 3): n groups.
        ink: The ink.
    """
    found = _laid_over(pixels[:, :, None, :], pixels[:, None, :, :], ink)
    groups: Bools = np.any(found, axis=(1, 2))
    return groups


def _laid_over(below: Floats, above: Floats, ink: Ink) -> Bools:
    way, moved = ink.rgb - below, above - below
    length = np.maximum((way**2).sum(axis=-1), 1.0)
    part = (way * moved).sum(axis=-1) / length
    step = np.sqrt((moved**2).sum(axis=-1))
    beside = np.sqrt(((moved - part[..., None] * way) ** 2).sum(axis=-1))
    fits = (part >= 0.6 * ink.alpha) & (part <= min(1.05, 1.5 * ink.alpha + 0.05)) & (step >= _EDGE_STEP)
    found: Bools = fits & (beside <= 6 + 0.15 * step)
    return found


@dataclass(frozen=True, slots=True)
class Ink:
    """A colour with which something was drawn: red, green and blue from 0 to 255, and opacity from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    @classmethod
    def of(cls, color: str) -> Ink | None:
        """Return the ink of a colour "#rrggbbaa"; None if it is none, or entirely transparent."""
        if len(color) != 9 or color[0] != "#":
            return None
        try:
            red, green, blue, alpha = (int(color[at : at + 2], 16) for at in (1, 3, 5, 7))
        except ValueError:
            return None
        return cls(float(red), float(green), float(blue), alpha / 255) if alpha else None

    @property
    def rgb(self) -> Floats:
        """Red, green and blue."""
        return np.array([self.red, self.green, self.blue])


def is_noise(pixels: Floats) -> bool:
    """Return whether nothing can be seen since most pixels differ from those beside and below them."""
    steps = (np.abs(np.diff(pixels, axis=axis)).max(axis=2) for axis in (0, 1))
    return all(step.size > 0 and float((step > _NOISE_STEP).mean()) > _NOISE_SHARE for step in steps)


def color_counts(pixels: Floats) -> tuple[Floats, Ints]:
    """Return the different colours of pixels of shape (…, 3), of shape (n, 3), and how many have each."""
    flat = pixels.reshape(-1, 3).astype(np.int64)
    packed, counts = np.unique((flat[:, 0] << 16) | (flat[:, 1] << 8) | flat[:, 2], return_counts=True)
    return np.column_stack([packed >> 16, (packed >> 8) & 255, packed & 255]).astype(np.float64), counts


def grounds(pixels: Floats, least: float = _LEAST_GROUND) -> Floats:
    """Return the most frequent colours of some pixels, which can be a background, most frequent first.

    Args:
        pixels: Of shape (…, 3).
        least: The part of the pixels that a colour has at least.
    """
    colors, counts = color_counts(pixels)
    if not len(colors):
        return np.empty((0, 3))
    order = np.argsort(-counts, kind="stable")[: 8 * _MOST_GROUNDS]
    kept: list[Floats] = []
    for rgb, count in zip(colors[order], counts[order], strict=True):
        if count < least * counts.sum() and kept:
            break
        if all(np.linalg.norm(rgb - other) >= VISIBLE for other in kept):
            kept.append(rgb)
        if len(kept) == _MOST_GROUNDS:
            break
    return np.array(kept)


def matching(pixels: Floats, ink: Ink, backgrounds: Floats, share: float = 1.0) -> Bools:
    """Return which pixels can be of an ink: of its colour, or a mixture of it with a background.

    A background from which the ink cannot be told is left out; if all are, no pixel is of it. Pixels of a
    background are not of it, unless that is the ink itself, laid over another background.

    Args:
        pixels: Of shape (…, 3); NaN matches nothing.
        ink: The ink.
        backgrounds: Colours of shape (m, 3).
        share: The part of a pixel that the ink covers if it is thinner than that.
    """
    found: Bools = np.zeros(pixels.shape[:-1], dtype=bool)
    least = _LEAST_PART * ink.alpha * min(1.0, max(share, 0.2))
    distinct = False
    for ground in backgrounds:
        way = ink.rgb - ground
        length = float(np.linalg.norm(way))
        if length * ink.alpha < VISIBLE:
            continue
        distinct = True
        off = pixels - ground
        part = off @ way / length**2
        beside = np.linalg.norm(off - part[..., None] * way, axis=-1)
        found |= (part >= least) & (part * length >= VISIBLE) & (part <= 1.1) & (beside <= _CLOSE)
    if distinct and ink.alpha > 0.9:
        found |= np.linalg.norm(pixels - ink.rgb, axis=-1) <= _CLOSE
    own: Bools = np.linalg.norm(backgrounds - ink.rgb, axis=1) < VISIBLE
    if ink.alpha <= 0.9:
        own = own | np.any(_laid_over(backgrounds[:, None], backgrounds[None], ink), axis=0)
    for ground in backgrounds[~own]:
        found &= np.linalg.norm(pixels - ground, axis=-1) > _GROUND_REACH
    return found
