"""The users that jobs run as: one for each open cell, and never the same in two services of a host.

The processes of a cell can be found by their user, for kernels on which an orphan goes to the first process
of all. A job has a user of its own there, and no process can become another one. So whatever runs as that
user is the job's, and one call of the kernel kills all of it at the same moment.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import time
from pathlib import Path

from i2s_chassis.jail import processes
from i2s_chassis.jail.errors import CellError

#: The same for all services of the host, so that they see each other's leases. Only root may enter it.
LEASES = Path("/run/i2s-users")


class Users:
    """Hands out user ids, each to one cell at a time.

    A lease is a lock on a file, which ends with the processes that hold it, however they end. If
    the folder cannot be had (a container with a root file system of its own that is read-only) a folder
    of the service takes its place, and user ids are unique within this service alone.
    """

    def __init__(self, base: int, count: int, leases: Path = LEASES, otherwise: Path | None = None) -> None:
        """Prepare.

        Args:
            base: First id.
            count: Number of ids.
            leases: Folder of the locks; made if it is missing.
            otherwise: Another folder, if that one cannot be had.
        """
        self._count = count
        self._free = list(range(base, base + count))
        self._held: dict[int, int] = {}
        self._leases, self._otherwise = leases, otherwise
        self._folder: Path | None = None
        self._has_looked = False

    def take(self) -> int:
        """Return an id that nobody has.

        Raises:
            CellError: All are in use.
        """
        for uid in self._free:
            if self._lease(uid):
                self._free.remove(uid)
                return uid
        raise CellError(f"all {self._count} users of jobs are in use on this host; raise uid_count")

    def give_back(self, uid: int) -> None:
        """Let another cell have an id; last in line, so that it rests."""
        self._free.append(uid)
        fd = self._held.pop(uid, None)
        if fd is not None:
            os.close(fd)

    def keep_only(self, uid: int | None) -> None:
        """Hold no lease but that of one id: in a child of the process that has taken them."""
        for held in [one for one in self._held if one != uid]:
            os.close(self._held.pop(held))

    def close(self) -> None:
        """Remove the folder that took the place of the host's, if there is one."""
        if self._folder is not None and self._folder == self._otherwise:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _lease(self, uid: int) -> bool:
        if not self._has_looked:
            self._has_looked = True
            self._folder = _lease_folder(self._leases) or (
                _lease_folder(self._otherwise) if self._otherwise else None
            )
        if self._folder is None:
            return True
        fd = os.open(self._folder / str(uid), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._held[uid] = fd
        return True


def _lease_folder(path: Path) -> Path | None:
    """Return the folder of leases, None if there is none that root alone can change."""
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()
    except OSError:
        return None
    mine = status.st_uid == os.geteuid() and not status.st_mode & 0o022
    return path if mine and path.is_dir() and not path.is_symlink() and os.access(path, os.W_OK) else None


# User id of the process that kills, so that the job cannot stop it: nobody's, and that of no job.
_KILLER = 65_533
_QUIET_ROUNDS = 2
_BLOWS = 1000
_KILL_SECONDS = 30.0


def pids_of_user(uid: int) -> list[int]:
    """Return the processes of a user, zombies too, in the order of their numbers."""
    wanted = f"Uid:\t{uid}\t".encode()
    pids = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with (
            contextlib.suppress(FileNotFoundError, ProcessLookupError),
            open(f"/proc/{name}/status", "rb") as file,
        ):
            if wanted in file.read():
                pids.append(int(name))
    return sorted(pids)


def kill_user(uid: int, program: int | None = None) -> int:
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
        alive = [pid for pid in pids_of_user(uid) if processes.is_alive(pid)]
        met.update(alive)
        _kill_at_once(uid, _BLOWS if alive else 1)
        reap_user(uid, program)
        # Who was about to fork while all others died may have a child that lives: look again.
        quiet = 0 if alive else quiet + 1
        if quiet >= _QUIET_ROUNDS:
            return len(met)
        if time.monotonic() > deadline:
            raise CellError(f"{len(alive)} processes of the job cannot be killed")


def reap_user(uid: int, program: int | None = None) -> None:
    """Reap those of a user's processes that have ended and are children of ours, but not ``program``."""
    for pid in pids_of_user(uid):
        if pid != program:
            processes.reap(pid)


def has_processes(uid: int) -> bool:
    """Whether a user has living processes."""
    return any(map(processes.is_alive, pids_of_user(uid)))


def _kill_at_once(uid: int, blows: int) -> None:
    """Kill all processes of a user again and again: gVisor lets those that die still fork."""
    killer = os.fork()
    if killer == 0:
        with contextlib.suppress(OSError):
            # It may signal those of the user, and only root could signal it.
            os.setresgid(_KILLER, _KILLER, _KILLER)
            os.setresuid(_KILLER, uid, _KILLER)
            for _ in range(blows):
                os.kill(-1, signal.SIGKILL)
        os._exit(0)
    os.waitpid(killer, 0)
