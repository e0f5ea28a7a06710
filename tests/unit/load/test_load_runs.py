"""Results of the quiet machine are made once, and a part that fails there says so where it is compared."""

from __future__ import annotations

from pathlib import Path

import pytest

import load_runs
from load_parts import attack_parts
from load_runs import FOLDER_VARIABLE, QuietRunError, prepare, quiet_run, quiet_verdicts

PART = "documents"


@pytest.fixture(autouse=True)
def chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setenv("I2S_LOAD_PARTS", f"{PART},examples oracle latex")
    assert attack_parts()[PART].has_verdicts


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was run on the quiet machine."""
    found: list[str] = []

    def recorded(part: load_runs.Part, file: Path, workers: int) -> None:
        found.append("attacks")
        file.write_text("a verdict\n")

    def evaluated(model: str, task: str, out: Path) -> None:
        found.append(f"{model} {task}")
        out.mkdir()
        (out / load_runs.RESULTS).write_text("{}")

    monkeypatch.setattr(load_runs, "run_recorded", recorded)
    monkeypatch.setattr(load_runs, "evaluate", evaluated)
    return found


def test_everything_is_run_once_and_kept(done: list[str]) -> None:
    said: list[str] = []
    for _ in range(2):
        prepare(said.append)
    assert done == ["attacks", "oracle latex"]
    assert said[:2] == ["quiet machine: 1 of 2, documents", "quiet machine: 2 of 2, examples oracle latex"]
    assert quiet_verdicts(PART).read_text() == "a verdict\n"
    assert (quiet_run("oracle", "latex") / load_runs.RESULTS).read_text() == "{}"


def test_a_failure_is_raised_for_its_part_alone_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, done: list[str]
) -> None:
    passing = load_runs.run_recorded

    def failing(part: load_runs.Part, file: Path, workers: int) -> None:
        raise AssertionError("1 failed, 2 passed")

    monkeypatch.setattr(load_runs, "run_recorded", failing)
    prepare(print)
    with pytest.raises(QuietRunError, match="failed on the quiet machine:\n1 failed, 2 passed"):
        quiet_verdicts(PART)
    assert quiet_run("oracle", "latex").is_dir()
    monkeypatch.setattr(load_runs, "run_recorded", passing)
    prepare(print)
    assert quiet_verdicts(PART).is_file()
