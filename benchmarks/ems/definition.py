"""Earth Mover Similarity as its definition reads: two loops over cv2.EMD.

Each image is cut once and each patch made a signature once. It shares no code with the service. Profile
``helm`` has the greys, the background, the distance of positions and the one denominator of the released
code.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from i2s_wire.metrics.profile import Profile

_LUMA = np.array([299, 587, 114])
_LIGHT = 0.001
#: The one-colour image of profile ``helm`` is white if the reference is darker than this level.
_DARK = 127

Signature = NDArray[np.float32]
Rgb = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Distance:
    """A distance, and what it cost."""

    value: float  #: The optimal transport cost.
    seconds: float  #: CPU seconds.


def block_emd(prediction: Rgb, reference: Rgb, profile: Profile = Profile.PAPER) -> Distance:
    """Compute the distance of a prediction from a reference of the same shape."""
    return _timed(prediction, reference, profile, drops=True)


def denominators(reference: Rgb) -> tuple[Distance, Distance]:
    """Compute the distances of black and of white from a reference."""
    black, white = (np.full_like(reference, level) for level in (0, 255))
    return (
        _timed(black, reference, Profile.PAPER, drops=False),
        _timed(white, reference, Profile.PAPER, drops=False),
    )


def helm_denominator(reference: Rgb) -> Distance:
    """Compute the distance of the one-colour image that profile ``helm`` chooses from a reference."""
    colour, _ = _modal(reference)
    level = 255 if colour @ _LUMA < _DARK * 1000 else 0
    return _timed(np.full_like(reference, level), reference, Profile.HELM, drops=False)


def _timed(image: Rgb, reference: Rgb, profile: Profile, *, drops: bool) -> Distance:
    started = time.process_time()
    a, b = _reduced(image), _reduced(reference)
    colour, share = _modal(b)
    ours, theirs = _patches(a, colour, profile), _patches(b, colour, profile)
    kept = np.ones(len(ours[0]), bool)
    if drops and share > 0.5 and not (ours[2] & theirs[2]).all():
        kept = ~(ours[2] & theirs[2])
    value = _distance(ours, theirs, kept, 8 / (a.shape[0] + a.shape[1]), profile)
    return Distance(value, time.process_time() - started)


_Patches = tuple[list[Signature], NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]


def _distance(a: _Patches, b: _Patches, kept: NDArray[np.bool_], scale: float, profile: Profile) -> float:
    weight = np.maximum(a[1], b[1])[kept]
    signatures_a, signatures_b = (
        [one for one, keep in zip(side[0], kept, strict=True) if keep] for side in (a, b)
    )
    places = a[3][kept]
    cost = np.empty((len(places), len(places)), np.float32)
    for i, left in enumerate(signatures_a):
        for j, right in enumerate(signatures_b):
            if profile is Profile.HELM:
                apart = abs(places[i][0] - places[j][0]) + abs(places[i][1] - places[j][1])
            else:
                apart = math.dist(places[i], places[j])
            cost[i, j] = cv2.EMD(left, right, cv2.DIST_L1)[0] + scale * apart
    shares = (weight / weight.sum()).astype(np.float32)[:, None]
    return float(cv2.EMD(shares, shares, cv2.DIST_USER, cost)[0])


def _modal(image: Rgb) -> tuple[NDArray[np.int64], float]:
    packed = image.reshape(-1, 3).astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    values, counts = np.unique(packed, return_counts=True)
    colour = int(values[counts.argmax()])
    return np.array([colour >> 16, colour >> 8 & 255, colour & 255]), counts.max() / packed.size


def _reduced(image: Rgb) -> Rgb:
    height, width, _ = image.shape
    patches = math.ceil(width / 8) * math.ceil(height / 8)
    if patches <= 100:
        return image
    columns = math.ceil(width / 8 / math.sqrt(patches / 100))
    rows = 100 // columns
    return np.asarray(Image.fromarray(image).resize((columns * 8, rows * 8), Image.Resampling.BICUBIC))


def _greys(
    padded: NDArray[np.int64], colour: NDArray[np.int64], profile: Profile
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return grey values in [0, 1], and which pixels count as background."""
    if profile is Profile.PAPER:
        return padded @ _LUMA / 255_000, np.abs(padded @ _LUMA - colour @ _LUMA) <= 500
    scaled = (padded / 255).astype(np.float32).astype(np.float64)
    grey = _weighted(scaled).astype(np.float32)
    return grey.astype(np.float64), grey == _weighted(colour / 255).astype(np.float32)


def _weighted(scaled: NDArray[np.float64]) -> NDArray[np.float64]:
    grey: NDArray[np.float64] = 0.299 * scaled[..., 0] + 0.587 * scaled[..., 1] + 0.114 * scaled[..., 2]
    return grey


def _patches(image: Rgb, colour: NDArray[np.int64], profile: Profile) -> _Patches:
    """Return signatures, weights, which are background, and positions."""
    height, width, _ = image.shape
    rows, columns = math.ceil(height / 8), math.ceil(width / 8)
    padded = np.full((rows * 8, columns * 8, 3), colour, np.int64)
    padded[:height, :width] = image
    grey, light = _greys(padded, colour, profile)
    # The released code finds the weight of a patch by a comparison that only black and white pass.
    may_be_light = profile is Profile.PAPER or colour.tolist() in ([0, 0, 0], [255, 255, 255])
    row, column = np.divmod(np.arange(64), 8)
    signatures, weights, blank, places = [], [], [], []
    for y in range(rows):
        for x in range(columns):
            tile = np.s_[y * 8 : y * 8 + 8, x * 8 : x * 8 + 8]
            weight = np.where(light[tile], _LIGHT, 1.0).ravel()
            weight /= weight.sum()
            points = np.stack([weight, grey[tile].ravel(), column / 8, row / 8], axis=1)
            signatures.append(points.astype(np.float32))
            blank.append(bool(light[tile].all()))
            weights.append(_LIGHT if blank[-1] and may_be_light else 1.0)
            places.append((y / rows, x / columns))
    shares = np.array(weights) / np.sum(weights)
    return signatures, shares, np.array(blank), np.array(places)
