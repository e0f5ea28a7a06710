"""The security suite passes on a busy machine: each attack has the verdict that it has on a quiet one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from busy_machine import FOR_EACH_PROCESSOR, busy_machine

SECURITY = Path(__file__).parents[1] / "security"
#: gVisor does not tell how long a process waited for a processor of the host, so limits inside of it hold
#: on a quiet machine alone.
LEFT_OUT = SECURITY / "jail" / "test_gvisor.py"
#: Test processes for each processor. With one, the suite would take hours beside what keeps the machine busy.
WORKERS = 4


def test_attacks_have_the_verdicts_of_a_quiet_machine() -> None:
    workers = str(WORKERS * len(os.sched_getaffinity(0)))
    command = [sys.executable, "-m", "pytest", str(SECURITY), "-q", "-p", "no:cacheprovider"]
    command += ["-n", workers, "--dist", "loadfile", "--ignore", str(LEFT_OUT)]
    environment = {**os.environ, "I2S_TIMEOUT_FACTOR": str(4 * FOR_EACH_PROCESSOR)}
    with busy_machine():
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20_000:]
