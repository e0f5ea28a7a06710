"""Finds which pixels of a picture belong to thin horizontal lines, and by how much the picture is turned.

A pixel belongs to a line if it is darker than the pixels some rows above and below it, and if that holds
for several pixels side by side. Both are seen in grey values, averaged along the row, so that lines are found
that blur has made too light to be ink, or that noise has broken.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.float32]
Dark = NDArray[np.int16]
Mask = NDArray[np.bool_]

#: Part of the contrast of a picture by which ink is darker than its background.
INK_CONTRAST = 0.3

#: The same by which a line is darker than what is above and below it, and grey levels, at least.
LINE_CONTRAST, LEAST_LINE_CONTRAST = 0.06, 8

#: Contrast, in grey levels, below which there is no ink.
LEAST_CONTRAST = 20.0

#: Pixels of a row whose values are averaged, to either side.
SMOOTHED = 2

#: Degrees by which a picture may be turned, the steps in which that is tried, and those of a second search.
MOST_SKEW, SKEW_STEP, FINE_SKEW_STEP = 1.2, 0.1, 0.05

#: Widths of the vertical strips by which the skew is found, in pixels.
STRIP = 32

#: Rows above and below a line with which it is compared when the skew is found, and pixels side by side of
#: which it has to consist.
SKEW_REACH, SKEW_RUN = 3, 8


def background_of(grey: Grey) -> float:
    """Return the median grey value."""
    levels = np.bincount(np.clip(grey, 0, 255).astype(np.uint8).ravel(), minlength=256)
    return float(np.searchsorted(np.cumsum(levels), (grey.size + 1) // 2))


def darkness_of(grey: Grey) -> tuple[Dark, float]:
    """Return by how many levels pixels are darker than the background, and the contrast of the picture.

    If the background is dark, it is by how many they are lighter. The contrast is 0 if there is no ink.

    Args:
        grey: Values from 0 to 255, height × width.
    """
    background = background_of(grey)
    darkness = background - grey if background >= 128 else grey - background
    dark = np.clip(np.rint(darkness), 0, 255).astype(np.int16)
    levels = np.bincount(dark.ravel(), minlength=256)
    from_dark = np.cumsum(levels[::-1])[::-1]
    # One in a thousand pixels is at least as dark; a single line has fewer, and half of its darkness counts.
    usual = int(np.flatnonzero(from_dark >= max(1, grey.size // 1000))[-1])
    darkest = int(np.flatnonzero(from_dark)[-1])
    contrast = max(float(usual), darkest / 2)
    return dark, contrast if contrast >= LEAST_CONTRAST else 0.0


def ink_of(grey: Grey) -> Mask:
    """Return which pixels are darker than the background, or lighter if the background is dark.

    Args:
        grey: Values from 0 to 255, height × width.
    """
    dark, contrast = darkness_of(grey)
    if contrast == 0:
        return np.zeros(grey.shape, np.bool_)
    return np.asarray(dark > INK_CONTRAST * contrast)


def smoothed_rows(dark: Dark) -> Dark:
    """Return the sums of 2 SMOOTHED + 1 pixels side by side; beyond the edges there is background."""
    sums = np.zeros_like(dark)
    width = dark.shape[1]
    for shift in range(-SMOOTHED, SMOOTHED + 1):
        if abs(shift) < width:
            sums[:, max(0, shift) : width + min(0, shift)] += dark[:, max(0, -shift) : width - max(0, shift)]
    return sums


def line_pixels(sums: Dark, contrast: float, reach: int, run: int) -> Mask:
    """Return which pixels belong to thin lines.

    Args:
        sums: Sums of ``smoothed_rows``.
        contrast: Contrast of the picture.
        reach: How many rows above and below a pixel are compared with it: more than half of the thickness of
            a line, less than the distance of two.
        run: Number of pixels side by side of which a line has to consist, a power of two.
    """
    height = len(sums)
    found = np.zeros(sums.shape, np.bool_)
    if contrast == 0 or height <= reach:
        return found
    least = (2 * SMOOTHED + 1) * max(LEAST_LINE_CONTRAST, LINE_CONTRAST * contrast)
    around = np.zeros_like(sums)
    around[reach:] = sums[:-reach]
    np.maximum(around[:-reach], sums[reach:], out=around[:-reach])
    np.greater_equal(sums - around, np.int16(least), out=found)
    return _long_runs(found, run)


def _long_runs(found: Mask, run: int) -> Mask:
    """Return what is left of a mask without runs in rows of less than so many pixels, a power of two."""
    kept = found.copy()
    steps = [1 << power for power in range(run.bit_length() - 1)]
    for step in steps:
        kept[:, step:] &= kept[:, :-step].copy()
        kept[:, :step] = False
    for step in steps:
        kept[:, :-step] |= kept[:, step:].copy()
    return kept


def skew_of(lines: Mask) -> float:
    """Return by how many degrees a picture is turned: the angle at which the rows of its lines differ most.

    Positive is downwards to the right. The result is between -MOST_SKEW and MOST_SKEW.

    Args:
        lines: Lines of ``line_pixels``.
    """
    height, width = lines.shape
    strips = max(1, width // STRIP)
    edges = np.linspace(0, width, strips + 1).astype(int)
    profiles = np.zeros((height, strips), np.float32)
    for number, (first, last) in enumerate(pairwise(edges)):
        profiles[:, number] = np.count_nonzero(lines[:, first:last], axis=1)
    if not profiles.any():
        return 0.0
    centres = (edges[:-1] + edges[1:]) / 2 - width / 2
    padding = int(np.ceil(np.tan(np.radians(MOST_SKEW)) * width / 2)) + 1
    padded = np.pad(profiles, ((padding, padding), (0, 0)))

    def sharpness(angle: float) -> float:
        sums = np.zeros(height, np.float32)
        for number, shift in enumerate(np.rint(np.tan(np.radians(angle)) * centres).astype(int)):
            sums += padded[padding + shift : padding + shift + height, number]
        return float((np.diff(sums) ** 2).sum())

    best, best_value = 0.0, -1.0
    steps = round(MOST_SKEW / SKEW_STEP)
    for step in sorted(range(-steps, steps + 1), key=abs):
        value = sharpness(step * SKEW_STEP)
        if value > best_value * 1.02:
            best, best_value = step * SKEW_STEP, value
    for angle in (best - FINE_SKEW_STEP, best + FINE_SKEW_STEP):
        if abs(angle) <= MOST_SKEW and (value := sharpness(angle)) > best_value * 1.02:
            best, best_value = angle, value
    return best


def straightened(grey: Grey, degrees: float) -> Grey:
    """Return a picture whose columns are moved so that lines turned by so many degrees become level."""
    if degrees == 0.0:
        return grey
    height, width = grey.shape
    shift = np.tan(np.radians(degrees)) * (np.arange(width) - width / 2)
    whole = np.floor(shift).astype(np.int32)
    part = (shift - whole).astype(np.float32)
    rows = np.arange(height, dtype=np.int32)[:, None] + whole[None, :]
    columns = np.arange(width)[None, :]
    upper = grey[np.clip(rows, 0, height - 1), columns]
    lower = grey[np.clip(rows + 1, 0, height - 1), columns]
    return np.asarray(upper + (lower - upper) * part, dtype=np.float32)
