"""Values that runs must reach."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from i2s_sdk.cli.main import run
from i2s_sdk.errors import UnknownNameError, UsageError, WriteError
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.stats.aggregate import summarize_run
from i2s_sdk.stats.requirements import Requirement, check_runs, write_junit
from run_folders import make_run


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "answers", 40, pictures=False)


@pytest.fixture(scope="module")
def summary(finished: Path):
    return summarize_run(read_run(finished))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ems>=0.8", ("", "", "ems", ">=", 0.8)),
        ("latex:ems > 0.5", ("latex", "", "ems", ">", 0.5)),
        ("latex/equation:rendered<=1", ("latex", "equation", "rendered", "<=", 1.0)),
        ("edit<1e-3", ("", "", "edit", "<", 0.001)),
        ("sobench:usable>=1", ("sobench", "", "rendered", ">=", 1.0)),
    ],
)
def test_forms(text: str, parts: tuple[str, str, str, str, float]) -> None:
    one = Requirement.parse(text)
    assert (one.task, one.subset, one.metric, one.sign, one.bound) == parts


@pytest.mark.parametrize("text", ["", "ems", "ems=0.8", "ems>=", ">=1", "ems>=nan", "ems>=a", "/a:ems>=1"])
def test_what_is_of_no_form_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"such as ems>=0\.8"):
        Requirement.parse(text)


def test_a_task_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'latex'"):
        Requirement.parse("latx:ems>=0.8")


@pytest.mark.parametrize("text", ["emss>=0.8", "latex:emss>=0.8", "sobench:ems>=0.8", "scimage:average>=1"])
def test_a_metric_that_no_task_has_is_named(text: str) -> None:
    with pytest.raises(UnknownNameError, match="no metric is called"):
        Requirement.parse(text).require_metric()


@pytest.mark.parametrize("text", ["ems>=0.8", "readoc:average>=0.8", "cis>=0", "usable>=1"])
def test_metrics_and_averages_of_tasks_are_known(text: str) -> None:
    Requirement.parse(text).require_metric()


def test_a_metric_of_a_run_is_known() -> None:
    Requirement.parse("of_another_package>=1").require_metric({"of_another_package"})


@pytest.mark.parametrize(("sign", "holds"), [(">=", True), ("<=", True), (">", False), ("<", False)])
def test_a_bound_that_is_the_value(summary, sign: str, holds: bool) -> None:
    value = summary.tasks["latex"].values["ems"]
    (check,) = Requirement.parse(f"latex:ems{sign}{value!r}").check("run", summary)
    assert (check.value, not check.failure) == (value, holds)


def test_a_metric_without_a_task_is_checked_in_every_task(summary) -> None:
    checks = Requirement.parse("ems>=0").check("run", summary)
    assert {check.task for check in checks} == {"latex", "webpage", "music"}


def test_values_of_subsets(summary) -> None:
    (group,) = (subset for subset in summary.tasks["latex"].subsets if subset.name == "equation")
    (check,) = Requirement.parse("latex/equation:ems>=0").check("run", summary)
    assert check.value == group.metrics["ems"].all.value
    (check,) = Requirement.parse("latex/equation:rendered>=0").check("run", summary)
    assert check.value == group.share_rendered


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("sobench:exact>=0", "the run has no task sobench"),
        ("nothing>=0", "no task of the run has the metric nothing"),
        ("latex/nothing:ems>=0", "task latex of the run has no subset nothing"),
        ("latex:nothing>=0", "task latex of the run has no metric nothing"),
    ],
)
def test_what_a_run_does_not_have_fails(summary, text: str, failure: str) -> None:
    (check,) = Requirement.parse(text).check("run", summary)
    assert check.failure == failure


def test_the_junit_file_has_a_case_for_each_check_and_one_for_the_samples(summary, tmp_path: Path) -> None:
    runs = {"a": summary, "b": summary}
    checks = check_runs([Requirement.parse("ems>=0"), Requirement.parse("latex:ems>1")], runs)
    write_junit(tmp_path / "deep/junit.xml", runs, checks)
    root = ElementTree.parse(tmp_path / "deep/junit.xml").getroot()
    assert [one.get("name") for one in root] == ["a", "b"]
    suite = root[0]
    assert [one.get("name") for one in suite] == [
        "latex: ems>=0",
        "webpage: ems>=0",
        "music: ems>=0",
        "latex:ems>1",
        "samples",
    ]
    failed = [one.get("name") for one in suite if one.find("failure") is not None]
    assert failed == ["latex:ems>1", *(["samples"] if summary.failures else [])]
    assert suite.get("failures") == str(len(failed))


def test_a_file_that_cannot_be_written_is_one_line(summary, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot be written"):
        write_junit(tmp_path, {"a": summary}, [])


def test_table_ends_with_3_if_a_requirement_does_not_hold(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    junit = tmp_path / "junit.xml"
    assert run(["table", str(finished), "--require", "ems>=0", "--junit", str(junit)]) == 0
    assert junit.is_file()
    capsys.readouterr()
    assert run(["table", str(finished), "--require", "latex:ems>1", "--json"]) == 3
    told = capsys.readouterr()
    (check,) = json.loads(told.out)["requirements"]
    assert (check["require"], check["holds"], check["task"]) == ("latex:ems>1", False, "latex")
    assert told.err.startswith(f"required latex:ems>1 of {finished}: latex: ems is 0.")
    assert run(["table", str(finished), "--require", "ems"]) == 2
    assert run(["table", str(finished), "--require", "emss>=0"]) == 2
    assert "did you mean 'ems'?" in capsys.readouterr().err
    assert run(["evaluate", "--require", "emss>=0"]) == 2
