"""How scripts/check runs steps, one after the other or at the same time, and sums them up."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A checkout with scripts/check, in which the step lint passes and nothing else can be run."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(root / "scripts/check", tmp_path / "scripts")
    ruff = tmp_path / ".venv/bin/ruff"
    ruff.parent.mkdir(parents=True)
    ruff.write_text("#!/bin/sh\necho ruff was called\n")
    ruff.chmod(0o755)
    return tmp_path


def check(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(checkout / "scripts/check"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("steps", [("lint", "lint"), ("lint+lint",)], ids=["in turn", "together"])
def test_steps_that_pass_are_shown_with_what_they_print(checkout: Path, steps: tuple[str, ...]) -> None:
    done = check(checkout, *steps)
    assert done.returncode == 0, done.stdout
    assert "ruff was called" in done.stdout
    assert done.stdout.rpartition("== summary")[2].count("lint         passed") == 2


@pytest.mark.parametrize("steps", [("lint", "nonesuch"), ("lint+nonesuch",)], ids=["in turn", "together"])
def test_a_step_that_fails_fails_the_check_and_hides_no_other(checkout: Path, steps: tuple[str, ...]) -> None:
    done = check(checkout, *steps)
    assert done.returncode == 1
    summary = done.stdout.rpartition("== summary")[2]
    assert "lint         passed" in summary
    assert "nonesuch     FAILED" in summary


def test_skipped_tests_stand_before_the_summary_and_failed_ones_in_it(checkout: Path) -> None:
    python = checkout / ".venv/bin/python"
    python.write_text('#!/bin/sh\necho "$1 of $2"\n')
    python.chmod(0o755)
    report = checkout / ".i2s/tests/lint.xml"
    report.parent.mkdir(parents=True)
    report.write_text("<testsuites/>")
    before, _, summary = check(checkout, "lint").stdout.rpartition("== summary")
    assert before.endswith("== skipped tests\nscripts/skips of .i2s/tests/lint.xml\n\n")
    assert "scripts/skips" not in summary
    assert "scripts/failures of .i2s/tests/lint.xml" in summary


def test_steps_together_can_be_interrupted(checkout: Path) -> None:
    ruff = checkout / ".venv/bin/ruff"
    ruff.write_text("#!/bin/sh\ngrep SigIgn /proc/self/status\n")
    done = check(checkout, "lint+lint")
    masks = {int(line.split()[1], 16) for line in done.stdout.splitlines() if line.startswith("SigIgn")}
    assert masks
    assert all(not mask & (1 << 1 | 1 << 2) for mask in masks)  # SIGINT and SIGQUIT
