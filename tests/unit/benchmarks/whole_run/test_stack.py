"""Processes of a renderer are engines or overhead."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.whole_run.stack import charged_in, is_engine


@pytest.mark.parametrize(("program", "expected"), [("chromium-headless-shell", True), ("node", False)])
def test_a_process_is_known_by_its_program_whatever_its_command_line_says(
    tmp_path: Path, program: str, expected: bool
) -> None:
    copy = tmp_path / program
    shutil.copy(shutil.which("sleep") or "sleep", copy)
    # Chromium's renderer processes overwrite theirs like this: no separators, a path at the end.
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


def test_what_a_service_charged_is_the_sum_over_its_calls(tmp_path: Path) -> None:
    lines = [
        {"logger": "i2s_chassis.audit", "message": "call", "cpu_seconds": 0.25},
        {"logger": "i2s_chassis.renderer.servicer", "message": "rendered", "cpu_seconds": 5.0},
        {"logger": "i2s_chassis.audit", "message": "call", "method": "Describe"},
        {"logger": "i2s_chassis.audit", "message": "item", "cpu_seconds": 0.5},
    ]
    log = tmp_path / "a.log"
    log.write_text("no JSON\n" + "".join(json.dumps(line) + "\n" for line in lines))
    assert charged_in(log) == 0.75
