"""Columns of tables that are no means of samples, against plain definitions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.scoring.scorer import Aggregate, Average, Metric
from i2s_sdk.stats.columns import Columns
from i2s_sdk.stats.means import IntervalKind, Mean
from sample_records import flat_record

POOLED = Columns((Metric("fma", aggregate=Aggregate.POOLED),))
_COUNTS = st.tuples(st.integers(0, 50), st.integers(0, 50)).map(
    lambda pair: (float(min(pair)), float(max(pair)))
)


def _record(**metrics: float | None) -> Record:
    return flat_record("a", "t", "s", "", outcome=Outcome.SCORED, usable=True, metrics=metrics)


def _parts(top: float, bottom: float) -> Record:
    return flat_record("a", "t", "s", "", outcome=Outcome.SCORED, parts={"fma": (top, bottom)})


def _value(columns: Columns, records: list[Record], name: str) -> Mean:
    return columns.values_of(records)[name]


@given(st.lists(_COUNTS, min_size=1, max_size=30))
def test_a_pooled_ratio_is_the_quotient_of_the_sums(parts: list[tuple[float, float]]) -> None:
    found = _value(POOLED, [_parts(*part) for part in parts], "fma")
    bottom = sum(Fraction(one) for _, one in parts)
    wanted = float(sum(Fraction(one) for one, _ in parts) / bottom) if bottom else None
    assert found.value == pytest.approx(wanted)
    assert found.n == len(parts)
    if found.interval is not None:
        assert found.interval[0] <= found.interval[1]


def test_a_pooled_ratio_leaves_out_samples_without_parts() -> None:
    found = _value(POOLED, [_parts(1.0, 2.0), _record(fma=0.9), _parts(3.0, 10.0)], "fma")
    assert (found.value, found.n) == (pytest.approx(4 / 12), 2)


def test_a_pooled_ratio_of_which_one_sample_is_nearly_all_is_hardly_known() -> None:
    """One sample of 1,000 fields outweighs nine of one: another one could have any value."""
    records = [_parts(1.0, 1.0)] * 9 + [_parts(0.0, 1000.0)]
    found = _value(POOLED, records, "fma")
    assert found.interval_kind is IntervalKind.BAYESIAN_BOOTSTRAP
    assert found.interval == (0.0, 1.0)


def test_equal_ratios_have_no_interval() -> None:
    found = _value(POOLED, [_parts(1.0, 2.0), _parts(2.0, 4.0)], "fma")
    assert (found.interval, found.interval_kind) == (None, IntervalKind.ALL_EQUAL)


def test_no_part_is_no_value() -> None:
    assert _value(POOLED, [_record(fma=1.0)], "fma") == Mean(None, 0, None, IntervalKind.TOO_FEW)


def test_a_share_has_the_interval_of_wilson() -> None:
    columns = Columns((Metric("right", aggregate=Aggregate.SHARE),))
    found = _value(columns, [_record(right=1.0)] * 4 + [_record(right=None)], "right")
    assert (found.value, found.n, found.interval_kind) == (1.0, 4, IntervalKind.WILSON)
    assert found.interval == pytest.approx((0.5101, 1.0), abs=1e-4)


def test_an_average_is_the_mean_of_the_columns_that_have_a_value() -> None:
    columns = Columns((Metric("a"), Metric("b"), Metric("c")), (Average("average", ("a", "b", "c")),))
    records = [_record(a=1.0, b=None), _record(a=0.0, b=0.2), _record(a=0.5, b=None)]
    found = _value(columns, records, "average")
    assert found.value == pytest.approx((0.5 + 0.2) / 2)
    assert found.n == 3
    assert columns.names == ("a", "b", "c", "average")


def test_a_sample_has_the_averages_of_its_own_values_beside_them() -> None:
    columns = Columns(
        (Metric("a"), Metric("b"), Metric("c"), Metric("fma", aggregate=Aggregate.POOLED)),
        (Average("both", ("a", "b")), Average("rest", ("c",)), Average("ratio", ("a", "fma"))),
    )
    record = flat_record(
        "a",
        "t",
        "s",
        "",
        outcome=Outcome.SCORED,
        metrics={"a": 0.5, "b": 0.75, "c": None, "fma": 0.25},
        parts={"fma": (1.0, 4.0)},
    )
    averages = {"both": 0.625, "rest": None, "ratio": 0.375}
    assert columns.of_sample(record) == {**record.score.metrics, **averages}
    assert columns.of_sample(_record()) == {}


def test_an_average_over_nothing_is_no_value() -> None:
    columns = Columns((Metric("a"),), (Average("average", ("a",)),))
    assert _value(columns, [_record(a=None)], "average").value is None


def test_the_average_of_one_column_has_the_interval_of_that_column() -> None:
    columns = Columns((Metric("a"),), (Average("average", ("a",)),))
    values = random.Random(3)
    records = [_record(a=values.random()) for _ in range(40)]
    found = columns.values_of(records)
    assert found["average"].interval == pytest.approx(found["a"].interval)


def test_the_order_of_samples_changes_no_digit() -> None:
    columns = Columns(
        (Metric("a"), Metric("fma", aggregate=Aggregate.POOLED)), (Average("average", ("a", "fma")),)
    )
    values = random.Random(5)
    records = [
        flat_record(
            "a",
            "t",
            "s",
            "",
            outcome=Outcome.SCORED,
            metrics={"a": values.random()},
            parts={"fma": (one, one + 2.0)},
        )
        for one in map(float, range(25))
    ]
    before = columns.values_of(records)
    values.shuffle(records)
    assert columns.values_of(records) == before
