"""Files of lines in an object store, which cannot append: segments, each an object that never changes.

::

    records/00000001-00000064-5f0c9a1e.jsonl     what was written as segments 1 to 64, in one object
    records/00000065-00000065-5f0c9a1e.jsonl     segment 65
    records/00000066-00000066-b2d4e877.jsonl     segment 66, of a later start

The last part of a name is of one start of a process. Read in the order of their names, the segments are the
lines in the order in which they were appended. A start writes its own small segments again as large ones, and
removes them then; a reader that meets both leaves out those that a larger one of the same start covers. So
offsets into the whole stay the same, whatever was written again. Appended lines wait in memory until they are
worth an object, or someone waits for them.
"""

from __future__ import annotations

import asyncio
import re
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from i2s_sdk.errors import DataError, StoreError
from i2s_sdk.run.storage.object_access import Access

_NAME = re.compile(r"(\d{8,})-(\d{8,})-([0-9a-f]+)\.jsonl")
_AHEAD = 16  # segments that are fetched at once
_CACHE_BYTES = 32 * 2**20

#: Looks at a list of segments, when one was written again meanwhile.
LOOKS = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """The name of a segment."""

    #: Number of the first small segment in it, from 1.
    first: int
    #: Number of the last.
    last: int
    #: Start of a process that wrote it.
    writer: str

    def __str__(self) -> str:
        return f"{self.first:08}-{self.last:08}-{self.writer}.jsonl"

    def covers(self, other: Segment) -> bool:
        """Return whether this one holds the other, and more."""
        within = self.first <= other.first and other.last <= self.last
        return within and self.writer == other.writer and self != other


def current(names: Iterable[str]) -> list[Segment]:
    """Return the segments to read, in order, of the names in a folder; names of other things are left out."""
    found = (_NAME.fullmatch(name) for name in names)
    segments = [Segment(int(one[1]), int(one[2]), one[3]) for one in found if one]
    kept: list[Segment] = []
    large: dict[str, Segment] = {}
    for one in sorted(segments, key=lambda one: (one.first, -one.last, one.writer)):
        before = large.get(one.writer)
        if before is None or not before.covers(one):
            large[one.writer] = one
            kept.append(one)
    return kept


def require_whole(content: bytes, where: str) -> None:
    """Return where a segment ends with the end of a line.

    Raises:
        DataError: It does not.
    """
    if content and not content.endswith(b"\n"):
        raise DataError(where, 0, "is not whole; the store lost the end of it")


class Segments:
    """Segments of a folder, to read; see ``Lines``.

    Args:
        access: Access to the store.
        folder: Name of theirs.
    """

    def __init__(self, access: Access, folder: str) -> None:
        self._access, self._folder = access, folder
        self._segments = current(access.listing(folder))
        self._starts: list[int] = []  # offsets, once all were read
        self._cache: OrderedDict[Segment, bytes] = OrderedDict()
        self._cached = 0  # bytes
        self._lock = Lock()

    def __str__(self) -> str:
        return f"{self._access.url}/{self._folder}"

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        done = 0
        for _ in range(LOOKS):
            offset, starts = 0, []
            try:
                for content in self._fetched():
                    starts.append(offset)
                    for raw in content.splitlines(keepends=True):
                        if offset >= done:
                            yield offset, raw
                            done = offset + len(raw)
                        offset += len(raw)
            except FileNotFoundError:  # written again, as part of a larger one; offsets stay
                self._segments = current(self._access.listing(self._folder))
                continue
            self._starts = starts
            return
        raise StoreError(f"{self}: segments vanish while they are read; read it again")

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes that were yielded."""
        for _ in range(LOOKS):
            if not self._starts:
                for _ in self:
                    pass
            at = bisect_right(self._starts, offset) - 1
            start = offset - self._starts[at]
            try:
                return self._content(self._segments[at])[start : start + length]
            except FileNotFoundError:
                self._segments, self._starts = current(self._access.listing(self._folder)), []
        raise StoreError(f"{self}: segments vanish while they are read; read it again")

    def _fetched(self) -> Iterator[bytes]:
        with ThreadPoolExecutor(_AHEAD) as threads:
            ahead: list[Future[bytes]] = []
            segments = iter(self._segments)
            try:
                while True:
                    for one in segments:
                        ahead.append(threads.submit(self._content, one))
                        if len(ahead) >= _AHEAD:
                            break
                    if not ahead:
                        return
                    yield ahead.pop(0).result()
            finally:
                for unread in ahead:
                    unread.cancel()

    def _content(self, segment: Segment) -> bytes:
        with self._lock:
            if segment in self._cache:
                self._cache.move_to_end(segment)
                return self._cache[segment]
        content = self._access.read(f"{self._folder}/{segment}")
        require_whole(content, f"{self}/{segment}")
        with self._lock:
            if segment not in self._cache:
                self._cached += len(content)
            self._cache[segment] = content
            while len(self._cache) > 1 and self._cached > _CACHE_BYTES:
                self._cached -= len(self._cache.popitem(last=False)[1])
        return content


class FollowedSegments:
    """Segments of a folder, of which each is read once; see ``Followed``.

    A segment that consists of segments that were read is not read again. A call costs one listing. Lines that
    were read before a call failed are returned by the next one.

    Args:
        access: Access to the store.
        folder: Name of the folder.
    """

    def __init__(self, access: Access, folder: str) -> None:
        self._access, self._folder = access, folder
        self._sizes: dict[Segment, int] = {}  # bytes of each that was read
        self._lines: list[bytes] = []  # read, and not returned yet

    def new(self) -> list[bytes]:
        """Return the lines that were appended since the last call.

        Raises:
            DataError: A segment is not whole.
            StoreError: The store does not answer.
        """
        for _ in range(LOOKS):
            try:
                for segment in current(self._access.listing(self._folder)):
                    if segment not in self._sizes:
                        self._lines += self._unread(segment)
            except FileNotFoundError:  # written again meanwhile, as part of a larger one
                continue
            lines, self._lines = self._lines, []
            return lines
        raise StoreError(
            f"{self._access.url}/{self._folder}: segments vanish while they are read; read it again"
        )

    def _unread(self, segment: Segment) -> list[bytes]:
        """Return the lines of a segment that were not read as those of smaller ones."""
        covered = [one for one in self._sizes if segment.covers(one)]
        size, after = 0, segment.first
        for one in sorted(covered, key=lambda one: one.first):
            if one.first == after:
                size, after = size + self._sizes[one], one.last + 1
        lines: list[bytes] = []
        if after <= segment.last:
            content = self._access.read(f"{self._folder}/{segment}")
            require_whole(content, f"{self._access.url}/{self._folder}/{segment}")
            lines, size = content[size:].splitlines(keepends=True), len(content)
        self._sizes[segment] = size
        for one in covered:
            del self._sizes[one]
        return lines


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
