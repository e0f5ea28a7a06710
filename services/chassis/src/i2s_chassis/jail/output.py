"""What a program says: read to the end, kept in part."""

from __future__ import annotations

import os

from i2s_chassis.jail.model import Excerpt


class Output:
    """Keeps the head and the tail of an output of any length."""

    def __init__(self, size: int) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._half = max(size // 2, 1)
        self._total = 0

    def read(self, fd: int) -> bool:
        """Read what is there; returns False at the end of the output."""
        try:
            data = os.read(fd, 65536)
        except BlockingIOError:
            return True
        self._total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail = (self._tail + data[room:])[-self._half :] if len(data) > room else self._tail
        return bool(data)

    def drain(self, fd: int) -> None:
        """Read what is left after everything that could write has ended."""
        seen = -1
        while seen != self._total:
            seen = self._total
            self.read(fd)

    def excerpt(self) -> Excerpt:
        """Return what was kept."""
        if self._total <= len(self._head) + len(self._tail):
            return Excerpt(bytes(self._head + self._tail), b"", self._total)
        return Excerpt(bytes(self._head), bytes(self._tail), self._total)
