"""The projection of a whole run, and its bars."""

from __future__ import annotations

import pytest

from benchmarks.harness.command import MeasurementError
from benchmarks.whole_run.ours import of_samples
from benchmarks.whole_run.report import (
    INSTANCES,
    Bars,
    Cost,
    judge,
    stages_of_whole_run,
    throughput,
    whole_run,
)

COSTS = {
    "latex": Cost(2, {"render": 1.0, "score": 3.0}, 8.0),
    "webpage": Cost(1, {"render": 4.0, "score": 1.0}, 5.0),
    "music": Cost(4, {"render": 2.0, "score": 2.0}, 8.0),
}


def test_the_benchmark_has_2400_instances() -> None:
    assert sum(INSTANCES.values()) == 2400


def test_a_whole_run_costs_each_task_by_its_instances_and_once_what_is_fixed() -> None:
    assert whole_run(COSTS, fixed=7.0) == 7.0 + 1200 * 2.0 + 900 * 5.0 + 300 * 1.0


def test_stages_of_a_whole_run_sum_up_to_it() -> None:
    stages = stages_of_whole_run(COSTS)
    assert stages == {"render": 600.0 + 3600.0 + 150.0, "score": 1800.0 + 900.0 + 150.0}
    assert sum(stages.values()) == whole_run(COSTS)


def test_throughput_is_that_of_the_mix_of_tasks() -> None:
    assert throughput(COSTS) == 2400 / (1200 * 4.0 + 900 * 5.0 + 300 * 2.0)


def test_a_task_that_was_not_measured_is_named() -> None:
    with pytest.raises(MeasurementError, match="webpage, music"):
        whole_run({"latex": COSTS["latex"]})


def test_a_value_at_the_bar_holds_where_the_bar_is_the_least() -> None:
    ratio, overhead, scaling = judge(Bars(22.0, 0.15, 1.8), ratio=22.0, overhead=0.15, scaling=1.8)
    assert ratio.holds
    assert scaling.holds
    assert not overhead.holds


def test_a_missed_bar_does_not_hold() -> None:
    held = judge(Bars(), ratio=21.9, overhead=0.16, scaling=1.79)
    assert [one.holds for one in held] == [False, False, False]


def test_what_could_not_be_measured_does_not_hold() -> None:
    assert not judge(Bars(), ratio=30.0, overhead=0.1, scaling=None)[2].holds


def test_what_an_evaluation_does_once_is_not_counted_for_its_samples() -> None:
    once, each = 0.5, 0.02
    assert of_samples(once + 10 * each, once + each, 10) == pytest.approx(10 * each)


def test_a_single_sample_has_all_that_its_evaluation_takes() -> None:
    assert of_samples(0.7, 0.6, 1) == 0.7
