"""Finds the staves of sheet music in a picture.

A staff is five thin lines with equal distances. A picture may be turned by up to MOST_SKEW degrees. All
limits are constants of this module; nothing is learnt here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.float32]
Mask = NDArray[np.bool_]

#: Lines of a staff.
LINES = 5

#: Gaps in a line that are closed, in pixels.
MOST_GAP = 3

#: Part of the width of all ink that the runs of a line reach together, at least.
SHORTEST_LINE = 0.4

#: Runs shorter than this part of the width of all ink are no part of a line.
SHORTEST_RUN = 0.04

#: Thickness of a line, in pixels, at most.
THICKEST_LINE = 8

#: Distance of two lines of a staff, from centre to centre, in pixels.
SMALLEST_SPACING, LARGEST_SPACING = 3.0, 60.0

#: By how much the four distances of a staff may differ from their median: in pixels, or as a part of it.
SPACING_PIXELS, SPACING_PART = 1.0, 0.2

#: Part of the spacing that a line is thick, at most.
LARGEST_THICKNESS = 0.5

#: Lines in a row with equal distances that are no staff any more, but a table or ruled paper.
TOO_MANY_LINES = 8

#: Degrees by which a picture may be turned, and the steps in which that is tried.
MOST_SKEW, SKEW_STEP = 1.2, 0.1

#: Part of the contrast of a picture by which ink is darker than its background.
INK_CONTRAST = 0.3

#: Contrast, in grey levels, below which there is no ink.
LEAST_CONTRAST = 20.0

#: Widths of the vertical strips by which the skew is found, in pixels.
STRIP = 32


@dataclass(frozen=True, slots=True)
class Staff:
    """Five lines.

    Attributes:
        lines: Rows of the centres of its lines, from the top.
        left: First column of the lines.
        right: The column after the last.
        thickness: Mean thickness of a line in pixels.
    """

    lines: tuple[float, ...]
    left: int
    right: int
    thickness: float

    @property
    def spacing(self) -> float:
        """Return the mean distance of its lines in pixels."""
        return (self.lines[-1] - self.lines[0]) / (len(self.lines) - 1)


@dataclass(frozen=True, slots=True)
class _Line:
    centre: float
    thickness: int
    left: int
    right: int


def background_of(grey: Grey) -> float:
    """Return the median grey value."""
    levels = np.bincount(np.clip(grey, 0, 255).astype(np.uint8).ravel(), minlength=256)
    return float(np.searchsorted(np.cumsum(levels), (grey.size + 1) // 2))


def ink_of(grey: Grey) -> Mask:
    """Return which pixels are darker than the background, or lighter where the background is dark.

    Args:
        grey: Values from 0 to 255, height × width.
    """
    background = background_of(grey)
    darkness = background - grey if background >= 128 else grey - background
    levels = np.bincount(np.clip(darkness, 0, 255).astype(np.uint8).ravel(), minlength=256)
    from_dark = np.cumsum(levels[::-1])[::-1]
    # One in a thousand pixels is at least as dark; a single line has fewer, and half of its darkness counts.
    usual = int(np.flatnonzero(from_dark >= max(1, grey.size // 1000))[-1])
    darkest = int(np.flatnonzero(from_dark)[-1])
    contrast = max(float(usual), darkest / 2)
    if contrast < LEAST_CONTRAST:
        return np.zeros(grey.shape, np.bool_)
    return np.asarray(darkness > INK_CONTRAST * contrast)


def skew_of(ink: Mask) -> float:
    """Return by how many degrees a picture is turned: the angle at which the rows of ink differ most.

    Positive is downwards to the right. The result is between -MOST_SKEW and MOST_SKEW.
    """
    height, width = ink.shape
    strips = max(1, width // STRIP)
    edges = np.linspace(0, width, strips + 1).astype(int)
    profiles = np.stack([ink[:, a:b].sum(axis=1) for a, b in pairwise(edges)], axis=1).astype(np.float32)
    centres = (edges[:-1] + edges[1:]) / 2 - width / 2
    rows = np.arange(height)[:, None]
    best, best_value = 0.0, -1.0
    steps = round(MOST_SKEW / SKEW_STEP)
    for step in sorted(range(-steps, steps + 1), key=abs):
        angle = step * SKEW_STEP
        moved = rows + np.rint(np.tan(np.radians(angle)) * centres).astype(int)[None, :]
        inside = (moved >= 0) & (moved < height)
        sums = np.where(inside, profiles[np.clip(moved, 0, height - 1), np.arange(strips)[None, :]], 0.0).sum(
            axis=1
        )
        value = float((np.diff(sums) ** 2).sum())
        if value > best_value * 1.02:
            best, best_value = angle, value
    return best


def straightened(grey: Grey, degrees: float) -> Grey:
    """Return a picture whose columns are moved so that lines turned by so many degrees become level."""
    if degrees == 0.0:
        return grey
    height, width = grey.shape
    shift = np.tan(np.radians(degrees)) * (np.arange(width) - width / 2)
    rows = np.arange(height, dtype=np.float32)[:, None] + shift[None, :].astype(np.float32)
    rows = np.clip(rows, 0, height - 1)
    above = rows.astype(np.int32)
    part = rows - above
    columns = np.arange(width)[None, :]
    upper, lower = grey[above, columns], grey[np.minimum(above + 1, height - 1), columns]
    return np.asarray(upper * (1 - part) + lower * part, dtype=np.float32)


def staves_of(ink: Mask, shortest_line: float = SHORTEST_LINE) -> list[Staff]:
    """Return the staves in level ink, from the top.

    Args:
        ink: Height × width.
        shortest_line: Part of the width of all ink that the runs of a line reach together, at least.
    """
    lines = _lines(ink, shortest_line)
    staves: list[Staff] = []
    at = 0
    while at + LINES <= len(lines):
        last = _even(lines, at)
        if last - at + 1 >= TOO_MANY_LINES:
            at = last + 1
        elif last - at + 1 >= LINES and _as_long(lines[at : at + LINES]):
            five = lines[at : at + LINES]
            staves.append(
                Staff(
                    tuple(line.centre for line in five),
                    min(line.left for line in five),
                    max(line.right for line in five),
                    sum(line.thickness for line in five) / LINES,
                )
            )
            at = last + 1
        else:
            at += 1
    return staves


def _even(lines: list[_Line], first: int) -> int:
    """Return the last line of those from the first on whose distances are equal."""
    distance = lines[first + 1].centre - lines[first].centre
    if not SMALLEST_SPACING <= distance <= LARGEST_SPACING:
        return first
    last = first + 1
    distances = [distance]
    while last + 1 < len(lines):
        distances.append(lines[last + 1].centre - lines[last].centre)
        middle = float(np.median(distances))
        tolerance = max(SPACING_PIXELS, SPACING_PART * middle)
        if max(abs(one - middle) for one in distances) > tolerance:
            break
        last += 1
    spacing = float(np.median(distances[: last - first]))
    thick = max(line.thickness for line in lines[first : last + 1])
    return last if thick <= max(2.0, LARGEST_THICKNESS * spacing) else first


def _as_long(lines: list[_Line]) -> bool:
    """Return whether lines begin and end nearly at the same columns."""
    width = max(line.right for line in lines) - min(line.left for line in lines)
    overlap = min(line.right for line in lines) - max(line.left for line in lines)
    return overlap >= 0.8 * width


def _lines(ink: Mask, shortest: float) -> list[_Line]:
    """Return the level lines of a picture, from the top."""
    columns = np.flatnonzero(ink.any(axis=0))
    if not len(columns):
        return []
    first, width = int(columns[0]), int(columns[-1] - columns[0] + 1)
    inner = ink[:, first : first + width]
    rows = np.flatnonzero(np.count_nonzero(inner, axis=1) >= 0.6 * shortest * width)
    found: dict[int, tuple[int, int]] = {}
    for row in map(int, rows):
        edges = np.flatnonzero(np.diff(np.concatenate(([False], inner[row], [False])).astype(np.int8)))
        starts, ends = edges[::2], edges[1::2]
        joined = starts[1:] - ends[:-1] > MOST_GAP
        starts, ends = starts[np.r_[True, joined]], ends[np.r_[joined, True]]
        long = ends - starts >= max(2 * LINES, SHORTEST_RUN * width)
        if (ends - starts)[long].sum() >= shortest * width:
            found[row] = (first + int(starts[long][0]), first + int(ends[long][-1]))
    lines: list[_Line] = []
    group: list[int] = []
    for row in [*sorted(found), -2]:
        if group and row != group[-1] + 1:
            if len(group) <= THICKEST_LINE:
                spans = [found[one] for one in group]
                left, right = min(span[0] for span in spans), max(span[1] for span in spans)
                lines.append(_Line((group[0] + group[-1]) / 2, len(group), left, right))
            group = []
        group.append(row)
    return lines
