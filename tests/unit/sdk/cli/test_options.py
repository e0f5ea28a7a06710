"""A folder of runs stands for the runs in it."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.cli.options import all_runs


def run(folder: Path) -> str:
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    return str(folder)


def test_a_folder_of_runs_stands_for_all_of_them_by_name(tmp_path: Path) -> None:
    second, first = run(tmp_path / "both" / "b"), run(tmp_path / "both" / "a")
    (tmp_path / "both" / "pictures").mkdir()
    (tmp_path / "both" / "index.html").write_text("")
    single = run(tmp_path / "single")
    assert all_runs([single, str(tmp_path / "both")]) == (single, first, second)


def test_a_run_with_runs_in_it_is_one_run(tmp_path: Path) -> None:
    outer = run(tmp_path / "outer")
    run(tmp_path / "outer" / "inner")
    assert all_runs([outer]) == (outer,)


def test_what_holds_no_run_and_what_is_elsewhere_stay_as_they_are(tmp_path: Path) -> None:
    names = (str(tmp_path), str(tmp_path / "missing"), "s3://bucket/run")
    assert all_runs(names) == names
