"""The commands compare, correlations and table --by-difficulty."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from i2s_sdk.cli.main import group
from i2s_sdk.errors import UsageError
from i2s_sdk.report.analyses import compare_two, difficulty_tables, metric_correlations
from run_folders import make_run


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [make_run(tmp_path / salt, 60, salt=salt, model=f"model-{salt}", pictures=False) for salt in "ab"]


def test_two_runs_are_tested_metric_by_metric(runs: list[Path]) -> None:
    found = compare_two(*runs)
    ems = next(
        comparison
        for comparison in found.versus.comparisons
        if (comparison.task, comparison.metric) == ("latex", "ems")
    )
    assert 0.0 < (ems.p_value or 0.0) <= 1.0
    assert (ems.needed or 0) > ems.difference.n  # these runs are of chance
    smaller = compare_two(*runs, difference=0.001)
    of_small = next(
        comparison
        for comparison in smaller.versus.comparisons
        if (comparison.task, comparison.metric) == ("latex", "ems")
    )
    assert (of_small.needed or 0) > (ems.needed or 0)


def test_a_run_against_itself_has_no_p_value(runs: list[Path]) -> None:
    assert {comparison.p_value for comparison in compare_two(runs[0], runs[0]).versus.comparisons} == {None}


def test_runs_of_different_rules_are_not_compared_unless_that_is_wanted(
    tmp_path: Path, runs: list[Path]
) -> None:
    other = make_run(tmp_path / "helm", 60, pictures=False, model="other", profile="helm")
    found = compare_two(runs[0], other)
    assert any("different profiles" in note for note in found.notes)
    assert not found.versus.comparisons
    wanted = compare_two(runs[0], other, across_rules=True)
    assert {comparison.task for comparison in wanted.versus.comparisons} == {"latex", "webpage", "music"}
    assert wanted.notes == found.notes

    words = ["compare", str(runs[0]), str(other)]
    refused = CliRunner().invoke(group, words)
    assert (refused.exit_code, "different profiles" in refused.stderr) == (1, True)
    assert "follow the same rules" in refused.stdout
    assert CliRunner().invoke(group, [*words, "--across-rules"]).exit_code == 0


def test_a_metric_in_two_versions_is_left_out_alone(tmp_path: Path, runs: list[Path]) -> None:
    manifest = json.loads((runs[1] / "manifest.json").read_text())
    assert manifest["options"]["metrics"]["ssim"]
    manifest["options"]["metrics"]["ssim"] += "x"
    (runs[1] / "manifest.json").write_text(json.dumps(manifest))
    found = {
        comparison.metric
        for comparison in compare_two(*runs).versus.comparisons
        if comparison.task == "latex"
    }
    assert "ems" in found
    assert "ssim" not in found


def test_a_difference_is_above_0(runs: list[Path]) -> None:
    with pytest.raises(UsageError, match="above 0"):
        compare_two(*runs, difference=0.0)


def test_metrics_of_each_task_are_correlated(runs: list[Path]) -> None:
    found = metric_correlations(runs)
    assert list(found) == ["latex", "webpage", "music"]
    assert [(one.first, one.second) for one in found["latex"]][:2] == [("ems", "pixel"), ("ems", "ssim")]
    assert all(abs(one.pearson or 0.0) < 0.5 for one in found["latex"])  # of chance


def test_difficulties_stand_in_their_order(runs: list[Path]) -> None:
    latex = difficulty_tables(runs)[0]
    assert [line.values[0] for line in latex.lines] == ["easy", "easy", "medium", "medium", "hard", "hard"]
    assert [line.model for line in latex.lines][:2] == ["model-a", "model-b"]


@pytest.mark.parametrize("words", [["compare"], ["correlations"], ["table", "--by-difficulty"]])
def test_the_commands_print_tables_and_json(words: list[str], runs: list[Path]) -> None:
    paths = [str(run) for run in runs]
    shown = CliRunner().invoke(group, [*words, *paths])
    assert shown.exit_code == 0, shown.output
    assert "latex" in shown.stdout.lower()
    assert json.loads(CliRunner().invoke(group, [*words, *paths, "--json"]).stdout)
