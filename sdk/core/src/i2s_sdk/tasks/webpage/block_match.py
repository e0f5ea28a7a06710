"""Blocks of text of two web pages, matched and compared as Design2Code does.

Source: Design2Code (arXiv 2403.03163) and its released code, NoviScl/Design2Code 7a575e4,
``visual_score.py``: the similarity of texts, the trial merges of consecutive blocks, the bonus of neighbours
and the four scores. Blocks are those of the browser. Pairs that are less alike than ``LEAST_SIMILARITY``
never take part in an assignment, so it falls into small ones; ``Bounds`` has the bounds on the work.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from i2s_sdk.scoring.assignment import best_assignment
from i2s_sdk.tasks.webpage.text_similarity import LEAST_SIMILARITY, Matrix, TextSimilarities

Color = tuple[float, float, float]

_LEAST_RISE = 0.05  # of the mean similarity, for a merge
_NEIGHBOUR_BONUS = 0.1
_MOST_RUN_PAIRS = 20_000  # those that are most alike
_CELLS = 500_000  # of a matrix, that are looked at together
_AROUND = [(down, across) for down in range(3) for across in range(3) if (down, across) != (1, 1)]


@dataclass(frozen=True, slots=True)
class Block:
    """A text with its place."""

    #: In lower case.
    text: str
    #: Left, top, width and height as shares of the page's width and height.
    box: tuple[float, float, float, float]
    #: Red, green and blue from 0 to 255.
    color: Color

    @property
    def area(self) -> float:
        """Share of the page."""
        return self.box[2] * self.box[3]

    @property
    def center(self) -> tuple[float, float]:
        """Middle of the box."""
        left, top, width, height = self.box
        return left + width / 2, top + height / 2

    def merged(self, other: Block) -> Block:
        """Return both as one block: texts joined by a blank, the union of boxes, the mean colour."""
        left, top = min(self.box[0], other.box[0]), min(self.box[1], other.box[1])
        right = max(self.box[0] + self.box[2], other.box[0] + other.box[2])
        bottom = max(self.box[1] + self.box[3], other.box[1] + other.box[3])
        red, green, blue = ((one + two) / 2 for one, two in zip(self.color, other.color, strict=True))
        return Block(f"{self.text} {other.text}", (left, top, right - left, bottom - top), (red, green, blue))


@dataclass(frozen=True, slots=True)
class Run:
    """Blocks that follow one another within a line or a paragraph, and the text that they are together.

    Where the text of one page stands in one element and that of the other in several, one for each word or
    around some of them, they are compared as one.
    """

    #: Index of the first block.
    start: int
    #: Index behind the last one.
    stop: int
    #: All of them as one block.
    block: Block

    def overlaps(self, other: Run) -> bool:
        """Return whether both have a block."""
        return self.start < other.stop and other.start < self.stop

    def cuts(self, other: Run) -> bool:
        """Return whether it has some of another one's blocks, and not all."""
        return self.overlaps(other) and not (self.start <= other.start and other.stop <= self.stop)


@dataclass(slots=True)
class Bounds:
    """How much work one comparison may be; what is left is used up as it goes."""

    #: Products of lengths of pairs of texts whose similarity is that of difflib; further pairs have the share
    #: of the longest common subsequence, 2·LCS/(a + b), which is never less.
    characters: int = 3_000_000
    #: Squares of the shorter side of assignments that are solved; further ones are made greedily, best pairs
    #: first, and no more merges are tried.
    assigned: int = 30_000


@dataclass(frozen=True, slots=True)
class BlockScores:
    """The four scores, each from 0 to 1, and what they are of."""

    match: float
    text: float
    position: float
    color: float
    #: Blocks of the reference after merging.
    reference: tuple[Block, ...] = field(default=(), repr=False)
    #: Blocks of the prediction after merging.
    prediction: tuple[Block, ...] = field(default=(), repr=False)
    #: Index in the prediction, index in the reference, similarity.
    pairs: tuple[tuple[int, int, float], ...] = field(default=(), repr=False)

    @property
    def mean(self) -> float:
        """Mean of the four."""
        return (self.match + self.text + self.position + self.color) / 4


def compare_blocks(
    reference: Sequence[Block],
    prediction: Sequence[Block],
    *,
    autojunk: bool = False,
    bounds: Bounds | None = None,
    runs: tuple[Sequence[Run], Sequence[Run]] = ((), ()),
) -> BlockScores:
    """Return the scores of the blocks of a prediction.

    Args:
        reference: In the order of the document.
        prediction: Likewise.
        autojunk: Whether difflib leaves out what is frequent in texts of 200 characters, as released.
        bounds: None takes the default ones.
        runs: Blocks of the reference, and of the prediction, that may be one; none as released.
    """
    if not reference or not prediction:
        return BlockScores(0.0, 0.0, 0.0, 0.0, tuple(reference), tuple(prediction))
    sides = _Side(prediction, runs[1]), _Side(reference, runs[0])
    matching = _Matching(*sides, autojunk, bounds or Bounds())
    matching.merge_runs()
    matching.merge()
    return _scores(matching.rows.blocks, matching.columns.blocks, matching.final())


def _components(values: Matrix) -> list[tuple[list[int], list[int]]]:
    """Return rows and columns that a pair above 0 connects; those without a pair are left out."""
    of_row, of_column = _pairs_of(values), _pairs_of(values.T)
    seen_rows, seen_columns = np.zeros(len(of_row), bool), np.zeros(len(of_column), bool)
    components = []
    for start, near in enumerate(of_row):
        if seen_rows[start] or not len(near):
            continue
        rows, columns, fresh = [start], list[int](), [start]
        seen_rows[start] = True
        while fresh:
            for column in _unseen(of_row[fresh.pop()], seen_columns):
                columns.append(column)
                found = _unseen(of_column[column], seen_rows)
                rows += found
                fresh += found
        components.append((sorted(rows), sorted(columns)))
    return components


def _unseen(near: NDArray[np.intp], seen: NDArray[np.bool_]) -> list[int]:
    """Return which of some indices were not seen, and note them as seen."""
    new = near[~seen[near]]
    seen[new] = True
    indices: list[int] = new.tolist()
    return indices


def _pairs_of(values: Matrix) -> list[NDArray[np.intp]]:
    """Return the columns of each row whose values are above 0."""
    rows, columns = np.nonzero(values)
    return np.split(columns, np.searchsorted(rows, np.arange(1, len(values))))


def _greedy(values: Matrix) -> list[tuple[int, int]]:
    """Return pairs: those that are best for both sides, then for each row the best column that is left."""
    left = values.copy()
    best_column, best_row = left.argmax(axis=1), left.argmax(axis=0)
    pairs = [(row, int(column)) for row, column in enumerate(best_column) if best_row[column] == row]
    for row, column in pairs:
        left[row], left[:, column] = 0, 0
    for row in range(len(left)):
        column = int(left[row].argmax())
        if left[row, column] > 0:
            pairs.append((row, column))
            left[:, column] = 0
    return sorted(pairs)


def _assign(values: Matrix, bounds: Bounds) -> dict[int, int]:
    """Return the columns of the rows that have one, with the greatest sum of values within the bounds."""
    assigned: dict[int, int] = {}
    for rows, columns in sorted(
        _components(values), key=lambda component: min(len(component[0]), len(component[1]))
    ):
        part = values[np.ix_(rows, columns)]
        cost = min(part.shape) ** 2
        if cost <= bounds.assigned:
            bounds.assigned -= cost
            pairs = best_assignment(part.astype(np.float64))
        else:
            pairs = _greedy(part)
        assigned |= {rows[row]: columns[column] for row, column in pairs if part[row, column] > 0}
    return assigned


def _rise(before: Sequence[float], after: Sequence[float]) -> float:
    """Return how much the mean of the values that changed rises; 0 if the least of them does not."""
    old, new = Counter(before), Counter(after)
    ours, theirs = list((new - old).elements()), list((old - new).elements())
    rise = (sum(ours) / len(ours) if ours else 0.0) - (sum(theirs) / len(theirs) if theirs else 0.0)
    return 0.0 if rise > 0 and ours and theirs and min(ours) <= min(theirs) else rise


class _Side:
    """The blocks of one page while they are merged."""

    def __init__(self, blocks: Sequence[Block], runs: Sequence[Run]) -> None:
        self.blocks = list(blocks)
        self.runs = list(runs)

    @property
    def texts(self) -> list[str]:
        """The text of each block."""
        return [block.text for block in self.blocks]

    @property
    def neighbours(self) -> list[Run]:
        """Each two consecutive blocks."""
        return [
            Run(index, index + 2, block.merged(two))
            for index, (block, two) in enumerate(pairwise(self.blocks))
        ]

    def replace(self, taken: Sequence[Run]) -> None:
        """Put each of some runs, which do not overlap, in the place of its blocks."""
        by_start = {one.start: one for one in taken}
        place_of, blocks, index = [0] * len(self.blocks), list[Block](), 0
        while index < len(self.blocks):
            run = by_start.get(index)
            stop = run.stop if run else index + 1
            place_of[index:stop] = [len(blocks)] * (stop - index)
            blocks.append(run.block if run else self.blocks[index])
            index = stop
        self.blocks = blocks
        self.runs = [
            Run(place_of[one.start], place_of[one.stop - 1] + 1, one.block)
            for one in self.runs
            if place_of[one.start] < place_of[one.stop - 1] and not any(one.cuts(other) for other in taken)
        ]


def _apart(rises: Sequence[tuple[float, Run]]) -> list[Run]:
    """Return runs that do not overlap: those with the greatest rise, then the longest, then the first."""
    taken: list[Run] = []
    covered: set[int] = set()
    for _, run in sorted(rises, key=lambda rise: (-rise[0], rise[1].start - rise[1].stop, rise[1].start)):
        blocks = range(run.start, run.stop)
        if covered.isdisjoint(blocks):
            covered.update(blocks)
            taken.append(run)
    return taken


class _Matching:
    """The blocks of both sides while they are merged."""

    def __init__(self, rows: _Side, columns: _Side, autojunk: bool, bounds: Bounds) -> None:
        self.rows, self.columns, self._bounds = rows, columns, bounds
        self._texts: dict[str, TextSimilarities] = {}
        self._autojunk = autojunk
        self._values = self._matrix()

    def _matrix(self) -> Matrix:
        return self._similarities("blocks", self.rows.texts, self.columns.texts)

    def _similarities(self, kind: str, rows: Sequence[str], columns: Sequence[str]) -> Matrix:
        """Return the similarity of each row to each column; those of one kind have most in common."""
        texts = self._texts.setdefault(kind, TextSimilarities(self._autojunk))
        matrix, self._bounds.characters = texts.matrix(rows, columns, self._bounds.characters)
        return matrix

    def merge_runs(self) -> None:
        """Merge the runs of both sides that are alike, then those of either side that a block is alike."""
        self._merge_both()
        changed = True
        while changed:
            changed = self._merge_side(self.rows.runs, of_rows=True)
            changed = self._merge_side(self.columns.runs, of_rows=False) or changed

    def merge(self) -> None:
        """Merge consecutive blocks of either side until nothing changes."""
        changed = True
        while changed:
            changed = self._merge_side(self.rows.neighbours, of_rows=True)
            changed = self._merge_side(self.columns.neighbours, of_rows=False) or changed

    def final(self) -> list[tuple[int, int, float]]:
        """Return row, column and similarity of the pairs of the last assignment."""
        values = self._values
        padded = np.pad(values, 1)
        bonus = np.zeros_like(values)
        all_rows, all_columns = np.nonzero(values > LEAST_SIMILARITY)
        for start in range(0, len(all_rows), _CELLS):
            rows, columns = (one[start : start + _CELLS] for one in (all_rows, all_columns))
            near = np.stack([padded[rows + down, columns + across] for down, across in _AROUND], axis=1)
            bonus[rows, columns] = _NEIGHBOUR_BONUS * np.partition(near, -2, axis=1)[:, -2:].sum(axis=1)
        found = _assign(values + bonus, self._bounds)
        return [(row, column, float(values[row, column])) for row, column in sorted(found.items())]

    def _merge_both(self) -> None:
        """Merge runs of both sides that are more alike than the pairs of their blocks."""
        if not self.rows.runs or not self.columns.runs:
            return
        found = _assign(self._values, self._bounds)
        partner = {column: row for row, column in found.items()}
        alike = self._similarities(
            "runs",
            [run.block.text for run in self.rows.runs],
            [run.block.text for run in self.columns.runs],
        )
        now = {row: float(self._values[row, column]) for row, column in found.items()}
        of_columns = {column: now[row] for column, row in partner.items()}
        lows = [_lows(self.rows.runs, now), _lows(self.columns.runs, of_columns)]
        cells = np.argwhere(alike > np.minimum(lows[0][:, None], lows[1][None, :]))
        order = np.argsort(-alike[cells[:, 0], cells[:, 1]], kind="stable")[:_MOST_RUN_PAIRS]
        rises: dict[tuple[Run, Run], float] = {}
        for row, column in cells[order].tolist():
            ours, theirs = self.rows.runs[row], self.columns.runs[column]
            pairs = {(one, found[one]) for one in range(ours.start, ours.stop) if one in found}
            pairs |= {(partner[one], one) for one in range(theirs.start, theirs.stop) if one in partner}
            rise = _rise([float(self._values[pair]) for pair in sorted(pairs)], [float(alike[row, column])])
            if rise > _LEAST_RISE:
                rises[ours, theirs] = rise
        taken: list[tuple[Run, Run]] = []
        for ours, theirs in sorted(rises, key=lambda one: (-rises[one], one[0].start - one[0].stop)):
            if not any(ours.overlaps(other) or theirs.overlaps(another) for other, another in taken):
                taken.append((ours, theirs))
        if taken:
            self.rows.replace([run for run, _ in taken])
            self.columns.replace([run for _, run in taken])
            self._values = self._matrix()

    def _merge_side(self, candidates: Sequence[Run], *, of_rows: bool) -> bool:
        """Merge what is better merged on one side, best first; return whether anything was."""
        side, others = (self.rows, self.columns) if of_rows else (self.columns, self.rows)
        values = self._values if of_rows else self._values.T
        found = _assign(values, self._bounds)
        now = {row: float(values[row, column]) for row, column in found.items()}
        least = [_least(candidate, now) for candidate in candidates]
        wanted = [(run, value) for run, value in zip(candidates, least, strict=True) if value < 1]
        if not wanted:
            return False
        joined = [run.block.text for run, _ in wanted]
        if of_rows:
            merged = self._similarities("rows", joined, others.texts)
        else:
            merged = self._similarities("columns", others.texts, joined).T
        high = merged.max(axis=1)
        promising = [
            (run, row)
            for (run, value), row, best in zip(wanted, merged, high.tolist(), strict=True)
            if best > value
        ]
        taken = _apart(self._rises(promising, values, now))
        if taken:
            side.replace(taken)
            self._values = self._matrix()
        return bool(taken)

    def _rises(
        self, merges: Sequence[tuple[Run, Matrix]], values: Matrix, now: Mapping[int, float]
    ) -> list[tuple[float, Run]]:
        """Return the rise of each merge that is accepted.

        Args:
            merges: Runs of rows with their similarities as one row.
            values: Similarities of the rows.
            now: Of rows that are assigned, the similarity to the column.
        """
        components = _components(values)
        of_row = {row: number for number, (rows, _) in enumerate(components) for row in rows}
        of_column = {column: number for number, (_, columns) in enumerate(components) for column in columns}
        rises = []
        for run, merged in merges:
            parts = range(run.start, run.stop)
            near = np.flatnonzero(merged).tolist()
            numbers = {of_row[row] for row in parts if row in of_row}
            numbers |= {of_column[column] for column in near if column in of_column}
            rows = {row for number in numbers for row in components[number][0]}.difference(parts)
            columns = {column for number in numbers for column in components[number][1]} | set(near)
            size = min(len(rows) + 1, len(columns)) ** 2
            if 2 * size > self._bounds.assigned:
                continue  # of what is left, half is for the last assignment
            row_list, column_list = sorted(rows), sorted(columns)
            part = np.vstack([values[np.ix_(row_list, column_list)], merged[column_list][None]])
            self._bounds.assigned -= size
            after = [float(part[pair]) for pair in best_assignment(part.astype(np.float64)) if part[pair] > 0]
            before = [now[row] for row in (*rows, *parts) if row in now]
            rise = _rise(before, after)
            if rise > _LEAST_RISE:
                rises.append((rise, run))
        return rises


def _lows(runs: Sequence[Run], now: Mapping[int, float]) -> Matrix:
    """Return the least similarity of the assigned blocks of each run, 0 if none is assigned."""
    of_blocks = ([now[one] for one in range(run.start, run.stop) if one in now] for run in runs)
    return np.array([min(values, default=0.0) for values in of_blocks], np.float32)


def _least(run: Run, now: Mapping[int, float]) -> float:
    """Return the similarity that blocks have to exceed as one, by that of those that are assigned."""
    own = [now[row] for row in range(run.start, run.stop) if row in now]
    return sum(own) / len(own) + _LEAST_RISE if own else 0.0


def _scores(
    rows: Sequence[Block], columns: Sequence[Block], pairs: Sequence[tuple[int, int, float]]
) -> BlockScores:
    if not pairs:
        return BlockScores(0.0, 0.0, 0.0, 0.0, tuple(columns), tuple(rows))
    matched = sum(rows[row].area + columns[column].area for row, column, _ in pairs)
    total = sum(block.area for block in (*rows, *columns))
    places, colors = [], []
    for row, column, _ in pairs:
        places.append(position_similarity(rows[row], columns[column]))
        colors.append(color_similarity(rows[row], columns[column]))
    count = len(pairs)
    return BlockScores(
        match=matched / total if total > 0 else 0.0,
        text=sum(value for _, _, value in pairs) / count,
        position=sum(places) / count,
        color=sum(colors) / count,
        reference=tuple(columns),
        prediction=tuple(rows),
        pairs=tuple(pairs),
    )


def position_similarity(one: Block, other: Block) -> float:
    """Return 1 minus the greater distance of the middles, across or down, as a share of the page."""
    return max(0.0, 1 - max(abs(a - b) for a, b in zip(one.center, other.center, strict=True)))


def color_similarity(one: Block, other: Block) -> float:
    """Return 1 minus CIEDE2000 of the colours / 100."""
    return max(0.0, 1 - color_difference(one.color, other.color) / 100)


def _lab(color: Color) -> tuple[float, float, float]:
    """Return L*, a* and b* of a colour of sRGB, for the white point D65."""
    linear = [
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4
        for one in (part / 255 for part in color)
    ]
    rows = (
        (0.4124564, 0.3575761, 0.1804375),
        (0.2126729, 0.7151522, 0.0721750),
        (0.0193339, 0.1191920, 0.9503041),
    )
    white = (0.95047, 1.0, 1.08883)
    x, y, z = (
        share ** (1 / 3) if share > 216 / 24389 else (24389 / 27 * share + 16) / 116
        for share in (
            sum(one * part for one, part in zip(row, linear, strict=True)) / most
            for row, most in zip(rows, white, strict=True)
        )
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def color_difference(first: Color, second: Color) -> float:
    """Return CIEDE2000 of two colours of sRGB.

    Source: Sharma, Wu, Dalal, "The CIEDE2000 color-difference formula", Color Research and Application 30
    (2005).
    """
    if first == second:
        return 0.0
    (light1, a1, b1), (light2, a2, b2) = _lab(first), _lab(second)
    chroma = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    grey = 0.5 * (1 - math.sqrt(chroma**7 / (chroma**7 + 25**7)))
    a1, a2 = a1 * (1 + grey), a2 * (1 + grey)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = h2 - h1
    if c1 * c2 == 0:
        turn, hue = 0.0, h1 + h2
    elif abs(turn) > 180:
        turn -= math.copysign(360, turn)
        hue = (h1 + h2 + (360 if h1 + h2 < 360 else -360)) / 2
    else:
        hue = (h1 + h2) / 2
    d_light, d_chroma = light2 - light1, c2 - c1
    d_hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn) / 2)
    light, chroma = (light1 + light2) / 2, (c1 + c2) / 2
    t = (
        1
        - 0.17 * math.cos(math.radians(hue - 30))
        + 0.24 * math.cos(math.radians(2 * hue))
        + 0.32 * math.cos(math.radians(3 * hue + 6))
        - 0.20 * math.cos(math.radians(4 * hue - 63))
    )
    s_light = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    s_chroma, s_hue = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    angle = 60 * math.exp(-(((hue - 275) / 25) ** 2))
    turning = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7)) * math.sin(math.radians(angle))
    terms = d_light / s_light, d_chroma / s_chroma, d_hue / s_hue
    return math.sqrt(sum(term**2 for term in terms) + turning * terms[1] * terms[2])
