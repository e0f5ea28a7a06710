"""A process outside of every cell that escape tests aim signals at: it knows whether one came."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# All signals are blocked, so that one which arrives stays pending; the process ends with its input.
_PROGRAM = (
    "import signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); "
    "sys.stdout.write('.'); sys.stdout.flush(); sys.stdin.read()"
)
_PENDING = ("SigPnd:", "ShdPnd:")


@dataclass(frozen=True, slots=True)
class Victim:
    """A process outside of every cell, which no signal from inside must reach.

    Attributes:
        pid: Its number.
    """

    pid: int

    def was_signalled(self) -> bool:
        """Return whether a signal has arrived that it has blocked."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return any(int(line.split()[1], 16) for line in lines if line.startswith(_PENDING))


@contextlib.contextmanager
def started() -> Iterator[Victim]:
    """Start the process, with the user of the caller; it ends with the context.

    Raises:
        OSError: It could not be started.
    """
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _PROGRAM],
        env={},
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        try:
            if process.stdout is None or not process.stdout.read(1):
                raise OSError("the process that escape tests aim at did not start")
            yield Victim(process.pid)
        finally:
            process.kill()
