"""Runs beside each other."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.stats.aggregate import summarize_run
from i2s_sdk.stats.leaderboard import labels, leaderboard, mean_win_rates, ranking_columns
from run_folders import make_run


def test_models_stand_by_win_rate_over_success_and_similarity_of_each_task(tmp_path: Path) -> None:
    runs = {
        salt: summarize_run(read_run(make_run(tmp_path / salt, 60, salt=salt, pictures=False)))
        for salt in "abc"
    }
    columns = ranking_columns(runs)
    assert [column.name for column in columns] == [
        f"{task} {metric}" for task in ("latex", "webpage", "music") for metric in ("rendered", "ems")
    ]
    board = leaderboard(runs)
    assert {one.label: one.win_rate for one in board} == mean_win_rates(list(runs), columns)
    assert [one.win_rate for one in board] == sorted((one.win_rate for one in board), reverse=True)
    latex = board[0].values["latex"]["ems"]
    total = runs[board[0].label].tasks["latex"].total
    assert latex == total.metrics["ems"].all


def test_reference_points_have_no_win_rate_and_count_in_that_of_nobody(tmp_path: Path) -> None:
    runs = {
        salt: summarize_run(read_run(make_run(tmp_path / salt, 60, salt=salt, pictures=False)))
        for salt in "abc"
    }
    board = {one.label: one for one in leaderboard(runs, {"b"})}
    alone = {one.label: one for one in leaderboard({label: runs[label] for label in "ac"})}
    assert board["b"].win_rate is None
    assert board["b"].values == leaderboard({"b": runs["b"]})[0].values
    assert {label: board[label].win_rate for label in "ac"} == {
        label: alone[label].win_rate for label in "ac"
    }


def test_one_run_has_no_win_rate(tmp_path: Path) -> None:
    run = read_run(make_run(tmp_path / "a", 10, pictures=False))
    assert [one.win_rate for one in leaderboard({"a": summarize_run(run)})] == [None]


def test_labels_are_as_short_as_tells_runs_apart() -> None:
    assert labels([("m", "paper", "x"), ("n", "paper", "y")]) == ["m", "n"]
    assert labels([("m", "paper", "x"), ("m", "helm", "y")]) == ["m (paper)", "m (helm)"]
    assert labels([("m", "paper", "x"), ("m", "paper", "y")]) == ["m (paper), x", "m (paper), y"]
    assert labels([("m", "paper", "x"), ("m", "paper", "x")]) == ["m (paper), x", "m (paper), x #2"]
