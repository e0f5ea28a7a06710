"""The paired permutation test, and how many instances a difference needs."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.stats.permutation import RESAMPLES, instances_needed, paired_p_value


def every_sign(differences: list[float]) -> float:
    """Return the p-value by its definition, over all choices of signs."""
    values = [one for one in differences if one]
    observed = abs(sum(values))
    sums = [
        abs(sum(map(lambda s, v: s * v, signs, values)))
        for signs in itertools.product((1, -1), repeat=len(values))
    ]
    return sum(one >= observed - 1e-12 for one in sums) / len(sums)


@given(st.lists(st.integers(-20, 20).map(lambda one: one / 16), min_size=1, max_size=10).filter(any))
def test_few_differences_are_tested_with_all_signs(differences: list[float]) -> None:
    assert paired_p_value(differences) == pytest.approx(every_sign(differences))


def test_six_wins_of_six_are_the_sign_test() -> None:
    assert paired_p_value([1.0] * 6) == pytest.approx(2 / 2**6)


@given(st.lists(st.floats(-4, 4), min_size=1, max_size=60).filter(any), st.integers())
def test_order_and_samples_without_difference_change_nothing(values: list[float], seed: int) -> None:
    shuffled = [*values, 0.0, 0.0]
    random.Random(seed).shuffle(shuffled)
    assert paired_p_value(values) == paired_p_value(shuffled)


def test_many_differences_are_near_the_normal_approximation() -> None:
    chance = random.Random(7)
    values = [chance.gauss(0.0, 1.0) for _ in range(400)]
    mean = sum(values) / len(values)
    # Moved so that the mean is 1.96 standard errors from 0.
    spread = (sum(one**2 for one in values) / len(values)) ** 0.5
    moved = [one - mean + 1.96 * spread / len(values) ** 0.5 for one in values]
    assert paired_p_value(moved) == pytest.approx(0.05, abs=0.01)


def test_a_difference_that_no_drawn_choice_reaches_is_not_impossible() -> None:
    assert paired_p_value([1.0] * 100) == pytest.approx(1 / (RESAMPLES + 1))


def test_runs_that_are_equal_everywhere_have_no_p_value() -> None:
    assert paired_p_value([]) is None
    assert paired_p_value([0.0, 0.0]) is None


def test_the_number_of_instances_is_that_of_the_textbook() -> None:
    values = [-1.0, 1.0] * 500  # a standard deviation of 1
    assert instances_needed(values, 0.5) == pytest.approx(32, abs=1)  # (1.96 + 0.8416)² / 0.25 = 31.4
    assert instances_needed(values, 0.25) == pytest.approx(126, abs=1)
    assert instances_needed(values, -0.25) == instances_needed(values, 0.25)


def test_without_spread_or_difference_there_is_no_number() -> None:
    assert instances_needed([0.5, 0.5], 0.1) is None
    assert instances_needed([0.5], 0.1) is None
    assert instances_needed([0.5, 0.6], 0.0) is None
