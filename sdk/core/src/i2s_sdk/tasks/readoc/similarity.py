"""How similar two texts are, by characters and by words, and how similar tables are, as trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from i2s_sdk.scoring.assignment import best_assignment
from i2s_sdk.tasks.readoc.trees import TextTree, tree_distances

#: The share of the longer text by which it is expected to differ. It decides how much work is tried first,
#: and changes no value.
_EXPECTED_DISTANCE = 0.02


def edit_similarity(predicted: str, gold: str) -> float:
    """Return 1 − Levenshtein distance / length of the longer text, by code points; 1 if both are empty."""
    longer = max(len(predicted), len(gold))
    if not longer:
        return 1.0
    hint = int(longer * _EXPECTED_DISTANCE)
    return 1.0 - Levenshtein.distance(predicted, gold, score_hint=hint) / longer


def vocabulary_score(predicted: str, gold: str) -> float:
    """Return F1 of the sets of white-space tokens; 0 if they have none in common."""
    words, gold_words = set(predicted.split()), set(gold.split())
    common = len(words & gold_words)
    return 2 * common / (len(words) + len(gold_words)) if common else 0.0


_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class TableScore:
    """The score of all tables, and how it came about."""

    #: Sum of the similarities of matched tables, divided by the larger number of tables.
    value: float
    #: Index of a gold table, index of the predicted table, and their similarity.
    matches: tuple[tuple[int, int, float], ...]


def tree_similarity(distance: float, size: int, other_size: int, extra: int = 0) -> float:
    """Return 1 − distance / size of the larger tree (TEDS); 1 if both sizes are 0.

    Args:
        distance: Edit distance of the trees.
        size: Size of the one tree.
        other_size: Size of the other tree.
        extra: Nodes to be added to both sizes, such as roots that are not counted.
    """
    larger = max(size, other_size) + extra
    if larger and abs(distance - larger) < _ROUNDING * larger:
        return 0.0  # not a negative number that comes from adding up fractions
    return 1.0 - distance / larger if larger else 1.0


def score_tables(
    predicted: Sequence[TextTree | None], gold: Sequence[TextTree | None], extra: int
) -> TableScore:
    """Match tables so that the sum of similarities is greatest.

    Args:
        predicted: Predicted tables, at least one; None for what is no table, which is similar to nothing.
        gold: Gold tables, likewise.
        extra: Nodes to be added to the sizes of trees.
    """
    values = np.zeros((len(gold), len(predicted)))
    _fill(values, gold, predicted, extra)
    pairs = best_assignment(values)
    total = sum(float(values[pair]) for pair in pairs)
    matches = tuple((row, column, float(values[row, column])) for row, column in pairs)
    return TableScore(total / max(len(gold), len(predicted)), matches)


def _fill(
    values: NDArray[np.float64],
    gold: Sequence[TextTree | None],
    predicted: Sequence[TextTree | None],
    extra: int,
) -> None:
    rows = [(i, tree) for i, tree in enumerate(gold) if tree is not None]
    columns = [(i, tree) for i, tree in enumerate(predicted) if tree is not None]
    if _nodes(rows) > _nodes(columns):
        rows, columns, values = columns, rows, values.T
    others = [tree for _, tree in columns]
    for row, tree in rows:
        distances = tree_distances(tree, others)
        for (column, other), distance in zip(columns, distances, strict=True):
            values[row, column] = tree_similarity(distance, tree.size, other.size, extra)


def _nodes(trees: Sequence[tuple[int, TextTree]]) -> int:
    return sum(len(tree.kinds) for _, tree in trees)
