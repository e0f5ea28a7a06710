"""The matching of predicted blocks to those of the annotation, by normalised edit distance.

The method is the one that OmniDocBench calls ``quick_match``: a true block that no predicted one resembles is
compared with several predicted ones in a row, the best assignment follows, and true blocks that are left are
searched for inside predicted ones. Source: README of OmniDocBench, and its released code for the thresholds
and the order of steps.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from i2s_sdk.scoring.assignment import best_assignment

#: Below this distance two blocks are the same, and are not joined with others.
SAME = 0.25
#: Above this distance blocks that the assignment pairs are not a match at first.
APART = 0.7
#: Below this distance a part of a predicted block is a true block.
PART = 0.4
#: The same of a predicted block that is a part of a true one.
PIECE = 0.6

#: What may be spent on looking for runs of a page, and on looking for parts, in steps of Levenshtein's
#: algorithm on 64 characters; and what each comparison takes besides.
_MOST_WORK, _CALL = 300_000_000, 700
_NEAR = 0.15  # distance of a run from which on it is worth while to leave out worse ones by bounds
_ROUNDING = 1e-6

_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BlockMatch:
    """Blocks that belong together."""

    #: Indices of true blocks, ascending; empty if the predicted ones match nothing.
    gold: tuple[int, ...]
    #: Indices of predicted blocks; empty if the true ones are missing.
    predicted: tuple[int, ...]


def distance(first: str, second: str) -> float:
    """Return the Levenshtein distance divided by the length of the longer text; 0 if both are empty."""
    return float(Levenshtein.normalized_distance(first, second))


def distances(gold: Sequence[str], predicted: Sequence[str]) -> _Array:
    """Return the distances of all pairs, of shape (gold, predicted)."""
    if not gold or not predicted:
        return np.zeros((len(gold), len(predicted)))
    return cdist(gold, predicted, scorer=Levenshtein.normalized_distance, dtype=np.float64)


def match_blocks(
    gold: Sequence[str], predicted: Sequence[str], ignored: Sequence[bool], *, forced: bool = False
) -> list[BlockMatch]:
    """Return which blocks belong together; each true block is in one match.

    Args:
        gold: True blocks as they are compared; none is empty.
        predicted: Predicted ones in the order of the page; none is empty.
        ignored: Whether a true block is one that the prediction may have or not. A predicted block that is
            the same as such a one is not matched with anything else.
        forced: Whether blocks that are left on both sides, and a single one on each, belong together however
            much they differ.
    """
    if not gold:
        return [BlockMatch((), (one,)) for one in range(len(predicted))]
    if not predicted:
        return [BlockMatch((one,), ()) for one in range(len(gold))]
    costs = distances(gold, predicted)
    if len(gold) == len(predicted) == 1 and (forced or costs[0, 0] <= APART):
        return [BlockMatch((0,), (0,))]
    aside = [one for one, is_ignored in enumerate(ignored) if is_ignored]
    taken = _same_as_ignored(costs, aside)
    wanted = [one for one in range(len(gold)) if not ignored[one]]
    free = [one for one in range(len(predicted)) if one not in taken.values()]
    texts = [gold[one] for one in wanted], [predicted[one] for one in free]
    part = _Part(*texts, costs[np.ix_(wanted, free)], forced)
    matches = [
        BlockMatch(tuple(wanted[one] for one in match.gold), tuple(free[one] for one in match.predicted))
        for match in part.matches()
    ]
    return matches + [BlockMatch((one,), (taken[one],) if one in taken else ()) for one in aside]


def _same_as_ignored(costs: _Array, aside: Sequence[int]) -> dict[int, int]:
    """Return the predicted block of each ignored one that has one, each used once."""
    taken: dict[int, int] = {}
    pairs = [(costs[one, column], one, column) for one in aside for column in range(costs.shape[1])]
    for _, one, column in sorted(pair for pair in pairs if pair[0] < SAME):
        if one not in taken and column not in taken.values():
            taken[one] = column
    return taken


class _Part:
    """The blocks that are neither ignored nor the same as an ignored one."""

    def __init__(self, gold: Sequence[str], predicted: Sequence[str], costs: _Array, forced: bool) -> None:
        self.gold, self.predicted, self.costs, self.forced = gold, predicted, costs, forced

    def matches(self) -> list[BlockMatch]:
        """Return the matches, and what is left on either side."""
        if not self.gold or not self.predicted:
            return match_blocks(self.gold, self.predicted, [False] * len(self.gold))
        found = self._assigned()
        found = self._with_parts(found)
        used_gold = {gold for golds in found.values() for gold in golds}
        used = {one for run in found for one in run}
        left_gold = [one for one in range(len(self.gold)) if one not in used_gold]
        left = [one for one in range(len(self.predicted)) if one not in used]
        if left_gold and left:
            costs = self.costs[np.ix_(left_gold, left)]
            pairs = [one for one in best_assignment(-costs) if self.forced or costs[one] <= APART]
            found |= {(left[column],): [left_gold[row]] for row, column in pairs}
            left_gold = [one for at, one in enumerate(left_gold) if at not in {row for row, _ in pairs}]
            left = [one for at, one in enumerate(left) if at not in {column for _, column in pairs}]
        matches = [BlockMatch(tuple(sorted(golds)), run) for run, golds in found.items() if golds]
        return [
            *matches,
            *(BlockMatch((one,), ()) for one in left_gold),
            *(BlockMatch((), (one,)) for one in left),
        ]

    def _assigned(self) -> dict[tuple[int, ...], list[int]]:
        """Return the true blocks of each predicted one, or run of such, that the best assignment gives it."""
        runs = _Runs(self.gold, self.predicted, self.costs).chosen()
        columns = _columns(len(self.predicted), runs)
        costs = self.costs
        if runs:
            texts = [" ".join(self.predicted[one] for one in run) for run in columns]
            costs = distances(self.gold, texts)
        return {
            columns[column]: [row] for row, column in best_assignment(-costs) if costs[row, column] <= APART
        }

    def _with_parts(self, found: dict[tuple[int, ...], list[int]]) -> dict[tuple[int, ...], list[int]]:
        """Return the matches with true blocks that are a part of a predicted one."""
        used = {gold for golds in found.values() for gold in golds}
        missing = [one for one in range(len(self.gold)) if one not in used]
        budget = _Budget(len(self.predicted))
        for column, text in enumerate(self.predicted):
            budget.next()
            inside = [one for one in missing if _has_part(text, self.gold[one], PART, budget=budget)]
            if inside:
                found.setdefault((column,), []).extend(inside)
                missing = [one for one in missing if one not in inside]
        return found


def _columns(number: int, runs: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the predicted blocks in their order, those of a run as one."""
    starts = {run[0]: run for run in runs}
    within = {one for run in runs for one in run}
    return [starts.get(one, (one,)) for one in range(number) if one in starts or one not in within]


class _Budget:
    """What may still be spent on comparisons, dealt out evenly; what one does not spend is left for the next.

    Args:
        users: How many share it.
    """

    def __init__(self, users: int) -> None:
        self._kept, self._users = float(_MOST_WORK), max(1, users)
        self.left = 0.0

    def next(self) -> None:
        """Deal out what the next user may spend."""
        self._kept += self.left
        self.left = self._kept / self._users
        self._kept -= self.left
        self._users = max(1, self._users - 1)

    def spend(self, one: str, other: str) -> bool:
        """Return whether two texts may still be compared."""
        self.left -= _CALL + len(one) * (len(other) // 64 + 1)
        return self.left >= 0


def _has_part(
    text: str, part: str, below: float, *, or_equal: bool = False, budget: _Budget | None = None
) -> bool:
    """Return whether some stretch of a text, as long as a part, is nearer to it than a share of its length.

    The distance of a stretch changes by at most 2 from one place to the next, so places that are too near to
    a distant one are left out. If the budget is spent, only the part itself is found.
    """
    length = len(part)
    if not length or len(text) < length:
        return False
    most = math.floor(below * length) if or_equal else math.ceil(below * length) - 1
    if part in text:
        return most >= 0
    place = 0
    while place <= len(text) - length:
        if budget is not None and not budget.spend(part, part):
            return False
        far = Levenshtein.distance(text[place : place + length], part)
        if far <= most:
            return True
        place += (far - most + 1) // 2
    return False


class _Runs:
    """Runs of predicted blocks that are one true block together.

    Only blocks are looked at that resemble none of the other side. Runs are tried from the blocks first that
    are most like the beginning of the true one, until the budget is spent.
    """

    def __init__(self, gold: Sequence[str], predicted: Sequence[str], costs: _Array) -> None:
        same = costs < SAME
        self._gold, self._predicted = gold, predicted
        self._rows = [int(one) for one in np.flatnonzero(~same.any(axis=1))]
        free = ~same.any(axis=0)
        self._starts = [int(one) for one in np.flatnonzero(free)]
        self._free = frozenset(self._starts)
        self._piece = cache(self._is_piece)
        self._costs = costs
        self._budget = _Budget(len(self._rows))
        self._whole = " ".join(predicted)
        self._places = [0, *accumulate(len(one) + 1 for one in predicted)]
        self._stops = list(range(1, len(predicted) + 1))  # where the longest run from a block ends
        for at in reversed(self._starts):
            if at + 1 in self._free:
                self._stops[at] = self._stops[at + 1]

    def chosen(self) -> list[tuple[int, ...]]:
        """Return runs without common blocks: of those that overlap, the ones with the least mean distance."""
        if not self._starts:
            return []
        best = [self._best(row) for row in self._rows]
        return _without_overlaps(sorted(best, key=lambda one: one[0][0]))

    def _best(self, row: int) -> tuple[tuple[int, ...], float]:
        """Return the run that is nearest to a true block, and its distance."""
        self._budget.next()
        text = self._gold[row]
        order = sorted(self._starts, key=lambda start: self._from_beginning(text, start))
        best = self._run(row, order[0])
        left = order[1:]
        if best[1] <= _NEAR:
            left = self._that_could_be_nearer(text, left, best[1])
        runs = [self._run(row, start) for start in left]
        return min([best, *runs], key=lambda one: (one[1], one[0][0]))

    def _from_beginning(self, text: str, start: int) -> float:
        block = self._predicted[start]
        return distance(text[: len(block)], block)

    def _that_could_be_nearer(self, text: str, starts: Sequence[int], cost: float) -> list[int]:
        """Return the blocks from which a run can be as near as a cost.

        A run that ends before the longest one lacks characters of it and of the text. So its distance is at
        least half of the longest one's, less the characters by which that is longer than the text.
        """
        length = len(text)
        longest = [self._longest(start, length) for start in starts]
        most = [2 * cost * max(length, len(one)) + max(0, len(one) - length) + _ROUNDING for one in longest]
        if not longest:
            return []
        cutoff = math.floor(max(most))
        far = cdist([text], longest, scorer=Levenshtein.distance, score_cutoff=cutoff, dtype=np.int64)[0]
        return [start for start, one, bound in zip(starts, far, most, strict=True) if one <= bound]

    def _longest(self, start: int, length: int) -> str:
        """Return the longest run from a block on: no block follows one that passes the length of the text."""
        first = self._places[start]
        end = bisect_right(self._places, first + length + 1, lo=start + 2)
        return self._whole[first : self._places[min(end, self._stops[start])] - 1]

    def _run(self, row: int, start: int) -> tuple[tuple[int, ...], float]:
        """Return the longest run from a block on that comes nearer to a true block with each step."""
        text = self._gold[row]
        joined, cost, end = self._predicted[start], float(self._costs[row, start]), start + 1
        while end in self._free:
            longer = f"{joined} {self._predicted[end]}"
            if not self._budget.spend(longer, text):
                break
            further = distance(text, longer)
            if further > cost or not (end > start + 1 or self._piece(row, start, or_equal=True)):
                break
            if not self._piece(row, end):
                break
            joined, cost, end = longer, further, end + 1
            if len(joined) > len(text):
                break
        return tuple(range(start, end)), cost

    def _is_piece(self, row: int, column: int, or_equal: bool = False) -> bool:
        part = self._predicted[column]
        return _has_part(self._gold[row], part, PIECE, or_equal=or_equal, budget=self._budget)


_CostedRun = tuple[tuple[int, ...], float]


def _without_overlaps(runs: Sequence[_CostedRun]) -> list[tuple[int, ...]]:
    """Return runs without common blocks out of some in the order of their first block."""
    groups: list[list[_CostedRun]] = []
    for run in runs:
        if groups and any(set(run[0]) & set(other[0]) for other in groups[-1]):
            groups[-1].append(run)
        else:
            groups.append([run])
    return [run for group in groups for run in _best_path(group)]


def _best_path(group: Sequence[_CostedRun]) -> list[tuple[int, ...]]:
    """Return the runs of one group that can stand together and have the least mean distance.

    Each run joins every path that it does not overlap, takes the place of the same run in a path if it is
    nearer, and begins a path of its own if it joins none.
    """
    paths: list[dict[tuple[int, ...], float]] = []
    for run, cost in group:
        joined = False
        for path in paths:
            if run in path:
                path[run] = min(path[run], cost)
                joined = True
            elif not any(set(run) & set(other) for other in path):
                path[run] = cost
                joined = True
        if not joined:
            paths.append({run: cost})
    best = min(paths, key=lambda path: sum(path.values()) / len(path))
    return sorted(best)
