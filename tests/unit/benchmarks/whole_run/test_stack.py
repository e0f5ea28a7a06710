"""Processes of a renderer are engines or overhead."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.whole_run.stack import is_engine


@pytest.mark.parametrize(("program", "expected"), [("chromium-headless-shell", True), ("node", False)])
def test_a_process_is_known_by_its_program_whatever_its_command_line_says(
    tmp_path: Path, program: str, expected: bool
) -> None:
    copy = tmp_path / program
    shutil.copy(shutil.which("sleep") or "sleep", copy)
    # As Chromium's renderer processes overwrite theirs: no separators, a path at the end.
    words = ["/usr/bin/chromium --type=renderer --field-trial-handle=/a/node --path=/a/b", "60"]
    with subprocess.Popen(words, executable=copy) as running:
        try:
            assert is_engine(running.pid) is expected
        finally:
            running.kill()


def test_a_process_that_is_gone_is_no_engine() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as running:
        running.wait()
    assert not is_engine(running.pid)
