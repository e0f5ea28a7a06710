"""``i2s-sdk dataset``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.cli.main import run

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"


def test_a_new_data_set_validates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["dataset", "new", "mine"]) == 0
    assert "mine: 1 instance;" in capsys.readouterr().out
    assert run(["dataset", "validate", "mine"]) == 0
    assert capsys.readouterr().out == ""
    assert run(["dataset", "new", "mine"]) == 2
    assert "not empty" in capsys.readouterr().err


def test_the_bundled_examples_validate_and_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["dataset", "validate", str(EXAMPLES), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["faults"]) == (True, [])
    assert run(["dataset", "list", str(EXAMPLES), "--json"]) == 0
    counted = json.loads(capsys.readouterr().out)
    assert (
        counted["instances"]
        == document["instances"]
        == sum(subset["instances"] for subset in counted["subsets"])
    )


def test_the_list_is_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["dataset", "list", str(EXAMPLES), "--subset", "equation"]) == 0
    head, row, total = capsys.readouterr().out.splitlines()
    assert head.split("  ")[0] == "task"
    assert row.split()[:3] == ["latex", "equation", "4"]
    assert total == "4 instances"


def test_faults_end_with_2_and_stand_on_lines_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "instances.jsonl").write_text("{\n[]\n")
    assert run(["dataset", "validate", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert [line.split(": ")[0] for line in out.splitlines()] == [
        f"{tmp_path}/instances.jsonl:1",
        f"{tmp_path}/instances.jsonl:2",
    ]
    assert "2 faults" in err
    assert run(["dataset", "validate", str(tmp_path), "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert [fault["line"] for fault in document["faults"]] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list", "/nowhere"], "/nowhere/instances.jsonl"),
        (["list", "hf:nonsense"], "hf:OWNER/NAME"),
        (["list", str(EXAMPLES), "--subset", "tabel"], "did you mean 'table'"),
        (["new", "x", "--task", "latx"], "did you mean 'latex'"),
        (["new", "x", "--from", "/nowhere"], "/nowhere"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["dataset", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert said in err
    assert not list(tmp_path.iterdir())


def test_warnings_leave_the_exit_code_at_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, folder = tmp_path / "source", str(tmp_path / "new")
    source.mkdir()
    Image.new("RGBA", (8, 8), (0, 0, 0, 0)).save(source / "a.png")
    Image.new("RGB", (8, 8)).save(source / "b.gif")
    (source / "notes.txt").write_text("x")
    assert run(["dataset", "new", folder, "--from", str(source), "--task", "latex"]) == 0
    labels = [line.split(": ")[0] for line in capsys.readouterr().err.splitlines()]
    assert labels == ["converted", "left out", "warning"]
    assert run(["dataset", "validate", folder]) == 0
    assert "warning: " in capsys.readouterr().err
    assert run(["dataset", "validate", folder, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["faults"]) == (True, [])
    assert [warning["line"] for warning in document["warnings"]] == [1]


def test_a_broken_image_is_left_out_with_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    Image.new("RGB", (8, 8)).save(source / "a.png")
    (source / "b.png").write_bytes(b"x")
    arguments = ["dataset", "new", str(tmp_path / "new"), "--from", str(source), "--task", "latex", "--json"]
    assert run(arguments) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["instances"] == 1
    assert document["left_out"] == [
        {"file": str(source / "b.png"), "reason": "is not an image in PNG, JPEG or WebP"}
    ]
