"""Earth Mover Similarity as its definition reads, in profile ``paper``: two loops over cv2.EMD.

Each picture is cut once and each patch made a signature once. It shares no code with the service.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

_LUMA = np.array([299, 587, 114])
_LIGHT = 0.001

Signature = NDArray[np.float32]
Rgb = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Distance:
    """A distance, and what it cost.

    Attributes:
        value: The optimal transport cost.
        seconds: Of CPU.
    """

    value: float
    seconds: float


def block_emd(prediction: Rgb, reference: Rgb) -> Distance:
    """Compute the distance of a prediction from a reference of the same shape."""
    return _timed(prediction, reference, drops=True)


def denominators(reference: Rgb) -> tuple[Distance, Distance]:
    """Compute the distances of black and of white from a reference."""
    black, white = (np.full_like(reference, level) for level in (0, 255))
    return _timed(black, reference, drops=False), _timed(white, reference, drops=False)


def _timed(picture: Rgb, reference: Rgb, *, drops: bool) -> Distance:
    started = time.process_time()
    a, b = _reduced(picture), _reduced(reference)
    colour, share = _modal(b)
    ours, theirs = _patches(a, colour), _patches(b, colour)
    kept = np.ones(len(ours[0]), bool)
    if drops and share > 0.5 and not (ours[2] & theirs[2]).all():
        kept = ~(ours[2] & theirs[2])
    value = _distance(ours, theirs, kept, 8 / (a.shape[0] + a.shape[1]))
    return Distance(value, time.process_time() - started)


_Patches = tuple[list[Signature], NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]


def _distance(a: _Patches, b: _Patches, kept: NDArray[np.bool_], scale: float) -> float:
    weight = np.maximum(a[1], b[1])[kept]
    signatures_a, signatures_b = (
        [one for one, keep in zip(side[0], kept, strict=True) if keep] for side in (a, b)
    )
    places = a[3][kept]
    cost = np.empty((len(places), len(places)), np.float32)
    for i, left in enumerate(signatures_a):
        for j, right in enumerate(signatures_b):
            cost[i, j] = cv2.EMD(left, right, cv2.DIST_L1)[0] + scale * math.dist(places[i], places[j])
    shares = (weight / weight.sum()).astype(np.float32)[:, None]
    return float(cv2.EMD(shares, shares, cv2.DIST_USER, cost)[0])


def _modal(picture: Rgb) -> tuple[NDArray[np.int64], float]:
    packed = picture.reshape(-1, 3).astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    values, counts = np.unique(packed, return_counts=True)
    colour = int(values[counts.argmax()])
    return np.array([colour >> 16, colour >> 8 & 255, colour & 255]), counts.max() / packed.size


def _reduced(picture: Rgb) -> Rgb:
    height, width, _ = picture.shape
    patches = math.ceil(width / 8) * math.ceil(height / 8)
    if patches <= 100:
        return picture
    columns = math.ceil(width / 8 / math.sqrt(patches / 100))
    rows = 100 // columns
    return np.asarray(Image.fromarray(picture).resize((columns * 8, rows * 8), Image.Resampling.BICUBIC))


def _patches(picture: Rgb, colour: NDArray[np.int64]) -> _Patches:
    """Return signatures, weights, which are background, and positions."""
    height, width, _ = picture.shape
    rows, columns = math.ceil(height / 8), math.ceil(width / 8)
    padded = np.full((rows * 8, columns * 8, 3), colour, np.int64)
    padded[:height, :width] = picture
    light = np.abs(padded @ _LUMA - colour @ _LUMA) <= 500
    grey = padded @ _LUMA / 255_000
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
            weights.append(_LIGHT if blank[-1] else 1.0)
            places.append((y / rows, x / columns))
    shares = np.array(weights) / np.sum(weights)
    return signatures, shares, np.array(blank), np.array(places)
