"""The table of ratios and the exit code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.whole_run.ours import ENGINE, SCORES
from benchmarks.whole_run.report import FIRST, SECOND, Bars, Cost, Report, Way


def _costs(cpu: float, wall: float) -> dict[str, Cost]:
    return {task: Cost(2, {"all": 2 * cpu}, 2 * wall) for task in ("latex", "webpage", "music")}


FLOOR = {task: Cost(2, {ENGINE: 0.6, SCORES: 0.2}, 1.0) for task in ("latex", "webpage", "music")}
REPORT = Report(
    machine={"machine": "one"},
    samples={"latex": 2, "webpage": 2, "music": 2},
    procedure=Way(_costs(12.0, 13.0)),
    one={FIRST: Way(_costs(1.0, 1.0), 24.0), SECOND: Way(_costs(0.5, 0.5))},
    two={FIRST: Way(_costs(1.0, 0.5)), SECOND: Way(_costs(0.5, 0.25))},
    floor={FIRST: {**FLOOR, "webpage": Cost(2, {ENGINE: 1.0, SCORES: 0.2}, 1.0)}, SECOND: FLOOR},
    latency={"latex": 0.5, "webpage": 0.5, "music": 0.5},
    helm=Way(_costs(0.4, 0.4)),
    page_differences={},
    faults=(),
    bars=Bars(),
)


def test_the_ratio_is_that_of_whole_runs_with_what_is_done_once() -> None:
    assert REPORT.ratio(REPORT.one[SECOND]) == 24.0
    assert REPORT.ratio(REPORT.one[FIRST]) == pytest.approx(2400 * 12 / (2400 + 24))


def test_overhead_is_what_is_neither_engines_nor_metrics() -> None:
    assert REPORT.overhead(SECOND) == pytest.approx(1 - 0.4 / 0.5)
    assert REPORT.overhead(FIRST) == pytest.approx(1 - (0.4 * 1500 + 0.6 * 900) / (2400 + 24))


def test_two_workers_are_compared_by_the_samples_that_they_finish_in_a_second() -> None:
    assert REPORT.scaling() == 2.0
    assert replace(REPORT, two={}).scaling() is None


def test_the_exit_code_is_1_for_a_missed_bar_and_0_without() -> None:
    assert REPORT.code == 1
    assert replace(REPORT, bars=Bars(most_overhead=0.3)).code == 0


def test_the_exit_code_is_2_where_results_differ_whatever_the_bars() -> None:
    assert replace(REPORT, bars=Bars(most_overhead=0.3), faults=("a: ems is 1 by …",)).code == 2


def test_the_table_has_the_ratio_of_each_row() -> None:
    table = "\n".join(REPORT.lines())
    assert "| CPU s a sample, latex (2) | 12.00 | 1.00 | 0.50 | 24.0 |" in table
    assert "| **CPU minutes of 2,400 instances** | **480** | **40** | **20** | 24.0 |" in table
    assert "own overhead, share of a run: 0.2 (below 0.15: MISSED)" in table


def test_rows_of_all_tables_have_the_cells_of_their_heads() -> None:
    tables = [block for block in "\n".join(REPORT.lines()).split("\n\n") if block.startswith("|")]
    assert len(tables) == 2
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1, table


def test_a_machine_with_one_processor_has_no_row_of_two_workers() -> None:
    one = replace(REPORT, two={})
    assert "two workers |" not in "\n".join(one.lines())
    assert "not measured: one processor" in "\n".join(one.lines())
    assert one.code == 1
