"""Intervals of shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from i2s_sdk.stats.means import mean_share_interval, paired_difference_interval, share_interval


@pytest.mark.parametrize(
    ("successes", "n"), [(0, 1), (1, 1), (4, 4), (0, 30), (7, 9), (150, 300), (2399, 2400)]
)
def test_a_share_has_the_interval_of_another_implementation(successes: int, n: int) -> None:
    theirs = binomtest(successes, n).proportion_ci(method="wilson")
    assert share_interval(successes, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_four_of_four_is_not_100_to_100_per_cent() -> None:
    low, high = share_interval(4, 4)
    assert (round(low, 3), high) == (0.510, 1.0)


@given(st.lists(st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1))
def test_a_mean_of_shares_lies_inside_of_its_interval(counts: list[tuple[int, int]]) -> None:
    low, high = mean_share_interval(counts)
    mean = sum(successes / n for successes, n in counts) / len(counts)
    assert 0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1
    assert low < high
    assert mean_share_interval(list(reversed(counts))) == pytest.approx((low, high), abs=1e-12)


def test_the_mean_over_one_group_has_the_interval_of_its_share() -> None:
    assert mean_share_interval([(7, 9)]) == pytest.approx(share_interval(7, 9), abs=1e-15)


def test_intervals_of_means_of_shares_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(11)
    sizes, truth = (40, 12, 90), np.array([0.9, 0.6, 0.3])
    draws = np.stack([rng.binomial(n, p, 2000) for n, p in zip(sizes, truth, strict=True)], axis=1)
    ends = [mean_share_interval(list(zip(map(int, row), sizes, strict=True))) for row in draws]
    held = np.mean([low <= truth.mean() <= high for low, high in ends])
    assert 0.935 < held < 0.97


@pytest.mark.parametrize(
    ("counts", "printed"),
    # Newcombe 1998, table II, method 10.
    [((36, 12, 2, 0), (0.0569, 0.3404)), ((0, 0, 0, 50), (-0.0713, 0.0713))],
)
def test_a_paired_difference_has_the_published_interval(
    counts: tuple[int, int, int, int], printed: tuple[float, float]
) -> None:
    both, first, second, neither = counts
    # The paper takes the first minus the second.
    assert paired_difference_interval(both, second, first, neither) == pytest.approx(printed, abs=6e-5)


@given(st.tuples(*[st.integers(0, 30)] * 4).filter(any))
def test_exchanging_the_runs_turns_the_interval_round(counts: tuple[int, int, int, int]) -> None:
    both, first, second, neither = counts
    low, high = paired_difference_interval(both, first, second, neither)
    assert paired_difference_interval(both, second, first, neither) == pytest.approx((-high, -low), abs=1e-12)
    difference = (second - first) / sum(counts)
    assert -1 <= low <= difference + 1e-12
    assert difference - 1e-12 <= high <= 1
