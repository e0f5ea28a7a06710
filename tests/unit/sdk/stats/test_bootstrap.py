"""Intervals by the Bayesian bootstrap with half an observation at each end of the range."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from i2s_sdk.stats.bootstrap import (
    END_WEIGHT,
    FEWEST,
    RESAMPLES,
    mean_interval,
    percentiles,
    resampled_counts,
)

_VALUES = st.lists(st.floats(-5, 1) | st.none(), max_size=40)


@pytest.mark.parametrize(("n", "ones"), [(5, 4), (10, 8), (30, 1), (100, 50), (2400, 2399)])
def test_the_interval_of_a_share_is_that_of_jeffreys(n: int, ones: int) -> None:
    exact = beta.ppf([0.025, 0.975], ones + 0.5, n - ones + 0.5)
    assert mean_interval([1.0] * ones + [0.0] * (n - ones)) == pytest.approx(tuple(exact), abs=0.0015)


@pytest.mark.parametrize("n", [5, 8, 20, 300])
@pytest.mark.parametrize("shape", [(8, 2), (0.5, 0.5)])
def test_intervals_are_those_of_drawn_weights(n: int, shape: tuple[float, float]) -> None:
    rng = np.random.default_rng(n)
    values = rng.beta(*shape, n)
    counts = [END_WEIGHT, *[1.0] * n, END_WEIGHT]
    drawn = rng.dirichlet(counts, 20_000) @ np.concatenate([[0.0], values, [1.0]])
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert mean_interval(values.tolist()) == pytest.approx((low, high), abs=0.04 * (high - low))


@given(_VALUES, st.randoms())
def test_the_order_of_values_changes_nothing(values: list[float | None], chance: random.Random) -> None:
    before = mean_interval(values)
    chance.shuffle(values)
    assert mean_interval(values) == before


@given(st.lists(st.floats(-1e3, 1e3), min_size=FEWEST, max_size=30))
def test_an_interval_holds_the_mean_and_lies_within_the_range(values: list[float]) -> None:
    low, high = mean_interval(values, -10.0, 10.0) or (0.0, 0.0)
    assert min(-10.0, *values) <= low <= sum(values) / len(values) + 1e-9
    assert sum(values) / len(values) - 1e-9 <= high <= max(10.0, *values)


@given(st.lists(st.floats(0, 1), min_size=FEWEST, max_size=30), st.floats(0.1, 50), st.floats(-20, 20))
def test_another_scale_has_the_interval_in_that_scale(values: list[float], scale: float, zero: float) -> None:
    low, high = mean_interval(values) or (0.0, 0.0)
    turned = mean_interval([zero - scale * value for value in values], zero - scale, zero)
    assert turned == pytest.approx((zero - scale * high, zero - scale * low), abs=1e-6 * scale)


@pytest.mark.parametrize("n", range(FEWEST))
def test_fewer_than_five_values_have_no_interval(n: int) -> None:
    assert mean_interval([*(at / 7 for at in range(n)), None]) is None
    assert mean_interval([at / 7 for at in range(FEWEST)]) is not None


def test_a_range_without_ends_is_that_of_the_values() -> None:
    values = [-0.3, 0.2, 0.9, 0.5, 0.4, 0.6]
    infinite = mean_interval(values, float("-inf"), 1.0)
    assert infinite == mean_interval(values, -0.3, 1.0) == mean_interval(values)


def test_a_failure_that_is_not_in_the_sample_is_within_the_interval() -> None:
    """One answer in ten fails, and a third of the samples of ten has no failure."""
    values = [0.78, 0.81, 0.8, 0.79, 0.82, 0.8, 0.83, 0.77, 0.8, 0.8]
    low, high = mean_interval(values) or (0.0, 0.0)
    assert low < 0.72 < 0.8 < high < 0.85


def _coverage(n: int, zeros: float) -> float:
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(200):
        values = np.where(rng.random(n) < zeros, 0.0, rng.beta(8, 2, n))
        low, high = mean_interval(values) or (1.0, 0.0)
        held += low <= 0.8 * (1 - zeros) <= high
    return held / 200


@pytest.mark.parametrize("zeros", [0.0, 0.1])
@pytest.mark.parametrize("n", [5, 20])
def test_intervals_hold_the_true_mean_as_often_as_they_say(n: int, zeros: float) -> None:
    assert _coverage(n, zeros) >= 0.93


def test_the_digits_stay_what_they_are() -> None:
    assert mean_interval([0.0, 0.25, 0.5, 0.75, 1.0]) == (0.220329255, 0.779670745)


def test_each_draw_has_as_many_values_as_the_sample_and_each_value_comes_as_often() -> None:
    counts = resampled_counts(np.arange(7) % 3, 3)
    assert counts.shape == (RESAMPLES, 3)
    assert (counts.sum(axis=1) == 7).all()
    assert counts.mean(axis=0) == pytest.approx([3, 2, 2], abs=0.15)


def test_percentiles_are_those_of_numpy() -> None:
    values = np.random.default_rng(1).random(RESAMPLES)
    assert percentiles(values) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_the_draws_stay_what_they_are() -> None:
    assert resampled_counts(np.arange(4), 4)[:2].tolist() == [[1, 2, 1, 0], [0, 1, 2, 1]]
