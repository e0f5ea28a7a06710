"""Data sets of format 1 copied in format 2, and the lines that are written."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.cli.main import run
from i2s_sdk.data import read_folder
from i2s_sdk.data.folder import read_content
from i2s_sdk.data.format_2 import convert, converted, line
from i2s_sdk.data.locations import examples_folder
from i2s_sdk.errors import DataError, UsageError

_OF_FORMAT_2 = {"inputs", "files", "provenance", "licence", "image", "structure", "assets"}


def _plain(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(raw) for raw in (folder / "instances.jsonl").read_text().splitlines()]


def test_the_examples_are_the_same_instances_in_format_2(tmp_path: Path) -> None:
    examples = examples_folder()
    before = read_folder(examples).instances
    assert convert(examples, tmp_path / "two", licence="CC0-1.0") == len(before)
    after = read_folder(tmp_path / "two").instances
    assert all("inputs" in one and one["licence"] == "CC0-1.0" for one in _plain(tmp_path / "two"))
    for one, two in zip(before, after, strict=True):
        for field in fields(one):
            if field.name not in _OF_FORMAT_2:
                assert getattr(one, field.name) == getattr(two, field.name), field.name
        assert replace(read_content(two), inputs={}) == read_content(one)


def test_a_line_of_format_2_stays_as_it_is() -> None:
    row = {"id": "a", "task": "latex", "subset": "s", "inputs": {"image": "a.png"}, "licence": "MIT"}
    assert converted(row) == row


def test_what_is_empty_is_left_out() -> None:
    assert line("a", "latex", "s", {"image": "a.png"}) == {
        "id": "a",
        "task": "latex",
        "subset": "s",
        "inputs": {"image": "a.png"},
    }


def test_a_line_that_does_not_fit_the_task_is_not_written() -> None:
    with pytest.raises(ValueError, match="a: inputs: 'image' is a required property"):
        line("a", "latex", "s", {})


def test_a_faulty_data_set_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "instances.jsonl").write_text('{"id": "a"}')
    with pytest.raises(DataError):
        convert(tmp_path, tmp_path / "two")
    assert not (tmp_path / "two").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(UsageError, match="not empty"):
        convert(examples_folder(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_schema_of_a_task_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["dataset", "schema", "latex"]) == 0
    assert json.loads(capsys.readouterr().out)["properties"]["inputs"]["required"] == ["image"]
