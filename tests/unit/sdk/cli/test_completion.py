"""Completion in shells, as click asks for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from i2s_sdk.cli.main import group, run
from i2s_sdk.tasks.registry import TASKS


def _completed(*words: str) -> list[str]:
    """Return what the last word may become."""
    shell = BashComplete(group, {}, "i2s-sdk", "_I2S_SDK_COMPLETE")
    return [completion.value for completion in shell.get_completions(list(words[:-1]), words[-1])]


def test_tasks_are_completed() -> None:
    assert _completed("evaluate", "--task", "") == list(TASKS)
    assert _completed("generate", "--task", "la") == ["latex"]


def test_models_are_completed() -> None:
    assert _completed("evaluate", "--model", "baseline/c") == ["baseline/chance", "baseline/constant"]
    assert _completed("evaluate", "--model", "op") == ["openai/"]


def test_files_after_replay_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "answers.jsonl").touch()
    (tmp_path / "answers").mkdir()
    monkeypatch.chdir(tmp_path)
    assert _completed("evaluate", "--model", "replay:ans") == ["replay:answers/", "replay:answers.jsonl"]
    assert _completed("evaluate", "--model", f"replay:{tmp_path}/answers.") == [
        f"replay:{tmp_path}/answers.jsonl"
    ]
    assert _completed("evaluate", "--model", "replay:nowhere/") == []


def test_subsets_and_difficulties_are_those_of_the_data_set(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"")
    lines = [
        {"id": "a", "task": "latex", "subset": "mine", "image": "a.png", "difficulty": "odd"},
        {"id": "b", "task": "music", "subset": "other", "image": "a.png"},
    ]
    (tmp_path / "instances.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert _completed("evaluate", "--data", str(tmp_path), "--subset", "") == ["mine", "other"]
    assert _completed("evaluate", "--data", str(tmp_path), "--task", "latex", "--subset", "") == ["mine"]
    assert _completed("evaluate", "--data", str(tmp_path), "--difficulty", "") == ["odd"]
    assert "equation" in _completed("evaluate", "--data", "hf:i2s", "--subset", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert f"_I2S_SDK_COMPLETE={shell}_complete" in capsys.readouterr().out
