"""Lines that are appended to a store: kept here until they are worth an object, or someone waits for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Protocol

from i2s_sdk.run.storage.object_store.access import Access
from i2s_sdk.run.storage.object_store.segments import Segment, Segments

#: Small segments of one start that become one large one, or earlier where they have so many bytes.
SMALL, LARGE_BYTES = 64, 4 * 2**20

#: What may wait at most before ``append`` itself writes it.
_WAITING_BYTES = 8 * 2**20


class Owner(Protocol):
    """Who writes what waits in the files of lines of a run."""

    def require(self) -> None:
        """Return where lines can be written; else raise StoreError."""
        ...

    def nudge(self) -> None:
        """Write what waits soon, in another thread."""
        ...

    def flush(self) -> None:
        """Write what waits now."""
        ...


class Appended(Segments):
    """The segments of a folder, and lines behind them; see ``Journal``.

    Attributes:
        end: Offset behind what was appended.

    Args:
        access: Access to the store.
        folder: Name of theirs.
        writer: Name of this start of the process, hexadecimal.
        lines: Lines that wait at most until the owner is nudged.
        owner: Owner of all the files of lines of a run.
    """

    def __init__(self, access: Access, folder: str, writer: str, lines: int, owner: Owner) -> None:
        super().__init__(access, folder)
        self._writer, self._most, self._owner = writer, lines, owner
        self._next = max((one.last for one in self._segments), default=0) + 1
        self._first = self._next  # of the small segments in the tail
        self._before = 0  # bytes in segments before the tail; known once they were read
        self._tail = bytearray()  # what is behind them: the small segments of this start, then what waits
        self._in_store = 0  # of the tail
        self.end = self._kept = 0  # the latter is the offset behind what is in the store
        self._waiting = 0  # lines
        self._writing = threading.Lock()
        self._asked: asyncio.Lock | None = None
        self._appending = threading.Lock()

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that an earlier start has left."""
        end = 0
        for offset, raw in super().__iter__():
            yield offset, raw
            end = offset + len(raw)
        self._before = self.end = self._kept = end

    def append(self, line: bytes) -> int:
        """Append a line and return its offset; it waits."""
        self._owner.require()
        if self.end - self._kept > _WAITING_BYTES:
            self._owner.flush()
        with self._appending:
            offset = self.end
            self._tail += line
            self.end += len(line)
            self._waiting += 1
            if self._waiting == self._most:
                self._owner.nudge()
        return offset

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes that were yielded or appended."""
        with self._appending:
            if offset >= self._before:
                start = offset - self._before
                return bytes(self._tail[start : start + length])
        return super().read(offset, length)

    async def wait_durable(self) -> None:
        """Return when everything that was appended is in the store.

        Those that ask while a segment is written share the next one.
        """
        self._owner.require()
        wanted = self.end
        if self._asked is None:
            self._asked = asyncio.Lock()
        while self._kept < wanted:
            async with self._asked:
                if self._kept < wanted:
                    await asyncio.to_thread(self.flush)

    def flush(self, until: int | None = None) -> None:
        """Write what waits as one segment.

        Args:
            until: What lies behind this offset waits on; None is everything.

        Raises:
            StoreError: The store does not take it; it waits on.
        """
        with self._writing:
            with self._appending:
                stop = len(self._tail) if until is None else max(0, until - self._before)
                content = bytes(self._tail[self._in_store : stop])
                self._waiting = 0
            if not content:
                return
            self._access.write(f"{self._folder}/{Segment(self._next, self._next, self._writer)}", content)
            self._next += 1
            self._in_store += len(content)
            self._kept += len(content)
            if self._next - self._first >= SMALL or self._in_store >= LARGE_BYTES:
                self._write_again()

    def finish(self) -> None:
        """Write what waits, and the small segments of this start as one."""
        self.flush()
        with self._writing:
            self._write_again()

    @property
    def waiting(self) -> int:
        """Lines that are not in the store."""
        return self._tail.count(b"\n", self._in_store)

    def _write_again(self) -> None:
        """Put the small segments of the tail into one, and begin a new tail."""
        small = [Segment(number, number, self._writer) for number in range(self._first, self._next)]
        if not small:
            return
        large = Segment(self._first, self._next - 1, self._writer)
        if large not in small:
            self._access.write(f"{self._folder}/{large}", bytes(self._tail[: self._in_store]))
            self._access.remove(f"{self._folder}/{one}" for one in small)
        with self._appending:
            self._segments.append(large)
            self._starts.append(self._before)
            self._before += self._in_store
            del self._tail[: self._in_store]
            self._in_store, self._first = 0, self._next
