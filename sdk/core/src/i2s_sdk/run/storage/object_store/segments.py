"""Lines in a store that cannot append: segments, each an object that never changes.

::

    records/00000001-00000064-5f0c9a1e.jsonl     what was written as segments 1 to 64, in one object
    records/00000065-00000065-5f0c9a1e.jsonl     segment 65
    records/00000066-00000066-b2d4e877.jsonl     segment 66, of a later start

The last part of a name is of one start of a process. Read in the order of their names, the segments are the
lines in the order in which they were appended. A start writes its own small segments again as large ones, and
removes them then; a reader that meets both leaves out those that a larger one of the same start covers. So
offsets into the whole stay the same, whatever was written again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

from i2s_sdk.errors import DataError, StoreError
from i2s_sdk.run.storage.object_store.access import Access

_NAME = re.compile(r"(\d{8,})-(\d{8,})-([0-9a-f]+)\.jsonl")
_AHEAD = 16  # segments that are fetched at once
_CACHE_BYTES = 32 * 2**20

#: Looks at a list of segments, when one was written again meanwhile.
LOOKS = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """The name of a segment.

    Attributes:
        first: Number of the first small segment in it, from 1.
        last: Number of the last.
        writer: Start of a process that wrote it.
    """

    first: int
    last: int
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
