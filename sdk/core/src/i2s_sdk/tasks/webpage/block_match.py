"""Blocks of text of two web pages, matched and compared as Design2Code does.

Source: Design2Code (arXiv 2403.03163) and its released code, NoviScl/Design2Code 7a575e4,
``visual_score.py``: the similarity of texts, the trial merges of consecutive blocks, the bonus of neighbours
and the four scores. Blocks are those of the browser. Pairs that are less alike than ``LEAST_SIMILARITY``
never take part in an assignment, so it falls into small ones; ``Bounds`` has the bounds on the work.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from i2s_sdk.scoring.assignment import best_assignment

Matrix = NDArray[np.float32]
Color = tuple[float, float, float]

#: Pairs that are less alike are not matched.
LEAST_SIMILARITY = 0.5
_LEAST_RISE = 0.05  # of the mean similarity, for a merge
_NEIGHBOUR_BONUS = 0.1
_OVERHEAD = 500  # of comparing two texts, in products of characters


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
) -> BlockScores:
    """Return the scores of the blocks of a prediction.

    Args:
        reference: In the order of the document.
        prediction: Likewise.
        autojunk: Whether difflib leaves out what is frequent in texts of 200 characters, as released.
        bounds: None takes the default ones.
    """
    if not reference or not prediction:
        return BlockScores(0.0, 0.0, 0.0, 0.0, tuple(reference), tuple(prediction))
    matching = _Matching(list(prediction), list(reference), _Texts(autojunk), bounds or Bounds())
    matching.merge()
    return _scores(matching.rows, matching.columns, matching.final())


class _Texts:
    """Similarities of texts, each computed once."""

    def __init__(self, autojunk: bool) -> None:
        self._autojunk = autojunk
        self._known: dict[tuple[str, str], float] = {}

    def matrix(self, rows: Sequence[str], columns: Sequence[str], bounds: Bounds) -> Matrix:
        """Return the similarity of each row to each column, 0 if it is below LEAST_SIMILARITY."""
        row_texts, column_texts = list(dict.fromkeys(rows)), list(dict.fromkeys(columns))
        values: Matrix = cdist(
            row_texts,
            column_texts,
            scorer=Indel.normalized_similarity,
            score_cutoff=LEAST_SIMILARITY,
            dtype=np.float32,
        )
        self._refine(values, row_texts, column_texts, bounds)
        row_of = {text: index for index, text in enumerate(row_texts)}
        column_of = {text: index for index, text in enumerate(column_texts)}
        return values[np.ix_([row_of[one] for one in rows], [column_of[one] for one in columns])]

    def _refine(self, values: Matrix, rows: list[str], columns: list[str], bounds: Bounds) -> None:
        """Put the similarity of difflib, which is never greater, in place of the bound."""
        cells = np.argwhere(((values > 0) & (values < 1)).T)
        lengths = np.array([len(text) for text in rows]), np.array([len(text) for text in columns])
        costs = lengths[0][cells[:, 1]] * lengths[1][cells[:, 0]] + _OVERHEAD
        affordable = int(np.searchsorted(np.cumsum(costs), bounds.characters, side="right"))
        bounds.characters -= int(costs[:affordable].sum())
        matcher, second = SequenceMatcher(None, autojunk=self._autojunk), -1
        for column, row in cells[:affordable].tolist():
            pair = rows[row], columns[column]
            value = self._known.get(pair)
            if value is None:
                if second != column:
                    matcher.set_seq2(pair[1])
                    second = column
                matcher.set_seq1(pair[0])
                value = self._known[pair] = matcher.ratio()
            values[row, column] = value if value >= LEAST_SIMILARITY else 0.0


def _components(values: Matrix) -> list[tuple[list[int], list[int]]]:
    """Return rows and columns that a pair above 0 connects; those without a pair are left out."""
    of_row = [np.flatnonzero(row) for row in values]
    of_column = [np.flatnonzero(column) for column in values.T]
    seen_rows, seen_columns = [False] * len(of_row), [False] * len(of_column)
    components = []
    for start in range(len(of_row)):
        if seen_rows[start] or not len(of_row[start]):
            continue
        rows, columns, fresh = [start], [], [start]
        seen_rows[start] = True
        while fresh:
            for column in of_row[fresh.pop()].tolist():
                if seen_columns[column]:
                    continue
                seen_columns[column] = True
                columns.append(column)
                for row in of_column[column].tolist():
                    if not seen_rows[row]:
                        seen_rows[row] = True
                        rows.append(row)
                        fresh.append(row)
        components.append((sorted(rows), sorted(columns)))
    return components


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
    for rows, columns in sorted(_components(values), key=lambda one: min(len(one[0]), len(one[1]))):
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


class _Matching:
    """The blocks of both sides while they are merged."""

    def __init__(self, rows: list[Block], columns: list[Block], texts: _Texts, bounds: Bounds) -> None:
        self.rows, self.columns, self._texts, self._bounds = rows, columns, texts, bounds
        self._values = self._matrix()

    def _matrix(self) -> Matrix:
        return self._texts.matrix(
            [one.text for one in self.rows], [one.text for one in self.columns], self._bounds
        )

    def merge(self) -> None:
        """Merge consecutive blocks of either side until nothing changes."""
        changed = True
        while changed:
            changed = self._merge_side(of_rows=True)
            changed = self._merge_side(of_rows=False) or changed

    def final(self) -> list[tuple[int, int, float]]:
        """Return row, column and similarity of the pairs of the last assignment."""
        values = self._values
        padded = np.pad(values, 1)
        first, second = np.zeros_like(values), np.zeros_like(values)
        for down in range(3):
            for across in range(3):
                if (down, across) != (1, 1):
                    near = padded[down : down + values.shape[0], across : across + values.shape[1]]
                    second = np.maximum(second, np.minimum(first, near))
                    first = np.maximum(first, near)
        near = np.where(values > LEAST_SIMILARITY, _NEIGHBOUR_BONUS * (first + second), 0)
        found = _assign((values + near).astype(np.float32), self._bounds)
        return [(row, column, float(values[row, column])) for row, column in sorted(found.items())]

    def _merge_side(self, *, of_rows: bool) -> bool:
        """Merge what is better merged on one side, best first; return whether anything was."""
        blocks = self.rows if of_rows else self.columns
        if len(blocks) < 2:
            return False
        others = [one.text for one in (self.columns if of_rows else self.rows)]
        joined = [f"{one.text} {two.text}" for one, two in pairwise(blocks)]
        if of_rows:
            values, merged = self._values, self._texts.matrix(joined, others, self._bounds)
        else:
            values, merged = self._values.T, self._texts.matrix(others, joined, self._bounds).T
        rises = self._rises(values, merged)
        taken: set[int] = set()
        for _, index in sorted(rises, key=lambda one: (-one[0], one[1])):
            if not {index - 1, index, index + 1} & taken:
                taken.add(index)
        if not taken:
            return False
        kept: list[Block] = []
        skip = False
        for index, block in enumerate(blocks):
            if not skip:
                kept.append(block.merged(blocks[index + 1]) if index in taken else block)
            skip = index in taken
        blocks[:] = kept
        self._values = self._matrix()
        return True

    def _rises(self, values: Matrix, merged: Matrix) -> list[tuple[float, int]]:
        """Return rise and index of each pair of consecutive rows whose merge is accepted."""
        components = _components(values)
        of_row = {row: number for number, (rows, _) in enumerate(components) for row in rows}
        of_column = {column: number for number, (_, columns) in enumerate(components) for column in columns}
        found = _assign(values, self._bounds)
        now = {row: float(values[row, column]) for row, column in found.items()}
        rises = []
        for index in np.flatnonzero(merged.max(axis=1) > 0).tolist():
            own = [now[row] for row in (index, index + 1) if row in now]
            if own and float(merged[index].max()) <= sum(own) / len(own) + _LEAST_RISE:
                continue
            near = np.flatnonzero(merged[index]).tolist()
            numbers = {of_row[row] for row in (index, index + 1) if row in of_row}
            numbers |= {of_column[column] for column in near if column in of_column}
            rows = {row for number in numbers for row in components[number][0]} - {index, index + 1}
            columns = {column for number in numbers for column in components[number][1]} | set(near)
            size = min(len(rows) + 1, len(columns)) ** 2
            if 2 * size > self._bounds.assigned:
                continue  # of what is left, half is for the last assignment
            row_list, column_list = sorted(rows), sorted(columns)
            part = np.vstack([values[np.ix_(row_list, column_list)], merged[index, column_list][None]])
            self._bounds.assigned -= size
            after = [float(part[pair]) for pair in best_assignment(part.astype(np.float64)) if part[pair] > 0]
            before = [now[row] for row in (*rows, index, index + 1) if row in now]
            rise = _rise(before, after)
            if rise > _LEAST_RISE:
                rises.append((rise, index))
        return rises


def _scores(
    rows: Sequence[Block], columns: Sequence[Block], pairs: Sequence[tuple[int, int, float]]
) -> BlockScores:
    if not pairs:
        return BlockScores(0.0, 0.0, 0.0, 0.0, tuple(columns), tuple(rows))
    matched = sum(rows[row].area + columns[column].area for row, column, _ in pairs)
    total = sum(one.area for one in (*rows, *columns))
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
    return math.sqrt(sum(one**2 for one in terms) + turning * terms[1] * terms[2])
