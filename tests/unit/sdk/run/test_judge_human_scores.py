"""Scores that people gave to the images of any task, also of one that another package adds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from colour_task.spec import COLOUR
from i2s_sdk.cli.main import group
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.report.paper_tables import table
from i2s_sdk.run.judge import human_scores
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.rubric import HumanCriterion, HumanScoring
from run_folders import options, write_run
from sample_records import flat_record

SCORING = HumanScoring((HumanCriterion("hue", "Hue", "hue"), HumanCriterion("tone", "Tone", "tone")), 10.0)
VALUES = {"red": 1.0, "green": 0.5, "blue": 0.0}


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SPECS, COLOUR.name, replace(COLOUR, human_scoring=SCORING))


def make_run(path: Path, *others: PlannedInstance) -> Path:
    planned = [*(PlannedInstance(name, "colour", "plain") for name in VALUES), *others]
    records = {
        name: flat_record(
            name,
            "colour",
            "plain",
            "",
            outcome=Outcome.SCORED,
            usable=True,
            metrics={"accepted": value, "length": None},
        )
        for name, value in VALUES.items()
    }
    tasks = tuple(dict.fromkeys(one.task for one in planned))
    given = options(tasks=tasks, metrics={"accepted": "3", "length": "3"}, model="m", engines={})
    return write_run(path, planned, records, given)


def write_scores(path: Path, rows: dict[str, tuple[float, float]]) -> Path:
    lines = [f"{name},x,{hue},{tone}\n" for name, (hue, tone) in rows.items()]
    path.write_text("".join(["ID,Model,Hue of all,Tone\n", *lines]))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_scores(tmp_path / "scores.csv", {"red": (10, 3), "green": (6, 4), "blue": (1, 5)})


def test_a_run_is_compared_by_the_criteria_of_its_own_task(tmp_path: Path, file: Path) -> None:
    run = make_run(tmp_path / "run")
    found = {
        (human_score.of, human_score.criterion): human_score.correlation
        for human_score in human_scores(run, [file])
    }
    assert list(found) == [(name, of) for name in ("accepted", "length") for of in ("hue", "tone")]
    assert found["accepted", "hue"].spearman == pytest.approx(1.0)
    assert found["accepted", "tone"].spearman == pytest.approx(-1.0)
    assert found["length", "hue"].n == 0
    kept = json.loads((run / "human-scores.json").read_text())
    assert (kept["task"], kept["scores"]["red"]) == ("colour", [10.0, 3.0])


def test_tables_show_the_scores_of_a_task_without_a_rubric(tmp_path: Path, file: Path) -> None:
    run = make_run(tmp_path / "run")
    human_scores(run, [file])
    found = {one.title: one for one in table([run])}
    people = found["Colours, scores of people"]
    assert [heading.name for heading in people.headings] == [
        "Model",
        "System of the file",
        "Samples",
        "hue",
        "tone",
    ]
    assert "Colours, rank correlation with scores of people" in found


def test_a_run_with_two_such_tasks_needs_the_name_of_one(tmp_path: Path, file: Path) -> None:
    run = make_run(tmp_path / "run", PlannedInstance("a_1_1-tikz", "scimage", "en-tikz"))
    with pytest.raises(UsageError, match=r"people score the images of 'colour', 'scimage'; .* --task"):
        human_scores(run, [file])
    assert human_scores(run, [file], task="colour")
    with pytest.raises(DataError, match="no column that begins with Correct"):
        human_scores(run, [file], task="scimage")


@pytest.mark.parametrize(
    ("task", "reason"),
    [(None, "no samples of a task whose images people score"), ("scimage", "no samples of 'scimage'")],
)
def test_a_run_of_other_tasks_is_refused(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch, task: str | None, reason: str
) -> None:
    run = make_run(tmp_path / "run")
    monkeypatch.setitem(SPECS, COLOUR.name, COLOUR)
    with pytest.raises(UsageError, match=reason):
        human_scores(run, [file], task=task)


def test_the_command_prints_the_tables_of_the_named_task(file: Path) -> None:
    told = CliRunner().invoke(group, ["human-scores", str(file), "--task", "colour"])
    assert told.exit_code == 0
    head, row = told.output.splitlines()[:2]
    assert head.split() == ["system", "language", "answers", "failed", *["hue", "tone"] * 2, *VALUES]
    assert row.split() == ["x", "en", "3", "0", "5.67", "4.00", "5.67", "4.00", "10.00", "6.00", "1.00"]
    assert "Correlation of hue and tone: -" in told.output


def test_the_command_refuses_a_task_without_scores_of_people(file: Path) -> None:
    told = CliRunner().invoke(group, ["human-scores", str(file), "--task", "latex"])
    assert isinstance(told.exception, UsageError)
    assert "no files with scores of people for the task 'latex'" in str(told.exception)
