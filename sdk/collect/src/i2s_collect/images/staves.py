"""The staves of sheet music in an image: thin horizontal lines, staves, and the systems of a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.float32]
Dark = NDArray[np.int16]
Mask = NDArray[np.bool_]

#: Part of the contrast of an image by which ink is darker than its background.
INK_CONTRAST = 0.3

#: The same by which a line is darker than what is above and below it, and grey levels, at least.
LINE_CONTRAST, LEAST_LINE_CONTRAST = 0.06, 8

#: Contrast, in grey levels, below which there is no ink.
LEAST_CONTRAST = 20.0

#: Pixels of a row whose values are averaged, to either side.
SMOOTHED = 2

#: Degrees by which an image may be turned, the steps in which that is tried, and those of a second search.
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
    """Return by how many levels pixels are darker than the background, and the contrast of the image.

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
        contrast: Contrast of the image.
        reach: How many rows above and below a pixel are compared with it: more than half of the thickness of
            a line, less than the distance of two.
        run: Number of pixels side by side of which a line has to consist, a power of two.
    """
    height = len(sums)
    rows = np.zeros(sums.shape, np.bool_)
    if contrast == 0 or height <= reach:
        return rows
    least = (2 * SMOOTHED + 1) * max(LEAST_LINE_CONTRAST, LINE_CONTRAST * contrast)
    around = np.zeros_like(sums)
    around[reach:] = sums[:-reach]
    np.maximum(around[:-reach], sums[reach:], out=around[:-reach])
    np.greater_equal(sums - around, np.int16(least), out=rows)
    return _long_runs(rows, run)


def _long_runs(rows: Mask, run: int) -> Mask:
    """Return what is left of a mask without runs in rows of less than so many pixels, a power of two."""
    kept = rows.copy()
    steps = [1 << power for power in range(run.bit_length() - 1)]
    for step in steps:
        kept[:, step:] &= kept[:, :-step].copy()
        kept[:, :step] = False
    for step in steps:
        kept[:, :-step] |= kept[:, step:].copy()
    return kept


def skew_of(lines: Mask) -> float:
    """Return by how many degrees an image is turned: the angle at which the rows of its lines differ most.

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
    """Return an image whose columns are moved so that lines turned by so many degrees become level."""
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


#: Lines of a staff.
LINES = 5

#: Number of the five lines that must be seen in a column of a staff. Heads of notes hide two.
SEEN_LINES = 4

#: Gaps between columns that are closed, and the shortest staff, in distances of lines.
MOST_GAP, SHORTEST_STAFF = 2.0, 5.0

#: The shortest staff, in pixels.
SHORTEST_PIXELS = 20

#: Part of the columns of a staff in which its lines are seen, at least.
SEEN_COLUMNS = 0.6

#: Distances of lines that are looked for, in pixels: the smallest, the largest, rows above and below a line
#: with which it is compared at such distances, and pixels side by side of which it has to consist.
DISTANCES = ((3.5, 5.5, 2, 8), (5.0, 9.0, 3, 8), (8.5, 16.0, 4, 8), (15.0, 31.0, 5, 16), (29.0, 60.0, 9, 32))

#: Step in which distances are tried, as a part of the smallest of a range.
DISTANCE_STEP = 0.05

#: The most by which the four distances of a staff differ from their median: in pixels, or as a part of it.
SPACING_PIXELS, SPACING_PART = 1.0, 0.15

#: Thickness of a line, at most: in pixels, or as a part of the distance. Text that looks like lines is
#: thicker.
THICKEST_PIXELS, THICKEST_PART = 3.5, 0.25

#: Lines in a row with equal distances that are not staff any more, but a table or ruled paper.
TOO_MANY_LINES = 8

#: Part of the columns of a staff that a further line has, at least, to be counted with its lines.
FURTHER_LINE = 0.6

#: The most places of an image that are looked at.
MOST_PLACES = 400


@dataclass(frozen=True, slots=True)
class Staff:
    """Five lines."""

    #: Rows of the centres of its lines, from the top.
    lines: tuple[float, ...]
    #: First column of the lines.
    left: int
    #: The column after the last.
    right: int
    #: Mean thickness of a line in pixels.
    thickness: float
    #: Part of its columns in which at least SEEN_LINES lines are seen.
    seen: float = 1.0

    @property
    def spacing(self) -> float:
        """Return the mean distance of its lines in pixels."""
        return (self.lines[-1] - self.lines[0]) / (len(self.lines) - 1)


def staves_of(grey: Grey) -> list[Staff]:
    """Return the staves of a level image, from the top.

    Args:
        grey: Values from 0 to 255, height × width.
    """
    dark, contrast = darkness_of(grey)
    candidates: list[Staff] = []
    ruled: list[tuple[float, float]] = []
    if contrast == 0:
        return []
    sums = smoothed_rows(dark)
    for smallest, largest, reach, run in DISTANCES:
        pixels = line_pixels(sums, contrast, reach, run)
        for staff in _staves(dark, pixels, smallest, largest):
            if len(staff.lines) >= TOO_MANY_LINES:
                ruled.append((staff.lines[0], staff.lines[-1]))
            elif not any(staff.lines[0] <= last and staff.lines[-1] >= first for first, last in ruled):
                candidates.append(staff)
    kept: list[Staff] = []
    for staff in sorted(
        candidates,
        key=lambda candidate: (-candidate.seen * (candidate.right - candidate.left), candidate.lines),
    ):
        if not any(_overlap(staff, other) for other in kept):
            kept.append(staff)
    staves = [replace(staff, lines=staff.lines[:LINES]) for staff in kept]
    return sorted(staves, key=lambda staff: (staff.lines[0], staff.left))


def _overlap(staff: Staff, other: Staff) -> bool:
    return staff.lines[0] <= other.lines[-1] and other.lines[0] <= staff.lines[-1]


def _staves(dark: Dark, pixels: Mask, smallest: float, largest: float) -> Iterator[Staff]:
    """Yield what has at least five lines with distances of a range, and all of its lines."""
    profile = np.asarray(np.count_nonzero(pixels, axis=1), np.int32)
    taken: list[tuple[float, float]] = []
    for row, distance in _places(profile, smallest, largest):
        if any(row <= last and row + (LINES - 1) * distance >= first for first, last in taken):
            continue
        staff = _staff(dark, pixels, profile, row, distance)
        if staff is not None:
            lines = _all_lines(pixels, staff)
            taken.append((lines[0], lines[-1]))
            yield replace(staff, lines=lines)


def _places(profile: NDArray[np.int32], smallest: float, largest: float) -> Iterator[tuple[int, float]]:
    """Yield first rows and distances at which there may be five lines, the longest lines first."""
    height = len(profile)
    wide = profile.copy()  # a line may be a row beside its place
    wide[1:] = np.maximum(wide[1:], profile[:-1])
    wide[:-1] = np.maximum(wide[:-1], profile[1:])
    step = DISTANCE_STEP * smallest
    steps = np.arange(smallest, largest + step / 2, step)
    scores = np.zeros((len(steps), height), np.int32)
    for number, distance in enumerate(steps):
        offsets = np.rint(np.arange(LINES) * distance).astype(int)
        rows = height - int(offsets[-1])
        if rows > 0:
            lowest = profile[:rows] + 0
            total = profile[:rows] + 0
            for offset in offsets[1:]:
                np.minimum(lowest, wide[offset : offset + rows], out=lowest)
                total += profile[offset : offset + rows]
            least = np.maximum(SHORTEST_PIXELS, SHORTEST_STAFF * SEEN_COLUMNS * distance)
            # Prefer, among places with the same lines, the one that has them in the middle of its rows.
            scores[number, :rows] = np.where(lowest >= least, lowest * 8 + total, 0)
    numbers, rows_found = np.nonzero(scores)
    order = np.argsort(-scores[numbers, rows_found], kind="stable")[:MOST_PLACES]
    for place in order:
        yield int(rows_found[place]), float(steps[numbers[place]])


def _staff(dark: Dark, pixels: Mask, profile: NDArray[np.int32], row: int, distance: float) -> Staff | None:
    """Return the staff at a place, or None if there is none."""
    reach = max(1, round(SPACING_PART * distance))
    rows = []
    for line in range(LINES):
        first = max(0, round(row + line * distance) - reach)
        around = profile[first : round(row + line * distance) + reach + 1]
        if not len(around) or not around.any():
            return None
        rows.append(first + float((around * np.arange(len(around))).sum() / around.sum()))
    distances = np.diff(rows)
    middle = float(np.median(distances))
    if float(np.abs(distances - middle).max()) > max(SPACING_PIXELS, SPACING_PART * middle):
        return None
    seen = np.zeros(pixels.shape[1], np.int8)
    for centre in rows:
        seen += _line(pixels, centre)
    columns = np.flatnonzero(seen >= SEEN_LINES)
    parts = _parts(columns, middle)
    if not parts:
        return None
    left, right = parts[0][0], parts[-1][1]
    number = sum(count for _, _, count in parts)
    covered = sum(last - first for first, last, _ in parts)
    inside = np.concatenate([np.arange(first, last) for first, last, _ in parts])
    thickness = _thickness(dark, rows, middle, inside)
    if thickness > max(THICKEST_PIXELS, THICKEST_PART * middle):
        return None
    return Staff(tuple(rows), left, right, thickness, number / covered)


def _line(pixels: Mask, centre: float) -> Mask:
    """Return in which columns there is a line in a row or beside it."""
    nearest = round(centre)
    return np.asarray(pixels[max(0, nearest - 1) : nearest + 2].any(axis=0))


def _parts(columns: NDArray[np.intp], distance: float) -> list[tuple[int, int, int]]:
    """Return the parts of a staff: first column, the one after the last, and how many columns are seen."""
    if not len(columns):
        return []
    breaks = np.flatnonzero(np.diff(columns) > max(3.0, MOST_GAP * distance))
    firsts, lasts = np.r_[0, breaks + 1], np.r_[breaks, len(columns) - 1]
    groups = []
    for first, last in zip(firsts, lasts, strict=True):
        left, right, count = int(columns[first]), int(columns[last]) + 1, int(last - first + 1)
        least = max(SHORTEST_PIXELS, SHORTEST_STAFF * distance)
        if right - left >= least and count >= SEEN_COLUMNS * (right - left):
            groups.append((left, right, count))
    return groups


def _thickness(dark: Dark, rows: list[float], distance: float, columns: NDArray[np.intp]) -> float:
    """Return the mean thickness of lines: what is darker than between them, by the darkest row of each."""
    reach = max(1, int(distance / 2))
    first = max(0, round(rows[0]) - reach)
    profile = np.median(dark[first : round(rows[-1]) + reach + 1, columns], axis=1)
    profile = np.maximum(profile - profile.min(), 0)
    if not profile.any():
        profile = dark[first : round(rows[-1]) + reach + 1, columns].mean(axis=1)
    highest = [float(profile[max(0, round(row) - first - 1) : round(row) - first + 2].max()) for row in rows]
    return float(profile.sum() / max(1e-6, sum(highest)))


def _all_lines(pixels: Mask, staff: Staff) -> tuple[float, ...]:
    """Return the rows of the lines of a staff, and of those above and below that go on with its distances."""
    distance, part = staff.spacing, slice(staff.left, staff.right)
    least = FURTHER_LINE * staff.seen * (staff.right - staff.left)
    rows = list(staff.lines)
    for step in (-distance, distance):
        row = (rows[-1] if step > 0 else rows[0]) + step
        while 0 <= row < len(pixels) and np.count_nonzero(_line(pixels[:, part], row)) >= least:
            rows.insert(len(rows) if step > 0 else 0, row)
            row += step
    return tuple(rows)
