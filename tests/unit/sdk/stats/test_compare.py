"""Two runs sample by sample."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.scoring.scorer import Aggregate, Average, Metric
from i2s_sdk.stats.bootstrap import mean_interval
from i2s_sdk.stats.columns import Columns
from i2s_sdk.stats.compare import RESAMPLES, Comparison, compare, instances_needed, paired_p_value
from i2s_sdk.stats.means import IntervalKind, Mean, paired_difference_interval
from i2s_wire.render.rendering import Verdict
from sample_records import changed, flat_record

EMS = Columns((Metric("ems"),))


def _record(name: str, ems: float | None, verdict: Verdict = Verdict.RENDERED) -> Record:
    usable = verdict.has_picture
    return flat_record(
        name,
        "latex",
        "equation",
        "",
        outcome=Outcome.SCORED,
        usable=usable,
        verdict=verdict,
        metrics={"ems": ems},
    )


def _run(**values: float | None) -> dict[str, Record]:
    return {name: _record(name, value) for name, value in values.items()}


def _ems(first: dict[str, Record], second: dict[str, Record]) -> Comparison:
    return {one.metric: one for one in compare(first, second, {"latex": EMS})}["ems"]


def test_gains_and_losses_are_those_of_the_second_run() -> None:
    found = _ems(_run(a=0.5, b=0.5, c=0.5, d=0.5), _run(a=0.9, b=0.25, c=0.5, d=0.6))
    assert [pair.id for pair in found.gains] == ["a", "d"]
    assert [pair.id for pair in found.losses] == ["b"]
    assert (found.better, found.worse, found.equal) == (2, 1, 1)
    assert found.difference.value == pytest.approx((0.4 - 0.25 + 0 + 0.1) / 4)
    assert (found.difference.interval, found.difference.interval_kind) == (None, IntervalKind.TOO_FEW)


def test_in_a_distance_less_is_better() -> None:
    runs = _run(a=0.5, b=0.5, c=0.5, d=0.5), _run(a=0.9, b=0.25, c=0.5, d=0.6)
    (_, found) = compare(*runs, {"latex": Columns((Metric("ems", lower_is_better=True),))})
    assert ([gain.id for gain in found.gains], [loss.id for loss in found.losses]) == (["b"], ["a", "d"])
    assert (found.better, found.worse, found.equal) == (1, 2, 1)
    assert found.difference.value == pytest.approx((0.4 - 0.25 + 0 + 0.1) / 4)


def test_the_interval_of_a_difference_is_that_of_the_mean_of_differences() -> None:
    values = dict(zip("abcdefgh", (0.5, 0.5, 0.5, 0.5, 0.75, 0.25, 1.0, 0.0), strict=True))
    more = (0.25, -0.25, 0.0, 0.125, 0.25, -0.125, 0.0, 0.5)
    second = {name: value + more[at] for at, (name, value) in enumerate(values.items())}
    found = _ems(_run(**values), _run(**second))
    assert found.difference.interval == mean_interval(more, -1.0, 1.0)


def test_only_samples_with_a_value_in_both_are_compared() -> None:
    first, second = _run(a=0.5, b=0.5, c=None, d=0.5, e=0.1), _run(a=0.7, c=0.2, d=0.6, e=0.2)
    second["d"] = changed(second["d"], reference_sha256="other")
    second["e"] = changed(second["e"], outcome=Outcome.METRIC_FAILURE)
    assert _ems(first, second).difference.n == 1


def test_a_paired_interval_is_narrower_than_the_spread_of_the_runs() -> None:
    first = _run(**{f"s{at}": at / 100 for at in range(80)})
    second = {
        name: _record(name, (one.score.metrics["ems"] or 0) + 0.01 * (at % 2))
        for at, (name, one) in enumerate(first.items())
    }
    found = _ems(first, second)
    low, high = found.difference.interval or (0.0, 0.0)
    own, upper = mean_interval(one.score.metrics["ems"] for one in first.values()) or (0.0, 0.0)
    assert low < 0.005 < high
    assert high - low < 0.6 * (upper - own)


def test_equal_differences_have_no_interval_and_say_so() -> None:
    found = _ems(_run(a=0.5, b=0.25, c=0.0), _run(a=0.75, b=0.5, c=0.25))
    assert found.difference == Mean(0.25, 3, None, IntervalKind.ALL_EQUAL)


def test_the_difference_of_shares_has_an_interval_where_all_samples_are_rendered() -> None:
    runs = _run(a=0.5, b=0.5, c=0.5, d=0.5)
    rendered, _ = compare(runs, runs, {"latex": EMS})
    assert rendered.difference.interval == paired_difference_interval(4, 0, 0, 0)
    assert rendered.difference.interval_kind is IntervalKind.NEWCOMBE


def test_success_is_compared_too() -> None:
    second = {"a": _record("a", 0.0, Verdict.COMPILE_ERROR)}
    found = compare(_run(a=0.5), second, {"latex": EMS})
    assert [(one.metric, one.difference.value) for one in found] == [("rendered", -1.0), ("ems", -0.5)]


def test_runs_without_a_common_sample_have_nothing_to_compare() -> None:
    assert compare(_run(a=0.5), _run(b=0.5), {"latex": EMS}) == []


def _pooled(**parts: tuple[float, float]) -> dict[str, Record]:
    return {
        name: changed(_record(name, None), metrics={"fma": top / bottom}, parts={"fma": (top, bottom)})
        for name, (top, bottom) in parts.items()
    }


def test_a_pooled_ratio_is_compared_over_all_samples() -> None:
    columns = Columns((Metric("fma", aggregate=Aggregate.POOLED),))
    first, second = _pooled(a=(1.0, 1.0), b=(0.0, 9.0)), _pooled(a=(0.0, 1.0), b=(9.0, 9.0))
    found = {one.metric: one for one in compare(first, second, {"latex": columns})}["fma"]
    assert (found.first, found.second) == (0.1, 0.9)
    assert found.difference.value == pytest.approx(0.8)
    assert found.difference.interval_kind is IntervalKind.TOO_FEW
    assert (found.better, found.worse) == (1, 1)


def test_the_mean_of_columns_is_compared_by_its_columns() -> None:
    columns = Columns((Metric("a"), Metric("b")), (Average("average", ("a", "b")),))
    values = ({"a": 0.0, "b": None}, {"a": 1.0, "b": 0.5}), ({"a": 1.0, "b": None}, {"a": 1.0, "b": 1.0})
    runs = [
        {name: changed(_record(name, None), metrics=one) for name, one in zip("xy", run, strict=True)}
        for run in values
    ]
    found = {one.metric: one for one in compare(runs[0], runs[1], {"latex": columns})}["average"]
    assert not found.by_sample
    assert (found.first, found.second, found.difference.value) == (0.5, 1.0, 0.5)
    assert found.difference.n == 2


def test_a_metric_of_shares_has_the_interval_of_shares() -> None:
    columns = Columns((Metric("ems", aggregate=Aggregate.SHARE),))
    first, second = _run(a=0.0, b=1.0, c=1.0), _run(a=1.0, b=1.0, c=1.0)
    found = {one.metric: one for one in compare(first, second, {"latex": columns})}["ems"]
    assert found.difference.interval == paired_difference_interval(2, 0, 1, 0)


def every_sign(differences: list[float]) -> float:
    """Return the p-value by its definition, over all choices of signs."""
    values = [difference for difference in differences if difference]
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
    spread = (sum(value**2 for value in values) / len(values)) ** 0.5
    moved = [value - mean + 1.96 * spread / len(values) ** 0.5 for value in values]
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
