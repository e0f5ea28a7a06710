"""What is required of a run of many samples."""

from __future__ import annotations

from benchmarks.runs.__main__ import Bounds, missed

FOUND = {
    "samples": 100,
    "scored": 100,
    "growth_kib_a_sample": 0.5,
    "numbers_and_report": {"cpu_s": 8.0, "peak_mib": 300.0},
    "opened": {"cpu_s": 3.9},
    "reported": {"cpu_s": 20.0, "peak_mib": 400.0},
}


def test_a_run_within_all_bounds_misses_none() -> None:
    assert missed(FOUND, Bounds()) == []


def test_growth_at_the_bound_misses_it() -> None:
    (one,) = missed({**FOUND, "growth_kib_a_sample": 2.0}, Bounds(growth_kib=2.0))
    assert "memory grows by 2.00 KiB a sample" in one


def test_opening_that_takes_longer_misses_its_bound() -> None:
    assert len(missed({**FOUND, "opened": {"cpu_s": 10.0}}, Bounds(open_seconds=10.0))) == 1


def test_both_reports_count() -> None:
    slow = {**FOUND, "reported": {"cpu_s": 61.0, "peak_mib": 400.0}}
    large = {**FOUND, "numbers_and_report": {"cpu_s": 8.0, "peak_mib": 1025.0}}
    assert len(missed(slow, Bounds(report_seconds=60.0))) == 1
    assert len(missed(large, Bounds(peak_mib=1024.0))) == 1
