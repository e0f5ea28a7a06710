"""Correlations of metrics over samples."""

from __future__ import annotations

import math
import random
from statistics import fmean

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.stats.correlations import correlations, pearson, rank_correlation
from sample_records import flat_record

NUMBERS = st.floats(-10, 10).map(lambda one: round(one, 6))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=30))
def test_pearson_is_that_of_numpy(pairs: list[tuple[float, float]]) -> None:
    columns = np.asarray(pairs).T
    assume(all(np.std(column) > 1e-3 for column in columns))
    assert pearson(pairs) == pytest.approx(np.corrcoef(columns)[0, 1], abs=1e-9)


def test_a_variable_that_does_not_vary_has_none() -> None:
    assert pearson([(1.0, 2.0), (1.0, 3.0)]) is None
    assert pearson([(1.0, 2.0)]) is None


def sample(name: str, *, usable: bool = True, **metrics: float | None) -> Record:
    return flat_record(name, "latex", "equation", "", outcome=Outcome.SCORED, usable=usable, metrics=metrics)


def test_every_two_metrics_are_compared_over_the_usable_samples_that_have_both() -> None:
    records = [
        sample("a", ems=0.1, ssim=0.9, edit=None),
        sample("b", ems=0.2, ssim=0.8, edit=0.5),
        sample("c", ems=0.4, ssim=0.1, edit=0.6),
        sample("d", usable=False, ems=0.0, ssim=0.0, edit=0.0),
    ]
    found = {
        (correlation.first, correlation.second): correlation
        for correlation in correlations(records, ["ems", "ssim", "edit"])
    }
    assert list(found) == [("ems", "ssim"), ("ems", "edit"), ("ssim", "edit")]
    assert found["ems", "ssim"].ranks.n == 3
    assert found["ems", "ssim"].ranks.spearman == pytest.approx(-1.0)
    assert found["ems", "edit"].pearson == pytest.approx(1.0)


PAIRS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0, 3.25])), max_size=25)


def definition_of_tau_b(pairs: list[tuple[float, float]]) -> float | None:
    """Return tau-b by counting pairs of pairs."""
    both = one = other = 0
    for at, (x, y) in enumerate(pairs):
        for a, b in pairs[:at]:
            both += ((x > a) - (x < a)) * ((y > b) - (y < b))
            one += x != a
            other += y != b
    return both / math.sqrt(one * other) if one and other else None


def definition_of_rho(pairs: list[tuple[float, float]]) -> float | None:
    """Return Pearson's correlation of mean ranks."""
    if len(pairs) < 2:
        return None

    def ranks(values: list[float]) -> list[float]:
        places = [[at for at, v in enumerate(sorted(values)) if v == value] for value in values]
        return [fmean(of_value) for of_value in places]

    first, second = (ranks([pair[at] for pair in pairs]) for at in (0, 1))
    mean = (len(pairs) - 1) / 2
    both = sum((a - mean) * (b - mean) for a, b in zip(first, second, strict=True))
    spread = sum((a - mean) ** 2 for a in first) * sum((b - mean) ** 2 for b in second)
    return both / math.sqrt(spread) if spread else None


@given(PAIRS)
def test_values_are_those_of_the_definitions(pairs: list[tuple[float, float]]) -> None:
    found = rank_correlation(pairs)
    assert found.n == len(pairs)
    assert found.spearman == pytest.approx(definition_of_rho(pairs), abs=1e-12)
    assert found.kendall == pytest.approx(definition_of_tau_b(pairs), abs=1e-12)


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_pairs_changes_no_digit(pairs: list[tuple[float, float]], chance: random.Random) -> None:
    mixed = list(pairs)
    chance.shuffle(mixed)
    assert rank_correlation(mixed) == rank_correlation(pairs)


def test_values_with_ties_are_those_of_scipy() -> None:
    first, second = [1, 2, 2, 3, 4, 4, 4, 5, 1, 3], [2, 1, 2, 3, 5, 3, 4, 5, 1, 2]
    found = rank_correlation(zip(first, second, strict=True))
    assert found.spearman == pytest.approx(spearmanr(first, second).statistic, abs=1e-12)
    assert found.kendall == pytest.approx(kendalltau(first, second).statistic, abs=1e-12)


@pytest.mark.parametrize("pairs", [[], [(1, 2)], [(1, 2), (1, 3)], [(1, 2), (3, 2)]])
def test_nothing_is_said_where_a_variable_does_not_vary(pairs: list[tuple[float, float]]) -> None:
    found = rank_correlation(pairs)
    assert (found.spearman, found.kendall, found.spearman_interval) == (None, None, None)


def test_intervals_hold_the_value_and_narrow_with_more_pairs() -> None:
    chance = random.Random(3)
    pairs = [(x, x + chance.gauss(0, 2)) for x in (chance.randint(1, 9) for _ in range(400))]
    few, many = rank_correlation(pairs[:40]), rank_correlation(pairs)
    for one in (few, many):
        assert one.spearman_interval is not None
        assert one.kendall_interval is not None
        assert one.spearman is not None
        assert one.kendall is not None
        assert one.spearman_interval[0] < one.spearman < one.spearman_interval[1]
        assert one.kendall_interval[0] < one.kendall < one.kendall_interval[1]
    narrow, wide = (one.spearman_interval for one in (many, few))
    assert narrow is not None
    assert wide is not None
    assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 2
