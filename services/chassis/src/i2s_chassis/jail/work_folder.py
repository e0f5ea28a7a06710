"""Work folders of a service in a temporary folder, and the removal of those whose service was killed.

A work folder holds a file that its process keeps locked (flock) for as long as it uses the folder. The kernel
releases the lock however the process ends, so a folder whose lock can be had is stale. Only folders with
such a file are ever removed: other folders with a similar name belong to somebody else.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from i2s_chassis.jail.workspace import open_folder, remove_tree

_PREFIX = "i2s-"
_MARK = ".i2s-owner"


class WorkFolder:
    """A new folder that this process owns; a context manager.

    Attributes:
        path: Closed to other users.
    """

    def __init__(self, purpose: str, parent: Path | None = None) -> None:
        """Make the folder.

        Args:
            purpose: Part of its name.
            parent: Where it lies; None for the system's temporary folder.

        Raises:
            OSError: It cannot be made.
        """
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-", dir=parent))
        # The file gets its name once it is locked, so that nobody finds it unlocked.
        unlocked = self.path / f"{_MARK}.new"
        self._mark = os.open(unlocked, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._mark, fcntl.LOCK_EX)
        unlocked.rename(self.path / _MARK)

    def remove(self) -> None:
        """Remove the folder and all in it; what cannot be removed is left to `remove_stale`."""
        if self._mark < 0:
            return
        with contextlib.suppress(OSError), _opened(str(self.path)) as folder:
            _empty(folder)
            self.path.rmdir()
        os.close(self._mark)
        self._mark = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def remove_stale(parent: Path | None = None) -> list[Path]:
    """Remove the work folders of processes that ended without doing so themselves.

    What stays: folders of other users, folders that a process holds, links, and what is mounted below a
    folder. Several processes may do this at the same time.

    Args:
        parent: Where they lie; None for the system's temporary folder.

    Returns:
        Those that were removed.
    """
    where = parent or Path(tempfile.gettempdir())
    removed = []
    with contextlib.suppress(OSError):
        names = [name for name in sorted(os.listdir(where)) if name.startswith(_PREFIX)]
        for name in names:
            # Not ours, still held, or removed by another process meanwhile.
            with contextlib.suppress(OSError):
                _remove_if_stale(where / name)
                removed.append(where / name)
    return removed


def _remove_if_stale(path: Path) -> None:
    """Remove a work folder.

    Raises:
        OSError: It is none of this user, a process holds it, or something in it cannot be removed.
    """
    with _opened(str(path)) as folder:
        _check_ours(os.fstat(folder))
        mark = os.open(_MARK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        try:
            status = os.fstat(mark)
            _check_ours(status)
            if not stat.S_ISREG(status.st_mode):
                raise FileNotFoundError("it has no locked file")
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.lstat(_MARK, dir_fd=folder)  # gone if another process has just removed the folder
            _empty(folder)
            path.rmdir()
        finally:
            os.close(mark)


def _check_ours(status: os.stat_result) -> None:
    """Check that a file or folder is of the user of this process.

    Raises:
        PermissionError: It is not.
    """
    if status.st_uid != os.geteuid():
        raise PermissionError("it is of another user")


def _empty(folder: int) -> None:
    """Remove all that a work folder holds, the locked file last, so that what stays can be removed later.

    Raises:
        OSError: Something cannot be removed.
    """
    for name in set(os.listdir(folder)) - {_MARK}:
        if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
            remove_tree(name, folder)
        else:
            os.unlink(name, dir_fd=folder)
    if os.listdir(folder) == [_MARK]:
        os.unlink(_MARK, dir_fd=folder)


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int]:
    fd = open_folder(path)
    try:
        yield fd
    finally:
        os.close(fd)
