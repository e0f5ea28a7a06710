"""An object store in memory that fails as real ones do: ``troubled://``."""

from __future__ import annotations

import errno
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem

#: What stores say when they cannot answer just now.
PASSING = (
    OSError(errno.EBUSY, "Please reduce your request rate."),
    TimeoutError("the store did not answer in time"),
    ConnectionResetError("Connection reset by peer"),
)


class TroubledFileSystem(MemoryFileSystem):
    """Memory, behind a call that may raise before each operation; counts operations by name."""

    protocol = ("troubled", "memory")  # it takes objects whole, as memory does
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    trouble: ClassVar[Callable[[str, str], None]] = staticmethod(lambda operation, path: None)
    calls: ClassVar[Counter[str]] = Counter()

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return MemoryFileSystem._strip_protocol(path.replace("troubled://", "memory://"))

    def _before(self, operation: str, path: str) -> None:
        type(self).calls[operation] += 1
        type(self).trouble(operation, path)

    def cat_file(self, path, *more, **named):
        self._before("get", path)
        return super().cat_file(path, *more, **named)

    def pipe_file(self, path, *more, **named):
        self._before("put", path)
        return super().pipe_file(path, *more, **named)

    def ls(self, path, *more, **named):
        self._before("list", path)
        return super().ls(path, *more, **named)


@contextmanager
def troubled(trouble: Callable[[str, str], None]) -> Iterator[type[TroubledFileSystem]]:
    """Have a new store whose operations first call ``trouble`` with their name and path."""
    fsspec.register_implementation("troubled", TroubledFileSystem, clobber=True)
    TroubledFileSystem.store, TroubledFileSystem.calls = {}, Counter()
    TroubledFileSystem.pseudo_dirs = [""]
    TroubledFileSystem.trouble = staticmethod(trouble)
    try:
        yield TroubledFileSystem
    finally:
        TroubledFileSystem.trouble = staticmethod(lambda operation, path: None)


def sometimes(share: float, seed: int = 0) -> Callable[[str, str], None]:
    """Return trouble that passes, for a share of operations."""
    chance = random.Random(seed)

    def trouble(operation: str, path: str) -> None:
        if chance.random() < share:
            raise chance.choice(PASSING)

    return trouble
