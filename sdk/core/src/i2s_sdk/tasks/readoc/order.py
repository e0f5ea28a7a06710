"""Whether two documents have their contents in the same order."""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: The greatest distance, divided by the longer length, of blocks that match.
MATCH_DISTANCE = 0.5
#: The order counts only if more than this share of the shorter sequence was found in the other.
FOUND_SHARE = 0.1


def inversions(indices: Sequence[int]) -> int:
    """Return the number of pairs of which the earlier is greater, in time n log² n."""
    if len(indices) < 2:
        return 0
    values = np.argsort(np.argsort(np.asarray(indices, dtype=np.int64), kind="stable"), kind="stable")
    total = 0
    # Pairs differ first in one bit, counted from the highest: they have the same higher bits.
    for bit in range(int(len(indices) - 1).bit_length()):
        group = values >> (bit + 1)
        order = np.argsort(group, kind="stable")
        ones = (values[order] >> bit) & 1
        before = np.cumsum(ones)
        starts = np.searchsorted(group[order], group[order])
        at_start = before[starts] - ones[starts]
        total += int((before - at_start)[ones == 0].sum())
    return total


def kendall_distance_score(indices: Sequence[int], length: int, other_length: int) -> float:
    """Return 1 − D / (n(n − 1)), where D is the number of ordered pairs that stand in another order.

    Args:
        indices: Where the n things of one sequence stand in the other.
        length: Length of the one sequence.
        other_length: Length of the other sequence.

    Returns:
        A value in [0, 1]; 0 if n is below 2 or not above a tenth of the shorter length.
    """
    count = len(indices)
    if count < 2 or count <= FOUND_SHARE * min(length, other_length):
        return 0.0
    return 1.0 - 2 * inversions(indices) / (count * (count - 1))


def token_order_score(predicted: str, gold: str) -> float:
    """Return the score of the order in which common white-space tokens appear first."""
    predicted_tokens, gold_tokens = predicted.split(), gold.split()
    places: dict[str, int] = {}
    for place, token in enumerate(predicted_tokens):
        places.setdefault(token, place)
    common = [places[token] for token in dict.fromkeys(gold_tokens) if token in places]
    return kendall_distance_score(common, len(predicted_tokens), len(gold_tokens))


@dataclass(frozen=True, slots=True)
class BlockMatch:
    """A gold block and the predicted block that was found for it."""

    #: Its index.
    gold: int
    #: Index of the predicted block.
    predicted: int
    #: Levenshtein distance divided by the longer length.
    distance: float


def match_blocks(predicted: Sequence[str], gold: Sequence[str]) -> list[BlockMatch]:
    """Return for each gold block in order the unused predicted block that is nearest to it.

    The first one of the nearest is taken; blocks farther than MATCH_DISTANCE are none. No block is empty.
    """
    pool = _Pool(predicted)
    matches: list[BlockMatch] = []
    for number, block in enumerate(gold):
        nearest = pool.take_nearest(block)
        if nearest is not None:
            matches.append(BlockMatch(number, *nearest))
    return matches


class _Pool:
    """Unused blocks, equal ones together, by length.

    Lengths of blocks that match differ at most by the factor 1 / (1 − MATCH_DISTANCE).
    """

    #: Bounds of distance that are tried one after the other: near blocks are found with little work.
    _CUTOFFS = (0.05, 0.2, MATCH_DISTANCE)

    def __init__(self, blocks: Sequence[str]) -> None:
        unused: dict[str, list[int]] = defaultdict(list)
        for number in range(len(blocks) - 1, -1, -1):
            unused[blocks[number]].append(number)
        self._texts = sorted(unused, key=len)
        self._lengths = [len(text) for text in self._texts]
        self._unused = [unused[text] for text in self._texts]
        self._position = {text: i for i, text in enumerate(self._texts)}
        #: Index of the first unused block of each text; past the end if there is none.
        self._first: NDArray[np.int64] = np.array([one[-1] for one in self._unused], dtype=np.int64)
        self._none = len(blocks)

    def take_nearest(self, block: str) -> tuple[int, float] | None:
        """Return index and distance of the nearest unused block, and use it; None if it is too far."""
        same = self._position.get(block)
        if same is not None and self._first[same] < self._none:
            return self._take(same), 0.0
        for cutoff in self._CUTOFFS:
            nearest = self._nearest_within(block, cutoff)
            if nearest is not None:
                return self._take(nearest[0]), nearest[1]
        return None

    def _take(self, position: int) -> int:
        unused = self._unused[position]
        taken = unused.pop()
        self._first[position] = unused[-1] if unused else self._none
        return taken

    def _nearest_within(self, block: str, cutoff: float) -> tuple[int, float] | None:
        """Return position and distance of the nearest text that is at most ``cutoff`` away."""
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein

        # A margin of one keeps rounding from leaving out a length at the bound.
        low = bisect.bisect_left(self._lengths, int(len(block) * (1 - cutoff)) - 1)
        high = bisect.bisect_right(self._lengths, int(len(block) / (1 - cutoff)) + 1)
        first = self._first[low:high]
        free = np.flatnonzero(first < self._none)
        if not len(free):
            return None
        distances = process.cdist(
            [block],
            [self._texts[low + i] for i in free],
            scorer=Levenshtein.normalized_distance,
            score_cutoff=cutoff,
            dtype=np.float64,
        )[0]
        least = distances.min()
        if least > cutoff:
            return None
        nearest = free[distances == least]
        return low + int(nearest[np.argmin(first[nearest])]), float(least)
