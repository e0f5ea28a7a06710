"""The processes of a cell by their user: for kernels on which an orphan goes to the first process of all.

A job has a user of its own there, and no process can become another one. So whatever runs as that user is
the job's, and one call of the kernel kills all of it at the same moment.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from i2s_chassis.jail import processes
from i2s_chassis.jail.errors import CellError

# User id of the process that kills, so that the job cannot stop it: nobody's, and that of no job.
_GUARD = 65_533
_QUIET_ROUNDS = 2
_BLOWS = 1000
_KILL_SECONDS = 30.0


def pids(uid: int) -> list[int]:
    """Return the processes of a user, zombies too, in the order of their numbers."""
    wanted = f"Uid:\t{uid}\t".encode()
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with (
            contextlib.suppress(FileNotFoundError, ProcessLookupError),
            open(f"/proc/{name}/status", "rb") as file,
        ):
            if wanted in file.read():
                found.append(int(name))
    return sorted(found)


def kill(uid: int, program: int | None = None) -> int:
    """Kill all processes of a user; returns how many there were.

    Args:
        uid: The user, of a job.
        program: A child of ours that somebody else will wait for.

    Raises:
        CellError: Some cannot be killed.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    met: set[int] = set()
    quiet = 0
    while True:
        alive = [pid for pid in pids(uid) if processes.is_alive(pid)]
        met.update(alive)
        _kill_at_once(uid, _BLOWS if alive else 1)
        reap(uid, program)
        # Who was about to fork while all others died may have a child that lives: look again.
        quiet = 0 if alive else quiet + 1
        if quiet >= _QUIET_ROUNDS:
            return len(met)
        if time.monotonic() > deadline:
            raise CellError(f"{len(alive)} processes of the job cannot be killed")


def reap(uid: int, program: int | None = None) -> None:
    """Reap those of a user's processes that have ended and are children of ours, but not ``program``."""
    for pid in pids(uid):
        if pid != program:
            processes.reap(pid)


def is_used(uid: int) -> bool:
    """Whether a user has living processes."""
    return any(map(processes.is_alive, pids(uid)))


def _kill_at_once(uid: int, blows: int) -> None:
    """Kill all processes of a user again and again: gVisor lets those that die still fork."""
    killer = os.fork()
    if killer == 0:
        with contextlib.suppress(OSError):
            # It may signal those of the user, and only root could signal it.
            os.setresgid(_GUARD, _GUARD, _GUARD)
            os.setresuid(_GUARD, uid, _GUARD)
            for _ in range(blows):
                os.kill(-1, signal.SIGKILL)
        os._exit(0)
    os.waitpid(killer, 0)
