"""Runs of several models and several files of prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.errors import UsageError
from i2s_sdk.models import open_model
from i2s_sdk.run.evaluate import model_runs

ORACLE, BLANK = open_model("oracle"), open_model("baseline/blank")


def test_a_run_is_named_after_its_file_of_prompts_and_its_model_if_there_are_several(tmp_path: Path) -> None:
    alone = model_runs([ORACLE], tmp_path, ["a/short.toml", "long.toml"])
    assert [(run.name, run.out) for run in alone] == [
        ("short", tmp_path / "short"),
        ("long", tmp_path / "long"),
    ]
    both = model_runs([ORACLE, BLANK], tmp_path, ["short.toml", "long.toml"])
    assert [run.name for run in both] == [
        "oracle, short",
        "oracle, long",
        "baseline/blank, short",
        "baseline/blank, long",
    ]
    assert both[3].out == tmp_path / "baseline-blank-long"
    assert [run.name for run in model_runs([ORACLE], tmp_path)] == ["oracle"]


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="short is named twice"):
        model_runs([ORACLE], tmp_path, ["a/short.toml", "b/short.toml"])
