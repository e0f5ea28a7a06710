"""make nightly runs every long check, whatever became of those before, and says which failed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

TARGETS = ["test-nightly", "test-mutants", "test-attacks", "test-load"]


@pytest.fixture
def make(tmp_path: Path) -> Path:
    """A make that fails for one target and is interrupted in another."""
    program = tmp_path / "make"
    program.write_text(
        '#!/bin/sh\necho "make $*"\ncase $2 in\ntest-mutants) exit 2 ;;\nstopped) exit 130 ;;\nesac\n'
    )
    program.chmod(0o755)
    return program


def nightly(root: Path, make: Path, *targets: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "MAKE": str(make)}
    command = [str(root / "scripts/nightly"), *targets]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_every_target_runs_and_the_end_says_which_failed(root: Path, make: Path) -> None:
    done = nightly(root, make)
    assert done.returncode == 1
    assert re.findall(r"^make --no-print-directory (.*)$", done.stdout, re.M) == TARGETS
    summary = done.stdout.rpartition("== nightly\n")[2].splitlines()
    assert [line.split()[:2] for line in summary[:4]] == [
        ["test-nightly", "passed"],
        ["test-mutants", "FAILED"],
        ["test-attacks", "passed"],
        ["test-load", "passed"],
    ]
    assert summary[4:] == ["Failed: test-mutants"]


def test_targets_that_pass_end_with_0(root: Path, make: Path) -> None:
    done = nightly(root, make, "test-nightly", "test-load")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "All passed."


def test_an_interrupted_target_ends_the_run(root: Path, make: Path) -> None:
    done = nightly(root, make, "test-nightly", "stopped", "test-load")
    assert done.returncode == 130
    assert "make --no-print-directory test-load" not in done.stdout


def test_each_target_is_one_of_the_makefile(root: Path) -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", (root / "Makefile").read_text(), re.M)
    assert set(TARGETS) | {"nightly"} <= set(targets)
