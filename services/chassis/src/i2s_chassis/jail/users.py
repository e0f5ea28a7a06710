"""The users that jobs run as: one for each open cell, and never the same in two services of a host."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

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
            self._folder = _folder(self._leases) or (_folder(self._otherwise) if self._otherwise else None)
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


def _folder(path: Path) -> Path | None:
    """Return the folder of leases, None if there is none that root alone can change."""
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
    except OSError:
        return None
    mine = found.st_uid == os.geteuid() and not found.st_mode & 0o022
    return path if mine and path.is_dir() and not path.is_symlink() and os.access(path, os.W_OK) else None
