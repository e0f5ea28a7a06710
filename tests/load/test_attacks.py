"""The security suite passes on a busy machine: each attack has the verdict that it has on a quiet one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from busy_machine import FOR_EACH_PROCESSOR, busy_machine

SECURITY = Path(__file__).parents[1] / "security"
#: gVisor does not tell how long a process waited for a processor of the host, so limits inside of it hold
#: on a quiet machine alone.
LEFT_OUT = SECURITY / "jail" / "test_gvisor.py"
#: Files that take so long that each is a part of its own.
LONG = ("jail/test_jail.py", "render_python/test_as_ordinary_user.py", "render_python/test_python_attacks.py")
#: Test processes for each processor. With one, the suite would take hours beside what keeps the machine busy.
WORKERS = 4


def _parts() -> dict[str, list[Path]]:
    """Return every file of the suite in the part that it is run with, so that each part ends in its time."""
    parts: dict[str, list[Path]] = {}
    for file in sorted(SECURITY.rglob("test_*.py")):
        path = file.relative_to(SECURITY)
        name = str(path) if str(path) in LONG or len(path.parts) == 1 else path.parts[0]
        if file != LEFT_OUT:
            parts.setdefault(name, []).append(file)
    return parts


PARTS = _parts()


@pytest.mark.parametrize("part", PARTS)
def test_attacks_have_the_verdicts_of_a_quiet_machine(part: str) -> None:
    workers = str(min(len(PARTS[part]), WORKERS * len(os.sched_getaffinity(0))))
    command = [sys.executable, "-m", "pytest", *map(str, PARTS[part]), "-q", "-p", "no:cacheprovider"]
    command += ["-n", workers, "--dist", "loadfile"]
    environment = {**os.environ, "I2S_TIMEOUT_FACTOR": str(4 * FOR_EACH_PROCESSOR)}
    with busy_machine():
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20_000:]
