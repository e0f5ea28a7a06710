"""Runs over common instances, between reference points, and beside published values."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from i2s_sdk.report import print_skills, write_report
from i2s_sdk.report.analyses import difficulty_tables
from i2s_sdk.report.compared import ComparedRuns, compare_views
from i2s_sdk.report.paper_tables import table
from i2s_sdk.report.view import views_of
from i2s_sdk.run.storage.folder import RunFolder, read_points, read_run, write_points
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Outcome, Record
from run_folders import make_run, options, write_run
from sample_records import changed, flat_record


def write(path: Path, model: str, values: dict[str, float], **changes: object) -> Path:
    planned = [PlannedInstance(name, "latex", "equation") for name in values]
    return write_run(path, planned, records(values), options(model=model, tasks=("latex",), **changes))


def records(values: dict[str, float]) -> dict[str, Record]:
    return {
        name: flat_record(
            name, "latex", "equation", "", outcome=Outcome.SCORED, usable=True, metrics={"ems": value}
        )
        for name, value in values.items()
    }


def compared(*runs: Path) -> ComparedRuns:
    return compare_views(views_of([read_run(run) for run in runs]))


def test_a_run_of_four_instances_is_compared_with_one_of_many_over_these_four(tmp_path: Path) -> None:
    many = write(tmp_path / "a", "many", {str(at): at / 20 for at in range(20)})
    few = write(tmp_path / "b", "few", {str(at): 0.5 for at in range(4)})
    overall, of_latex = table([many, few])
    values = {line.model: line.means[1] for line in of_latex.lines}
    assert {name: value.n for name, value in values.items() if value} == {"many": 4, "few": 4}
    note = "Values of latex are over the 4 instances that all runs scored (many 20 of 20, few 4 of 4)."
    assert note in overall.notes
    assert {line.model: line.values[-1] for line in overall.lines} == {"many": "20 of 20", "few": "4 of 4"}


def test_runs_by_other_rules_have_no_win_rate_and_keep_their_order(tmp_path: Path) -> None:
    low = write(tmp_path / "a", "low", {"1": 0.1, "2": 0.2})
    high = write(tmp_path / "b", "high", {"1": 0.8, "2": 0.9}, engines={"render-latex": "other"})
    overall, of_latex = table([low, high])
    assert [line.values[0] for line in overall.lines] == [None, None]
    assert [line.model for line in of_latex.lines] == ["low", "high"]
    assert any(note.startswith("latex is not ranked: digests") for note in of_latex.notes)


def test_a_column_in_which_all_are_equal_ranks_nobody(tmp_path: Path) -> None:
    runs = [write(tmp_path / name, name, {"1": value}) for name, value in (("a", 0.2), ("b", 0.4))]
    (overall, *_) = table(runs)
    assert {line.model: line.values[0] for line in overall.lines} == {"b": 1.0, "a": 0.0}


def test_reference_points_of_a_folder_are_rows_and_runs_stand_by_skill(tmp_path: Path) -> None:
    blind = write(tmp_path / "a", "blind", {"1": 0.6, "2": 0.6})
    seeing = write(tmp_path / "b", "seeing", {"1": 0.7, "2": 0.9})
    for run in (blind, seeing):
        write_points(
            open_storage(run),
            {
                "baseline/constant": list(records({"1": 0.6, "2": 0.6}).values()),
                "oracle": list(records({"1": 1.0, "2": 1.0}).values()),
            },
        )
    found = compared(blind, seeing)
    assert list(found.summaries) == ["blind", "seeing", "baseline/constant", "oracle"]
    assert found.unranked == {"baseline/constant", "oracle"}
    assert {label: one.skill.value for label, one in found.skills["latex"].items()} == {
        "seeing": pytest.approx(0.5),
        "blind": pytest.approx(0.0),
    }
    overall, of_latex, skill = table([blind, seeing])
    assert [line.model for line in overall.lines] == ["seeing", "blind", "baseline/constant", "oracle"]
    assert [line.model for line in of_latex.lines][:2] == ["seeing", "blind"]
    assert [heading.name for heading in of_latex.headings][:2] == ["Model", "Skill"]
    beside_published = table([blind, seeing], published=True)[0].lines
    assert [line.mark for line in beside_published] == [True] * 2 + [False] * 14 + [True] * 2
    assert [line.model for line in beside_published][-2:] == ["baseline/constant", "oracle"]
    assert skill.title == "Image2LaTeX, skill"


def test_a_report_of_reference_points_alone_says_that_they_are_not_ranked(tmp_path: Path) -> None:
    runs = [
        write(tmp_path / str(at), name, {"1": 0.4, "2": 0.6})
        for at, name in enumerate(("oracle", "baseline/ocr"))
    ]
    write_report(runs, tmp_path / "report")
    page = (tmp_path / "report/index.html").read_text()
    overview, leaderboard = page.split('<section id="overview">')[1].split('<section id="numbers">')
    assert leaderboard.count("Reference points, not ranked") == 1
    assert overview.count('class="dot"') == len(runs) + 1  # and that of the legend
    assert "is ahead of" not in overview


def test_points_are_what_was_written(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a", 3, pictures=False)
    mine = records({"1": 0.25})
    mine["1"] = changed(mine["1"], parts={"fma": (1.0, 2.0)}, reference_sha256="ab")
    write_points(open_storage(run), {"oracle": list(mine.values())})
    assert read_points(open_storage(run)) == {"oracle": list(mine.values())}
    assert read_points(open_storage(make_run(tmp_path / "b", 1, pictures=False))) == {}


def facts(run: Path, **about: str) -> Path:
    plain = json.loads((run / "manifest.json").read_text())
    plain["about"] |= about
    (run / "manifest.json").write_text(json.dumps(plain))
    return run


LATEX = {"data set": "hf:stanford-crfm/i2s-latex"}
WHOLE = {"1": "equation", "2": "table", "3": "plot", "4": "algorithm"}


def of_subsets(path: Path, **changes: object) -> Path:
    planned = [PlannedInstance(name, "latex", subset) for name, subset in WHOLE.items()]
    given = options(tasks=("latex",), **changes)
    own = {
        name: changed(record, subset=WHOLE[name])
        for name, record in records(dict.fromkeys(WHOLE, 0.5)).items()
    }
    return write_run(path, planned, own, given)


def test_only_the_published_instances_by_the_published_rules_stand_among_published_rows(
    tmp_path: Path,
) -> None:
    helm = facts(of_subsets(tmp_path / "a", profile="helm"), **LATEX)
    assert compared(helm).mismatches == {}
    cases = {
        "4 instances of other data": of_subsets(tmp_path / "b", profile="helm"),
        "only 4 of the instances": facts(of_subsets(tmp_path / "c", profile="helm", limit=4), **LATEX),
        "profile paper": facts(of_subsets(tmp_path / "d"), **LATEX),
        "1 instance of other data": write(tmp_path / "e", "m", {"1": 0.5}, profile="helm"),
        "without algorithm, plot, table": facts(
            write(tmp_path / "f", "m", {"1": 0.5}, profile="helm"), **LATEX
        ),
    }
    for reason, run in cases.items():
        assert list(compared(run).mismatches.values()) == [reason]
    overall = table([helm], published=True)[0]
    assert not any(line.mark for line in overall.lines)
    assert next(line.values[0] for line in overall.lines if line.model == "model-a") is not None


def test_the_mean_skill_of_a_table_is_over_its_own_tasks(tmp_path: Path) -> None:
    """A table over some tasks says nothing of others."""
    run = write(tmp_path / "a", "mine", {"1": 0.7})
    points = {"baseline/constant": list(records({"1": 0.6}).values())}
    write_points(open_storage(run), points)
    found = compared(run)
    skills = found.mean_skills(["latex"])
    assert {label: skill.value for label, skill in skills.items()} == {"mine": pytest.approx(0.25)}
    assert found.mean_skills(["music"]) == {}


def test_a_baseline_that_looks_has_a_skill_and_stands_apart_from_models(tmp_path: Path) -> None:
    ids = ("1", "2")
    constant = write(tmp_path / "a", "openai/constant", dict.fromkeys(ids, 0.60))
    reader = write(tmp_path / "b", "baseline/ocr", dict.fromkeys(ids, 0.70))
    floors = {
        "baseline/shuffled": records(dict.fromkeys(ids, 0.65)),
        "oracle": records(dict.fromkeys(ids, 1.0)),
    }
    for run in (constant, reader):
        write_points(open_storage(run, None), {name: list(found.values()) for name, found in floors.items()})
    overall = table([constant, reader])[0]
    assert [(title, [line.model for line in lines]) for title, lines in overall.blocks] == [
        ("", ["openai/constant"]),
        ("Reference points, not ranked", ["baseline/ocr", "baseline/shuffled", "oracle"]),
    ]
    model, ocr = overall.lines[:2]
    assert ocr.values[1] == pytest.approx(0.05 / 0.35)
    assert model.values[1] == pytest.approx(-0.05 / 0.35)


def points_of(run: Path, **values: dict[str, float]) -> None:
    """Keep reference points in a run folder: by name of the model, values by instance."""
    lines = {
        {"oracle": "oracle"}.get(name, f"baseline/{name}"): list(records(given).values())
        for name, given in values.items()
    }
    write_points(open_storage(run), lines)


def test_the_mean_skill_has_an_interval_over_samples(tmp_path: Path) -> None:
    values = {str(at): 0.6 + 0.02 * at for at in range(20)}
    run = write(tmp_path / "a", "mine", values)
    points_of(run, blank=dict.fromkeys(values, 0.5))
    overall = table([run])[0]
    mean = overall.lines[0].means[1]
    assert mean is not None
    assert mean.interval is not None
    assert mean.interval[0] < (mean.value or 0) < mean.interval[1]
    standing = write_report([run], tmp_path / "report").standings[0]
    assert standing.mean_skill == mean
    plain = standing.to_json()
    assert (plain["mean_skill"], plain["mean_skill_interval"]) == (mean.value, mean.interval)
    assert f"{mean.interval[0]:.3f} to {mean.interval[1]:.3f}" in (tmp_path / "report/index.html").read_text()


def by_difficulty(path: Path, model: str, levels: dict[str, str], value: float) -> Path:
    planned = [PlannedInstance(name, "latex", "equation", level) for name, level in levels.items()]
    own = records(dict.fromkeys(levels, value))
    own = {name: changed(one, difficulty=levels[name]) for name, one in own.items()}
    return write_run(path, planned, own, options(model=model, tasks=("latex",)))


def test_difficulties_have_the_skill_over_their_own_samples_and_say_where_there_is_no_floor(
    tmp_path: Path,
) -> None:
    levels = {"1": "easy", "2": "easy", "3": "hard"}
    mine = by_difficulty(tmp_path / "a", "mine", levels, 0.7)
    blank = by_difficulty(tmp_path / "b", "baseline/blank", {"1": "easy", "2": "easy"}, 0.4)
    (found,) = difficulty_tables([mine, blank])
    assert [heading.name for heading in found.headings][:5] == [
        "Model",
        "Difficulty",
        "Skill",
        "Floor",
        "Ceiling",
    ]
    rows = {(line.model, line.values[0]): line.values[1:4] for line in found.lines}
    assert rows["mine", "easy"] == (pytest.approx(0.5), pytest.approx(0.4), 1.0)
    assert rows["mine", "hard"] == ("no floor", None, None)
    assert rows["baseline/blank", "easy"] == (None, None, None)
    assert any(note.startswith("no floor: ") for note in found.notes)
    assert found.blocks[1][0] == "Reference points, not ranked"


def test_difficulties_without_any_floor_say_so_and_have_no_empty_columns(tmp_path: Path) -> None:
    (found,) = difficulty_tables([by_difficulty(tmp_path / "a", "mine", {"1": "easy"}, 0.7)])
    assert "Skill" not in [heading.name for heading in found.headings]
    assert any(note.startswith("No skill: ") and "baseline/blank" in note for note in found.notes)


def test_difficulties_are_over_the_instances_that_all_runs_have_scored(tmp_path: Path) -> None:
    many = by_difficulty(tmp_path / "a", "many", {str(at): "easy" for at in range(9)}, 0.7)
    few = by_difficulty(tmp_path / "b", "few", {"1": "easy", "2": "easy"}, 0.4)
    (found,) = difficulty_tables([many, few])
    assert [line.values[-1] for line in found.lines] == ["9 of 9", "2 of 2"]
    assert {mean.n for line in found.lines for mean in line.means if mean and mean.n} == {2}
    assert any("over the 2 instances" in note for note in found.notes)


def test_a_floor_that_reaches_the_ceiling_makes_a_skill_undefined(tmp_path: Path) -> None:
    mine = by_difficulty(tmp_path / "a", "mine", {"1": "easy"}, 0.7)
    points_of(mine, blank={"1": 1.0}, oracle={"1": 1.0})
    plain = read_points(open_storage(mine))
    write_points(
        open_storage(mine),
        {name: [changed(one, difficulty="easy") for one in some] for name, some in plain.items()},
    )
    (found,) = difficulty_tables([mine])
    assert found.lines[0].values[1:4] == ("undefined", 1.0, 1.0)
    assert "undefined: the ceiling is no higher than the floor." in found.notes


def test_subsets_of_a_run_have_their_skill_in_the_report_and_on_the_terminal(tmp_path: Path) -> None:
    run = of_subsets(tmp_path / "a")
    own = {"1": ("equation", 0.4), "2": ("table", 0.2)}
    floors = [changed(records({name: value})[name], subset=subset) for name, (subset, value) in own.items()]
    write_points(open_storage(run), {"baseline/blank": floors})
    report = write_report([run], tmp_path / "report")
    of_latex = report.skills_by_subset["latex"]["model-a"]
    assert {name: one.floor if one else None for name, one in of_latex.items()} == {
        "algorithm": None, "equation": 0.4, "plot": None, "table": 0.2,
    }  # fmt: skip
    page = (tmp_path / "report" / "index.html").read_text()
    assert "no floor" in page
    stream = io.StringIO()
    print_skills({"latex": report.skills["latex"]["model-a"]}, stream, {"latex": of_latex})
    shown = {line.split(":")[0].strip(): line for line in stream.getvalue().splitlines()}
    assert "skill 0.167 (n too small), ems 0.500, floor 0.400" in shown["equation"]
    assert "no floor" in shown["plot"]
    assert json.loads(json.dumps(report.to_json()))["skill_by_subset"]["latex"]["model-a"]["plot"] is None


def test_runs_are_called_by_their_labels_and_those_of_one_label_by_their_folders(tmp_path: Path) -> None:
    runs = [write(tmp_path / name, f"model-{name}", {"1": 0.5}) for name in "abc"]
    for run in runs[:2]:
        with RunFolder.open(run) as folder:
            folder.tell({"label": "short"})
    labels = [view.label for view in views_of([read_run(run) for run in runs])]
    assert labels == ["short (paper), a", "short (paper), b", "model-c (paper), c"]
