"""The security suite passes on a busy machine: each attack has the verdict that it has on a quiet one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from busy_machine import busy_machine
from load_parts import TIMEOUT_FACTOR, Part, chosen_attacks

#: Test processes for each processor. With one, the suite would take hours beside what keeps the machine busy.
WORKERS = 4


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(part, id=name, marks=pytest.mark.timeout(part.seconds))
        for name, part in chosen_attacks().items()
    ],
)
def test_attacks_have_the_verdicts_of_a_quiet_machine(part: Part) -> None:
    workers = str(min(len(part.files), WORKERS * len(os.sched_getaffinity(0))))
    command = [sys.executable, "-m", "pytest", *map(str, part.files), "-q", "-p", "no:cacheprovider"]
    command += ["-n", workers, "--dist", "loadfile", "-k", part.keyword]
    environment = {**os.environ, **part.variables, "I2S_TIMEOUT_FACTOR": str(TIMEOUT_FACTOR)}
    with busy_machine():
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20_000:]
