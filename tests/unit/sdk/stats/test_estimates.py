"""Linearised numbers of a sample, against plain definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.stats.bootstrap import estimate_interval, mean_interval
from i2s_sdk.stats.estimates import (
    Row,
    SampleEstimate,
    estimated_columns,
    estimated_difference,
    estimated_mean,
    estimated_mean_of,
    estimated_skill,
)

_VALUE = st.floats(0, 1)
_ROWS = st.lists(st.tuples(st.none() | st.tuples(_VALUE, st.floats(0.5, 9)), st.tuples(_VALUE, st.just(1.0))))


def _mean(*values: float) -> SampleEstimate:
    found = estimated_mean(values, 0.0, 1.0)
    assert found is not None
    return found


def _columns(*rows: Row) -> SampleEstimate:
    found = estimated_columns(rows, 0.0, 1.0)
    assert found is not None
    return found


@given(_ROWS)
def test_influences_have_the_mean_0_and_weights_the_mean_1(rows: list[Row]) -> None:
    found = estimated_columns(rows, 0.0, 1.0)
    if found is not None:
        assert math.fsum(found.influence) == pytest.approx(0.0, abs=1e-9)
        assert math.fsum(found.weights) == pytest.approx(len(rows))


def test_the_influence_is_what_an_observation_more_changes() -> None:
    """The derivative of the estimate by the weight of an observation, times their number."""
    rows: list[Row] = [((3.0, 4.0), (0.5, 1.0)), ((1.0, 9.0), None), (None, (0.9, 1.0)), ((2.0, 2.0), None)]
    found = _columns(*rows)
    little = 1e-6
    for at, row in enumerate(rows):
        more: list[Row] = [
            *rows,
            tuple(None if one is None else (one[0] * little, one[1] * little) for one in row),
        ]
        slope = (_columns(*more).value - found.value) / little * len(rows)
        assert found.influence[at] == pytest.approx(slope, abs=1e-4)


def test_a_ratio_of_equal_denominators_is_a_mean() -> None:
    values = [0.1, 0.9, 0.4, 0.7, 0.2, 0.6]
    ratio = _columns(*(((3 * value, 3.0),) for value in values))
    assert ratio.value == pytest.approx(0.29 / 0.6)
    assert estimate_interval(ratio) == pytest.approx(mean_interval(values))


def test_the_mean_of_one_group_is_the_mean() -> None:
    values = [0.1, 0.9, 0.4, 0.7, 0.2, 0.6]
    assert estimate_interval(estimated_mean_of([_mean(*values)])) == pytest.approx(mean_interval(values))


def test_the_variance_of_a_mean_of_groups_is_the_sum_of_theirs() -> None:
    groups = [[0.1, 0.5, 0.9], [0.2, 0.3, 0.25, 0.7, 0.4]]
    found = estimated_mean_of([_mean(*group) for group in groups])
    n = len(found.influence)
    wanted = sum(np.var(group, ddof=1) / len(group) for group in groups) / 4
    assert found.value == pytest.approx((0.5 + 0.37) / 2)
    assert math.fsum(found.influence**2) / n / (n - 1) == pytest.approx(wanted)


def test_groups_of_one_observation_vary_as_they_do_between_each_other() -> None:
    found = estimated_mean_of([_mean(one) for one in (0.2, 0.4, 0.9)])
    assert found.influence.tolist() == pytest.approx([-0.3, -0.1, 0.4])


def test_the_difference_of_the_same_samples_is_that_of_their_differences() -> None:
    first, second = [0.1, 0.9, 0.4, 0.7, 0.2], [0.3, 0.8, 0.4, 0.9, 0.6]
    found = estimated_difference(_mean(*first), _mean(*second))
    differences = [two - one for one, two in zip(first, second, strict=True)]
    assert estimate_interval(found) == pytest.approx(mean_interval(differences, -1.0, 1.0))


def test_a_skill_whose_floor_and_ceiling_are_constant_is_a_mean_in_another_scale() -> None:
    values = [0.6, 0.9, 0.4, 0.7, 0.2, 0.8]
    found = estimated_skill(_mean(*values), _mean(*[0.5] * 6), _mean(*[1.0] * 6))
    assert found is not None
    low, high = mean_interval(values) or (0.0, 0.0)
    assert estimate_interval(found) == pytest.approx(((low - 0.5) / 0.5, (high - 0.5) / 0.5))


def test_there_is_no_skill_if_the_ceiling_is_no_higher_than_the_floor() -> None:
    assert estimated_skill(_mean(0.6, 0.7), _mean(0.5, 0.5), _mean(0.4, 0.6)) is None


def test_a_ratio_with_uneven_denominators_is_less_certain() -> None:
    even = _columns(*(((8.0 + at, 20.0),) for at in range(10)))
    uneven = _columns(*(((0.4 * n + 0.05 * at * n, n),) for at, n in enumerate([1.0, 91.0] * 5)))
    (low, high), (lower, upper) = (estimate_interval(one) or (0.0, 0.0) for one in (even, uneven))
    assert upper - lower > 1.5 * (high - low)


def test_there_is_no_estimate_without_values() -> None:
    assert estimated_mean([None], 0.0, 1.0) is None
    assert estimated_columns([(None,), ((0.0, 0.0),)], 0.0, 1.0) is None
