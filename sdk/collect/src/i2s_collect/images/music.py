"""Tells whether an image is sheet music: sixteen numbers of it, and a logistic regression on them.

The weights of the regression are made by ``python -m benchmarks.sheet_music``, which also measures them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from i2s_collect.candidates import Dropped, Reason
from i2s_collect.images.staves import (
    LINES,
    SKEW_REACH,
    SKEW_RUN,
    Grey,
    Mask,
    Staff,
    background_of,
    darkness_of,
    ink_of,
    line_pixels,
    skew_of,
    smoothed_rows,
    staves_of,
    straightened,
)
from i2s_collect.images.values import on_white

if TYPE_CHECKING:
    from PIL import Image

#: Names of the numbers, in their order.
FEATURES = (
    "staves",
    "spacing",
    "thickness",
    "background_share",
    "ink_share",
    "stems",
    "ink_in_staves",
    "shape",
    "grey_levels",
    "regularity",
    "longest",
    "seen",
    "evenness",
    "ink_at_staves",
    "solid",
    "bars",
)

#: Weights of the regression: one for each number, then the constant.
WEIGHTS = (
    0.60362,
    0.11396,
    -1.2017,
    -4.032,
    4.8134,
    1.4217,
    5.0181,
    -1.1592,
    0.78045,
    -1.0086,
    0.5453,
    0.47251,
    -31.646,
    3.9876,
    4.3093,
    -4.5064,
    -3.5423,
)

#: Version of the weights above; stored with every value.
VERSION = "2"

#: An image is sheet music if its probability is at least this.
THRESHOLD = 0.5

#: Longest side, in pixels, at which an image is looked at. Larger ones are reduced.
LONGEST_SIDE = 1_600

#: Lengths of stems, in distances of staff lines.
SHORTEST_STEM, LONGEST_STEM = 2.0, 6.0

#: Rows that are looked at for regular lines of text, as part of the height of the image.
LONGEST_PERIOD = 0.1


@dataclass(frozen=True, slots=True)
class Looked:
    """An image with its staves."""

    #: Level grey values from 0 to 255, height × width.
    grey: Grey
    #: Whether each pixel is ink, in the same shape.
    ink: Mask
    #: Staves from the top.
    staves: tuple[Staff, ...]
    #: Degrees by which the image was turned.
    degrees: float


def look(image: Image.Image) -> Looked:
    """Return an image as grey values, made level and reduced to LONGEST_SIDE, with its staves.

    Args:
        image: Image of any size and mode.
    """
    grey = on_white(image).convert("L")
    if max(grey.size) > LONGEST_SIDE:
        grey.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    values = np.asarray(grey, dtype=np.float32)
    dark, contrast = darkness_of(values)
    degrees = skew_of(line_pixels(smoothed_rows(dark), contrast, SKEW_REACH, SKEW_RUN))
    values = straightened(values, degrees)
    return Looked(values, ink_of(values), tuple(staves_of(values)), degrees)


def features(looked: Looked) -> tuple[float, ...]:
    """Return the numbers of an image, in the order of FEATURES.

    - ``staves``: logarithm of 1 + their number;
    - ``spacing``: distance of staff lines by the height of the image, in percent, at most 20;
    - ``thickness``: of staff lines by their distance;
    - ``background_share``: pixels within 8 grey levels of the background;
    - ``ink_share``: pixels that are ink;
    - ``stems``: logarithm of 1 + thin vertical runs a staff that are as long as stems;
    - ``ink_in_staves``: part of the area of staves that is ink when their lines are removed;
    - ``shape``: logarithm of height by width;
    - ``grey_levels``: part of the 256 levels that at least one in 10,000 pixels has;
    - ``regularity``: largest autocorrelation of the ink of rows, at distances from 6 rows to LONGEST_PERIOD;
    - ``longest``: logarithm of 1 + the length of the longest staff by the distance of its lines;
    - ``seen``: part of the columns of staves in which their lines are seen;
    - ``evenness``: largest difference of two distances of lines of a staff, by their mean;
    - ``ink_at_staves``: part of the ink that is within three distances of lines of a staff;
    - ``solid``: part of that ink that holds squares of half a distance of lines, as heads of notes do;
    - ``bars``: logarithm of 1 + columns that are ink over the whole height of a staff, by its length.

    Those that speak of staves are 0 if there are none.
    """
    grey, ink, staves = looked.grey, looked.ink, looked.staves
    height, width = grey.shape
    background = background_of(grey)
    levels = np.bincount(np.clip(grey, 0, 255).astype(np.uint8).ravel(), minlength=256)
    spacing = float(np.mean([staff.spacing for staff in staves])) if staves else 0.0
    thickness = float(np.mean([staff.thickness for staff in staves])) if staves else 0.0
    lengths = [_length(staff) for staff in staves]
    stems, left = _inside(ink, staves)
    return (
        float(np.log1p(len(staves))),
        min(20.0, 100 * spacing / height),
        thickness / spacing if staves else 0.0,
        float((np.abs(grey - background) <= 8).mean()),
        float(ink.mean()),
        float(np.log1p(stems)),
        left,
        float(np.log(height / width)),
        float((levels >= max(1, grey.size / 10_000)).mean()),
        _regularity(ink),
        float(np.log1p(max((_length(staff) for staff in staves), default=0.0))),
        float(np.average([staff.seen for staff in staves], weights=lengths)) if staves else 0.0,
        float(np.average([_evenness(staff) for staff in staves], weights=lengths)) if staves else 0.0,
        _at_staves(ink, staves),
        _solid(ink, staves),
        float(np.log1p(sum(_bars(ink, staff) for staff in staves) / sum(lengths))) if staves else 0.0,
    )


def probability(image: Image.Image, weights: tuple[float, ...] = WEIGHTS) -> float:
    """Return how probable it is that an image is sheet music, from 0 to 1.

    Args:
        image: Image of any size and mode.
        weights: Weights of the regression.
    """
    return _logistic(features(look(image)), weights)


def music_fault(value: float) -> Dropped | None:
    """Return why an image of this probability is left out of music, or None."""
    if value >= THRESHOLD:
        return None
    return Dropped(Reason.NOT_MUSIC, f"sheet music with a probability of {value:.2f}")


def _logistic(numbers: tuple[float, ...], weights: tuple[float, ...]) -> float:
    value = sum(a * b for a, b in zip(numbers, weights, strict=False)) + weights[-1]
    return float(1 / (1 + np.exp(-np.clip(value, -50, 50))))


def _length(staff: Staff) -> float:
    return (staff.right - staff.left) / staff.spacing


def _evenness(staff: Staff) -> float:
    distances = np.diff(np.asarray(staff.lines, dtype=np.float64))
    return float(distances.max() - distances.min()) / staff.spacing


def _at_staves(ink: Mask, staves: tuple[Staff, ...]) -> float:
    """Return which part of the ink is near staves, or in their columns between their outer lines."""
    near = np.zeros(ink.shape, np.bool_)
    for staff in staves:
        reach = round(3 * staff.spacing)
        top, bottom = round(staff.lines[0]) - reach, round(staff.lines[-1]) + reach + 1
        near[max(0, top) : max(0, bottom), max(0, staff.left - reach) : staff.right + reach] = True
    return float(np.count_nonzero(ink & near)) / max(1, int(np.count_nonzero(ink)))


def _solid(ink: Mask, staves: tuple[Staff, ...]) -> float:
    """Return which part of the ink around staves holds squares of half a distance of their lines."""
    kept, number = 0, 0
    for staff in staves:
        reach, side = round(3 * staff.spacing), max(2, round(staff.spacing / 2))
        top, bottom = round(staff.lines[0]) - reach, round(staff.lines[-1]) + reach + 1
        part = ink[max(0, top) : max(0, bottom), staff.left : staff.right]
        number += int(np.count_nonzero(part))
        kept += int(np.count_nonzero(_squares(part, side)))
    return kept / max(1, number)


def _squares(part: Mask, side: int) -> Mask:
    """Return which pixels belong to squares of ink of so many pixels."""
    if min(part.shape) < side:
        return np.zeros_like(part)
    sums = np.zeros((part.shape[0] + 1, part.shape[1] + 1), np.int32)
    sums[1:, 1:] = part.cumsum(axis=0, dtype=np.int32).cumsum(axis=1, dtype=np.int32)
    whole = sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side] == side**2
    height, width = whole.shape
    rows = np.zeros((part.shape[0], width), np.bool_)
    runs = np.zeros_like(part)
    for shift in range(side):
        rows[shift : shift + height] |= whole
    for shift in range(side):
        runs[:, shift : shift + width] |= rows
    return runs


def _bars(ink: Mask, staff: Staff) -> int:
    """Return how many columns are ink over the whole height of a staff, adjacent ones counted once."""
    first, last = round(staff.lines[0]), round(staff.lines[-1]) + 1
    columns = np.flatnonzero(ink[max(0, first) : last, staff.left : staff.right].all(axis=0))
    return int(np.count_nonzero(np.diff(columns, prepend=-9) > 1))


def _inside(ink: Mask, staves: tuple[Staff, ...]) -> tuple[float, float]:
    """Return stems a staff, and the part of the area of staves that is ink without their lines."""
    if not staves:
        return 0.0, 0.0
    stems, dark, area = 0, 0, 0
    for staff in staves:
        spacing = staff.spacing
        top = max(0, round(staff.lines[0] - 3 * spacing))
        bottom = min(len(ink), round(staff.lines[-1] + 3 * spacing) + 1)
        part = ink[top:bottom, staff.left : staff.right]
        stems += _stems(part, spacing)
        rows = np.ones(bottom - top, np.bool_)
        reach = round(staff.thickness / 2 + 1)
        for line in staff.lines:
            rows[max(0, round(line) - top - reach) : round(line) - top + reach + 1] = False
        rows[: max(0, round(staff.lines[0]) - top)] = False
        rows[round(staff.lines[LINES - 1]) - top :] = False
        dark += int(np.count_nonzero(part[rows]))
        area += part[rows].size
    return stems / len(staves), dark / area if area else 0.0


def _stems(part: NDArray[np.bool_], spacing: float) -> int:
    """Return the number of vertical runs of a stem's length, adjacent columns counted once."""
    padded = np.zeros((part.shape[0] + 2, part.shape[1]), np.int8)
    padded[1:-1] = part
    steps = np.diff(padded, axis=0)
    columns, starts = np.nonzero((steps == 1).T)
    _, ends = np.nonzero((steps == -1).T)
    lengths = ends - starts
    fits = (lengths >= SHORTEST_STEM * spacing) & (lengths <= LONGEST_STEM * spacing)
    places = np.unique(columns[fits])
    return int(np.count_nonzero(np.diff(places, prepend=-9) > 1))


def _regularity(ink: Mask) -> float:
    profile = np.count_nonzero(ink, axis=1).astype(np.float64)
    profile -= profile.mean()
    longest = int(LONGEST_PERIOD * len(profile))
    power = float((profile**2).sum())
    if longest <= 6 or power == 0:
        return 0.0
    size = 2 * len(profile)
    spectrum = np.fft.rfft(profile, size)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2, size)
    return float(np.clip(correlation[6 : longest + 1].max() / power, 0, 1))
