"""The security suite passes on a busy machine: each attack has the verdict that it has on a quiet one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from busy_machine import FOR_EACH_PROCESSOR, busy_machine

SECURITY = Path(__file__).parents[1] / "security"


@pytest.mark.parametrize("path", sorted(SECURITY.rglob("test_*.py")), ids=lambda path: path.stem)
def test_attacks_have_the_verdicts_of_a_quiet_machine(path: Path) -> None:
    command = [sys.executable, "-m", "pytest", str(path), "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, "I2S_TIMEOUT_FACTOR": str(2 * FOR_EACH_PROCESSOR)}
    with busy_machine():
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
