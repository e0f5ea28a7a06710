"""A folder as a storage, whose calls fail or hang when a test says so."""

from __future__ import annotations

import threading
from pathlib import Path

from i2s_sdk.run.storage.local import LocalStorage


class FaultyFolder(LocalStorage):
    """A folder whose calls fail when a test says so."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.fault: Exception | None = None
        self.hangs: threading.Event | None = None  # any call, until it is set
        self.held: threading.Event | None = None  # a write
        self.called = threading.Event()

    def read(self, name: str) -> bytes:
        self._fail()
        return super().read(name)

    def write(self, name: str, content: bytes) -> None:
        self._fail()
        if self.held is not None:
            self.called.set()
            assert self.held.wait(30)
        super().write(name, content)

    def remove(self, names: set[str]) -> None:
        self._fail()
        super().remove(names)

    def names(self) -> set[str]:
        self._fail()
        return super().names()

    def _fail(self) -> None:
        if self.hangs is not None:
            self.called.set()
            assert self.hangs.wait(30)
        if self.fault is not None:
            raise self.fault
