"""Several runs at a glance: main values, losses, and who is ahead of whom."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from i2s_sdk.report import Report, print_overview, write_report
from i2s_sdk.report.overview import Lead
from i2s_sdk.run.storage.folder import read_run, write_points
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.stats.means import Mean
from i2s_wire.render.rendering import Verdict
from run_folders import options, write_run
from sample_records import changed, flat_record


def run(path: Path, values: dict[str, list[float]], exact: int = 0, broken: int = 0) -> Path:
    """Write a run with these values of the main metric by task; the last ``broken`` are not rendered."""
    planned, samples = [], {}
    for task, of_task in values.items():
        for at, value in enumerate(of_task):
            one = PlannedInstance(f"{task}-{at}", task, "equation", "easy")
            planned.append(one)
            rendered = at < len(of_task) - broken
            metrics = {"ems": value, "exact": float(at < exact)}
            verdict = Verdict.RENDERED if rendered else Verdict.COMPILE_ERROR
            record = flat_record(one.id, task, "equation", "easy", outcome=Outcome.SCORED, completion=one.id)
            samples[one.id] = changed(
                record,
                reference_sha256=one.id,
                usable=rendered,
                verdict=verdict,
                verdict_before_repair=verdict,
                metrics=metrics if rendered else dict.fromkeys(metrics, 0.0),
            )
    metrics_of_run = {"ems": "1", "exact": "1"}
    write_run(path, planned, samples, options(tasks=tuple(values), model=path.name, metrics=metrics_of_run))
    return path


def report(tmp_path: Path, *runs: Path) -> Report:
    return write_report(list(runs), tmp_path / "both")


def printed(written: Report) -> str:
    stream = io.StringIO()
    print_overview(written.overview, stream)
    return stream.getvalue()


def test_each_task_has_its_best_two_runs_and_whether_the_difference_may_be_chance(tmp_path: Path) -> None:
    best = run(tmp_path / "best", {"latex": [0.9] * 12, "music": [0.5, 0.6]})
    worst = run(tmp_path / "worst", {"latex": [0.1] * 12, "music": [0.1, 0.1]})
    next_best = run(tmp_path / "next", {"latex": [0.7] * 12, "music": [0.6, 0.4]})
    latex, music = report(tmp_path, worst, next_best, best).overview.leads
    assert (latex.task, latex.ahead, latex.behind, latex.is_certain) == ("latex", "best", "next", True)
    assert abs((latex.difference.value or 0) - 0.2) < 1e-9
    assert latex.sentence() == "latex: best is ahead of next by 0.200 in ems (p below 0.001, n=12)"
    assert (music.task, music.ahead, music.behind, music.is_certain) == ("music", "best", "next", False)
    assert music.sentence().endswith("which may be chance (p 1.000, n=2)")


def test_a_column_that_samples_do_not_have_has_a_lead_without_a_test() -> None:
    lead = Lead("readoc", "average", "a", "b", Mean(0.25, 5), None)
    assert lead.sentence() == "readoc: a is ahead of b by 0.250 in average (n=5)"


def test_runs_that_agree_in_every_sample_are_said_to_be_equal(tmp_path: Path) -> None:
    runs = [run(tmp_path / name, {"latex": [0.5, 0.75]}) for name in ("a", "b")]
    (lead,) = report(tmp_path, *runs).overview.leads
    assert lead.sentence() == "latex: a and b are equal on all 2 samples"
    assert not lead.is_certain


def test_a_row_has_the_main_values_the_exact_answers_and_the_losses(tmp_path: Path) -> None:
    lossy = run(tmp_path / "lossy", {"latex": [0.5] * 4, "music": [0.25] * 4}, exact=2, broken=1)
    whole = run(tmp_path / "whole", {"latex": [1.0] * 4, "music": [1.0] * 4}, exact=4)
    written = report(tmp_path, lossy, whole)
    first, second = written.overview.rows
    assert (first.label, first.exact, first.scored, first.lost) == ("whole", (8, 8), (8, 8), ())
    assert (second.label, second.exact, second.scored) == ("lossy", (4, 8), (8, 8))
    assert second.lost == ("2 not rendered",)
    assert {task: mean.value for task, mean in second.values.items()} == {"latex": 0.375, "music": 0.1875}
    text = printed(written)
    assert "lossy, cut off or lost: 2 not rendered" in text
    assert "whole, cut off" not in text
    assert text.index("whole ") < text.index("lossy ")


def test_reference_points_that_the_folder_of_a_run_keeps_are_the_floor_and_no_rows(tmp_path: Path) -> None:
    runs = [run(tmp_path / name, {"latex": [0.5, 0.75]}) for name in ("a", "b")]
    kept = [
        flat_record(
            f"latex-{at}",
            "latex",
            "equation",
            "easy",
            outcome=Outcome.SCORED,
            usable=True,
            reference_sha256=f"latex-{at}",
            metrics={"ems": 0.25},
        )
        for at in range(2)
    ]
    write_points(read_run(runs[0]).storage, {"baseline/blank": kept})
    written = report(tmp_path, *runs)
    assert [row.label for row in written.overview.rows] == ["a", "b"]
    text = printed(written)
    assert "baseline/blank" not in text
    (floor,) = (line for line in text.splitlines() if "floor" in line)
    assert floor.split()[-1] == "0.250"


def test_a_table_of_many_tasks_has_a_row_for_each(tmp_path: Path) -> None:
    tasks = ("heading_ocr", "webqa", "web_caption", "element_ocr", "element_ground", "action_ground")
    runs = [run(tmp_path / name, {task: [0.5, 0.5] for task in tasks}) for name in ("a", "b")]
    written = report(tmp_path, *runs)
    lines = [line.split() for line in printed(written).splitlines() if line.strip()]
    assert [line[0] for line in lines if line[0] in tasks] == sorted(
        tasks, key=[column.task for column in written.overview.columns].index
    )
    assert max(map(len, printed(written).splitlines())) <= 80


def scaled(path: Path, ems: float, glyph_f1: float | None, model: str = "") -> Path:
    """Write a run of the task latex with its published and its recommended metric."""
    planned = [PlannedInstance(f"latex-{at}", "latex", "equation", "easy") for at in range(12)]
    plain = flat_record("", "latex", "equation", "easy", outcome=Outcome.SCORED, completion="x")
    metrics = {"ems": ems, "glyph_f1": glyph_f1}
    samples = {
        one.id: changed(
            plain,
            id=one.id,
            reference_sha256=one.id,
            usable=True,
            verdict=Verdict.RENDERED,
            verdict_before_repair=Verdict.RENDERED,
            metrics=metrics,
        )
        for one in planned
    }
    made = options(tasks=("latex",), model=model or path.name, metrics=dict.fromkeys(metrics, "1"))
    write_run(path, planned, samples, made)
    return path


def test_the_recommended_column_stands_beside_the_main_one_and_has_the_skill(tmp_path: Path) -> None:
    runs = [
        scaled(tmp_path / "right", 0.72, 1.0),
        scaled(tmp_path / "constant", 0.73, 0.2),
    ]
    points = scaled(tmp_path / "blank", 0.7, 0.1, "baseline/blank")
    written = report(tmp_path, *runs, points)
    assert [column.title for column in written.overview.columns] == ["latex ems", "latex glyph_f1"]
    main, recommended = written.overview.leads
    assert (main.ahead, recommended.ahead) == ("constant", "right")
    text = printed(written)
    assert "latex: ems and glyph_f1 disagree about who is ahead; go by glyph_f1" in text
    assert "latex: ems is the published metric; glyph_f1 tells right answers from wrong ones" in text
    page = Path(written.path).read_text(encoding="utf-8")
    for said in written.overview.notes:
        assert said in page
    assert "The main metric of each task, and the recommended one" in page
    skill = written.skills["latex"]["right"]
    assert (skill.metric, round(skill.floor, 3), skill.skill.value) == ("glyph_f1", 0.1, 1.0)
    document = written.overview.to_json()["rows"][0]
    assert {name: document[name]["latex"]["value"] for name in ("values", "recommended")} == {
        "values": pytest.approx(0.72),
        "recommended": 1.0,
    }


def test_runs_without_the_recommended_column_have_the_skill_of_the_main_one(tmp_path: Path) -> None:
    both, old = scaled(tmp_path / "both", 0.8, 1.0), run(tmp_path / "old", {"latex": [0.9] * 12})
    points = scaled(tmp_path / "blank", 0.7, 0.1, "baseline/blank")
    written = report(tmp_path, both, old, points)
    assert {one.metric for one in written.skills["latex"].values()} == {"ems"}


def test_a_recommended_metric_that_no_sample_has_takes_no_skill_away(tmp_path: Path) -> None:
    """References that are images alone have nothing that an engine drew."""
    runs = [scaled(tmp_path / name, value, None) for name, value in (("a", 0.9), ("b", 0.8))]
    points = scaled(tmp_path / "blank", 0.7, None, "baseline/blank")
    written = report(tmp_path, *runs, points)
    assert {one.metric for one in written.skills["latex"].values()} == {"ems"}
    assert [column.title for column in written.overview.columns] == ["latex ems"]
    assert written.overview.notes == ()
