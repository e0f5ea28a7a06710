"""``i2s-sdk show``: one sample of a run, or those with the lowest values."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from i2s_sdk.cli.main import group
from i2s_sdk.errors import UsageError
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Failure, FirstError, Outcome, RepairNote
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.render.rendering import Verdict
from run_folders import instances, options, record_of, write_run
from sample_records import changed


@pytest.fixture
def run(tmp_path: Path) -> str:
    """Three LaTeX samples: a good one, one that does not compile, and one that was stopped."""
    good, broken, stopped, _, _ = (replace(instance, task="latex") for instance in instances(5))
    records = {
        good.id: changed(record_of(good), outcome=Outcome.SCORED, metrics={"ems": 0.9}),
        broken.id: changed(
            record_of(broken),
            outcome=Outcome.SCORED,
            usable=False,
            verdict=Verdict.COMPILE_ERROR,
            message="TeX stopped on line 4: Undefined control sequence.",
            error=FirstError("Undefined control sequence.", "UNDEFINED_COMMAND", 4),
            error_before_repair=FirstError("Missing $ inserted.", "MATH_MODE", 3),
            repairs=(RepairNote("wrap_math", "equation"),),
            metrics={"ems": 0.0, "edit": 0.25},
            completion="\\toprule\x1b[2J\n",
            finish="stop",
        ),
        stopped.id: changed(
            record_of(stopped),
            outcome=Outcome.RENDER_FAILURE,
            verdict=None,
            metrics={},
            failure=Failure("ServiceUnavailableError", "render-latex is gone"),
        ),
    }
    return str(write_run(tmp_path / "run", [good, broken, stopped], records, options(tasks=("latex",))))


def show(*words: str) -> Result:
    return CliRunner().invoke(group, ["show", *words])


def test_the_lowest_come_first_and_before_them_what_has_no_value(run: str) -> None:
    shown = show(run)
    assert shown.exit_code == 0, shown.output
    rows = [line.split()[0] for line in shown.output.splitlines() if "latex/" in line]
    assert rows == ["css-0002", "table-0001", "equation-0000"]
    assert "render_failure: render-latex is gone" in shown.output
    assert show(run, "--lowest", "1").output.count("latex/") == 1


def test_samples_are_ordered_by_a_main_metric_that_is_the_mean_of_others(tmp_path: Path) -> None:
    parts = task_spec("chart").averages[0].of
    planned = [PlannedInstance(name, "chart", "bar") for name in ("a", "b", "c")]
    records = {
        one.id: changed(record_of(one), outcome=Outcome.SCORED, metrics=dict.fromkeys(parts, value))
        for one, value in zip(planned, (0.9, 0.5, 0.7), strict=True)
    }
    given = options(tasks=("chart",), metrics=dict.fromkeys(parts, "1"))
    shown = show(str(write_run(tmp_path / "run", planned, records, given)))
    rows = [line.split() for line in shown.output.splitlines() if "chart/bar" in line]
    assert [(row[0], row[-2], row[-1]) for row in rows] == [
        ("b", "elements", "0.500"),
        ("c", "elements", "0.700"),
        ("a", "elements", "0.900"),
    ]
    assert ", elements 0.500\n" in show(str(tmp_path / "run"), "b").output


def test_a_sample_is_shown_with_its_reasons_values_and_answer(run: str) -> None:
    shown = show(run, "table-0001").output
    assert shown.splitlines()[:5] == [
        "table-0001 (latex/table, easy), model-a, profile paper",
        "ended: COMPILE_ERROR: TeX stopped on line 4: Undefined control sequence.",
        "first error before repairs: Missing $ inserted.",
        "repair: wrap_math equation",
        "values: ems 0.000, edit 0.250",
    ]
    assert shown.endswith("answer (stop):\n\\toprule\\x1b[2J\n")


def test_json_has_the_records_as_they_stand_in_the_file(run: str) -> None:
    (record,) = json.loads(show(run, "table-0001", "--json").output)
    assert (record["id"], record["verdict"], record["metrics"]["edit"]) == (
        "table-0001",
        "COMPILE_ERROR",
        0.25,
    )


def test_an_unknown_sample_is_named_with_the_most_similar_one(run: str) -> None:
    shown = show(run, "table-0002")
    assert isinstance(shown.exception, UsageError)
    assert "did you mean 'table-0001'" in shown.exception.message


def test_the_samples_of_an_account_are_listed_without_the_others(run: str) -> None:
    shown = show(run, "--account", "not_rendered", "--json")
    assert [load["verdict"] for load in json.loads(shown.output)] == ["COMPILE_ERROR"]
    assert json.loads(show(run, "--account", "cut_off", "--json").output) == []
    assert json.loads(show(run, "--account", "same_answer", "--json").output) == []
    assert show(run, "--account", "cut_off").output == f"No sample of {run} is in the account cut_off.\n"


def test_an_unknown_account_is_told_what_was_perhaps_meant(run: str) -> None:
    found = show(run, "--account", "cutoff")
    assert isinstance(found.exception, UsageError)
    assert "did you mean 'cut_off'" in found.exception.message
