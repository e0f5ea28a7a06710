"""Matches of elements of two figures, and the F1 of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from i2s_sdk.scoring.assignment import best_assignment

#: The most elements of one side that are matched with others that differ; further ones have no match.
MOST_MATCHED = 150

E_ = TypeVar("E_", bound=Hashable)


def f1(found: float, total: int) -> float:
    """Return twice the sum of matches by the number of elements of both figures; 1 if there are none."""
    return min(1.0, 2 * found / total) if total else 1.0


def counted(first: Iterable[Hashable], second: Iterable[Hashable]) -> float:
    """Return the F1 of equal elements, each matched once at most."""
    one, other = Counter(first), Counter(second)
    return f1((one & other).total(), one.total() + other.total())


def matched(first: Sequence[E_], second: Sequence[E_], similarity: Callable[[E_, E_], float]) -> float:
    """Return the sum of similarities of pairs, in which each element is at most once.

    Equal elements are pairs, however many there are. Of the others the pairs with the greatest sum are made.
    """
    ones, others = Counter(first), Counter(second)
    equal = (ones & others).total()
    rest = list((ones - others).elements())[:MOST_MATCHED]
    other_rest = list((others - ones).elements())[:MOST_MATCHED]
    if not rest or not other_rest:
        return float(equal)
    values = np.array([[similarity(one, other) for other in other_rest] for one in rest], dtype=np.float64)
    return equal + float(sum(values[row, column] for row, column in best_assignment(values)))
