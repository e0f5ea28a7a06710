"""The skill of runs beside their values."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.report import write_report
from i2s_sdk.report.paper_tables import table
from run_folders import make_run


def runs(folder: Path) -> list[Path]:
    return [
        make_run(folder / name, 30, salt=name, pictures=False, model=model)
        for name, model in (
            ("a", "openai/one"),
            ("b", "baseline/blank"),
            ("c", "baseline/constant"),
            ("d", "openai/two"),
        )
    ]


def test_each_task_has_a_table_of_skill_and_reference_points_are_not_ranked(tmp_path: Path) -> None:
    found = {one.title: one for one in table(runs(tmp_path))}
    skill = found["Image2LaTeX, skill"]
    assert {line.model for line in skill.lines} == {"openai/one", "openai/two"}
    assert {str(line.values[3])[:9] for line in skill.lines} == {"baseline/"}
    assert all(line.means[0] is not None and line.means[0].interval for line in skill.lines)
    overall = found["Results (as Table 2 of the paper)"]
    ranked = {line.model for line in overall.lines if line.values[0] is not None}
    assert ranked == {"openai/one", "openai/two"}
    assert [line.model for line in overall.lines][2:] == ["baseline/blank", "baseline/constant"]


def test_runs_of_another_profile_are_not_compared_with_a_floor(tmp_path: Path) -> None:
    mine = make_run(tmp_path / "mine", 30, pictures=False, model="openai/one", profile="helm")
    floor = make_run(tmp_path / "floor", 30, pictures=False, model="baseline/blank", profile="paper")
    assert not any("skill" in one.title for one in table([mine, floor]))


def test_without_a_floor_there_is_no_such_table(tmp_path: Path) -> None:
    mine, _, _, other = runs(tmp_path)
    assert not any("skill" in one.title for one in table([mine, other]))


def test_the_report_has_the_tables(tmp_path: Path) -> None:
    report = write_report(runs(tmp_path), tmp_path / "report")
    page = Path(str(report.path)).read_text("utf-8")
    assert "Image2LaTeX, skill" in page
    assert "The oracle and the baselines are not ranked" in page
