"""Assignments and orders against plain definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import readoc_definition
from i2s_sdk.scoring.assignment import best_assignment
from i2s_sdk.tasks.readoc.order import inversions, match_blocks


@given(st.integers(1, 7), st.integers(1, 7), st.randoms(use_true_random=False))
def test_assignments_have_the_sum_of_the_best(rows: int, columns: int, random: st.DataObject) -> None:
    values = np.array([[random.choice([-0.5, 0.0, 0.25, 0.5, random.random()]) for _ in range(columns)] for _ in range(rows)])  # type: ignore[attr-defined] # fmt: skip # noqa: E501
    pairs = best_assignment(values)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == min(rows, columns)
    best = linear_sum_assignment(values, maximize=True)
    assert sum(values[pair] for pair in pairs) == pytest.approx(values[best].sum())


@given(st.lists(st.integers(0, 50), unique=True))
def test_inversions_are_pairs_in_another_order(indices: list[int]) -> None:
    assert inversions(indices) == readoc_definition.inversions(indices)


_BLOCKS = st.lists(st.text("ab", min_size=1, max_size=6), max_size=10)


@given(_BLOCKS, _BLOCKS)
def test_blocks_match_as_a_search_of_all_does(predicted: list[str], gold: list[str]) -> None:
    found = [
        (match_block.gold, match_block.predicted, match_block.distance)
        for match_block in match_blocks(predicted, gold)
    ]
    assert found == readoc_definition.matched_blocks(predicted, gold)
