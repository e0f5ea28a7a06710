"""The commands report, table, export and merge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from i2s_sdk.cli.main import BELOW_COVERAGE, run
from run_folders import instances, make_run, options, record_of, write_run


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(make_run(tmp_path / "run", 10, pictures=False))


def _shards(folder: Path) -> list[str]:
    planned = instances(20)
    records = {one.id: record_of(one) for one in planned}
    return [str(write_run(folder / f"p{at}", planned, records, options(shard=f"{at}/2"))) for at in (1, 2)]


def _said(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out


def test_report_says_where_it_is(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _said(["report", folder], capsys) == f"Report: {Path(folder).resolve() / 'index.html'}\n"
    document = json.loads(_said(["report", folder, "--single-file", "--json"], capsys))
    assert Path(document["report"]).name == "report.html"
    assert document["leaderboard"][0]["label"] == "model-a"


def test_table_prints_every_format(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "as Table 2" in _said(["table", folder], capsys)
    assert _said(["table", folder, "--format", "markdown"], capsys).startswith("**Results")
    assert _said(["table", folder, "--format", "latex", "--published"], capsys).count(r"\begin{table}") == 5
    assert len(json.loads(_said(["table", folder, "--json"], capsys))) == 5


def test_export_goes_by_the_ending(folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "out.csv")
    assert _said(["export", folder, "-o", file], capsys) == f"{file}: 10 rows\n"
    document = json.loads(_said(["export", folder, "-o", file, "--format", "jsonl", "--json"], capsys))
    assert document == {"file": file, "rows": 10}
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 10


def test_merge_says_the_numbers_and_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = _shards(tmp_path)
    whole = str(tmp_path / "whole")
    document = json.loads(
        _said(["merge", second, first, "--out", whole, "--json", "--fail-on-error", "50%"], capsys)
    )
    assert (document["planned"], document["missing"], document["covered"]) == (20, [], True)
    assert run(["merge", first, "--out", str(tmp_path / "part")]) == BELOW_COVERAGE
    out, err = capsys.readouterr()
    assert "latex, profile paper" in out
    assert "instances are in no shard:\n  equation-" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "nowhere"], "nowhere is not the folder of a run"),
        (["report", "RUN", "RUN"], "--out"),
        (["table", "nowhere"], "nowhere is not the folder of a run"),
        (["table", "RUN", "--mean", "rendered", "--published"], "--mean all"),
        (["table", "RUN", "--format", "word"], "--format"),
        (["export", "RUN", "-o", "out.parqet"], "did you mean 'parquet'"),
        (["export", "RUN"], "-o"),
        (["merge", "RUN", "nowhere", "--out", "x"], "nowhere is not the folder of a run"),
        (["merge", "RUN", "--out", "RUN"], "holds a run already"),
        (["merge", "RUN"], "--out"),
        (["merge", "RUN", "--out", "x", "--fail-on-error", "some"], "fail-on-error"),
    ],
)
def test_wrong_use_is_told_with_exit_code_2_and_leaves_nothing(
    arguments: list[str],
    said: str,
    folder: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([folder if argument == "RUN" else argument for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
