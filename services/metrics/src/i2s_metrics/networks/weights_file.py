"""Files of weights, which may have been opened while the service still had the privileges to read them."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from io import BufferedReader
from multiprocessing import reduction
from pathlib import Path
from typing import Protocol


class _Inherited(Protocol):
    """A descriptor on its way to another process."""

    def detach(self) -> int:
        """Return its number in that process."""


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """A file of weights.

    It can be sent to a process that multiprocessing starts, which then has the open file too.
    """

    #: Where it lies.
    path: Path
    #: The open file; None if it is opened by its path.
    descriptor: int | None = None

    def open(self) -> BufferedReader:
        """Return the file, at its beginning. The caller closes it.

        Raises:
            OSError: It cannot be opened.
        """
        if self.descriptor is None:
            return self.path.open("rb")
        file = os.fdopen(os.dup(self.descriptor), "rb")
        file.seek(0)
        return file

    def __str__(self) -> str:
        """Return the path."""
        return str(self.path)

    def __reduce__(self) -> tuple[Callable[..., WeightsFile], tuple[object, ...]]:
        """Return what pickle needs; the descriptor is duplicated for the process that is being started."""
        if self.descriptor is None:
            return WeightsFile, (self.path,)
        return _received, (self.path, reduction.DupFd(self.descriptor))


def _received(path: Path, descriptor: _Inherited) -> WeightsFile:
    return WeightsFile(path, descriptor.detach())


def open_regular_files(paths: Iterable[Path]) -> Mapping[Path, int]:
    """Open those paths that lead to regular files that this process may read; returns descriptors by path."""
    opened: dict[Path, int] = {}
    for path in paths:
        with contextlib.suppress(OSError):
            # O_NONBLOCK, since a named pipe would never open without it.
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                opened[path] = descriptor
            else:
                os.close(descriptor)
    return opened
