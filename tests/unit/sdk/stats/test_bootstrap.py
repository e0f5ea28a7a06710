"""Bootstrap intervals."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from i2s_sdk.stats.bootstrap import grouped_interval, mean_interval, mean_intervals


@pytest.mark.parametrize("n", [12, 300])
def test_intervals_are_those_of_another_implementation(n: int) -> None:
    values = np.random.default_rng(n).beta(2, 1, n)
    theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=1).confidence_interval
    width = theirs.high - theirs.low
    assert mean_interval(values.tolist()) == pytest.approx((theirs.low, theirs.high), abs=0.06 * width)


def test_intervals_of_groups_are_those_of_a_plain_bootstrap() -> None:
    rng = np.random.default_rng(3)
    groups = [rng.random(40), rng.random(5) / 2, rng.random(90) ** 3]
    plain = [np.mean([rng.choice(group, len(group)).mean() for group in groups]) for _ in range(5000)]
    low, high = np.quantile(plain, [0.025, 0.975])
    assert grouped_interval([group.tolist() for group in groups]) == pytest.approx(
        (low, high), abs=0.06 * (high - low)
    )


@given(st.lists(st.floats(-5, 1) | st.none(), max_size=40), st.randoms())
def test_the_order_of_values_changes_nothing(values: list[float | None], chance: random.Random) -> None:
    before, groups = mean_interval(values), grouped_interval([values, [0.1, 0.9, 0.4]])
    chance.shuffle(values)
    assert mean_interval(values) == before
    assert grouped_interval([[0.9, 0.1, 0.4], values]) == groups


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30))
def test_an_interval_lies_within_the_values(values: list[float]) -> None:
    interval = mean_interval(values)
    assert interval is not None
    low, high = interval
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


def test_columns_are_the_same_together_and_alone() -> None:
    columns = [[0.1, 0.5, 0.9], [1.0, None, 0.0], [0.2, 0.3], [None], [0.7]]
    assert mean_intervals(columns) == [mean_interval(column) for column in columns]


def test_fewer_than_two_values_have_no_interval() -> None:
    assert mean_intervals([[], [0.5], [None, 0.5]]) == [None, None, None]
    assert grouped_interval([[0.5], [], [0.2]]) is None


def test_the_draws_stay_what_they_are() -> None:
    assert mean_interval([0.0, 0.25, 0.5, 1.0]) == (0.125, 0.8125)
