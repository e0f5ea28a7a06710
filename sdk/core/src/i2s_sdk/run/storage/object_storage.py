"""A run in an object store: its objects, its lines in segments, and a lease, since stores know no locks.

Stores cannot append. So a file of lines is a folder of segments, each an object that never changes::

    records/00000001-00000064-5f0c9a1e.jsonl     what was written as segments 1 to 64, in one object
    records/00000065-00000065-5f0c9a1e.jsonl     segment 65
    records/00000066-00000066-b2d4e877.jsonl     segment 66, of a later start

The last part of a name is of one start of a process. Read in the order of their names, the segments are the
lines in the order in which they were appended. A start writes its own small segments again as large ones, and
removes them then; a reader that meets both leaves out those that a larger one of the same start covers. So
offsets into the whole stay the same, whatever was written again. Appended lines wait in memory until they are
worth an object, or someone waits for them.

The lease is an object that names its owner, who renews it. One that is not renewed in time is stale and is
taken over. Nobody's clock matters for that: who finds a lease watches it. A process that ended on the same
machine is known at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
import os
import re
import socket
import tempfile
import threading
import time
import uuid
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Protocol

from i2s_sdk.errors import DataError, InUseError, StoreError
from i2s_sdk.files import writing
from i2s_sdk.json_text import read_json
from i2s_sdk.run.storage.local import LINES, stem
from i2s_sdk.run.storage.object_access import DRAFTS, Access
from i2s_sdk.settings import Settings

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


def current_segments(names: Iterable[str]) -> list[Segment]:
    """Return the segments to read, in order, of the names in a folder; names of other things are left out."""
    matches = (_NAME.fullmatch(name) for name in names)
    segments = [Segment(int(match[1]), int(match[2]), match[3]) for match in matches if match]
    kept: list[Segment] = []
    large: dict[str, Segment] = {}
    for segment in sorted(segments, key=lambda one: (one.first, -one.last, one.writer)):
        before = large.get(segment.writer)
        if before is None or not before.covers(segment):
            large[segment.writer] = segment
            kept.append(segment)
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
        self._segments = current_segments(access.listing(folder))
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
                self._segments = current_segments(self._access.listing(self._folder))
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
                self._segments, self._starts = current_segments(self._access.listing(self._folder)), []
        raise StoreError(f"{self}: segments vanish while they are read; read it again")

    def _fetched(self) -> Iterator[bytes]:
        with ThreadPoolExecutor(_AHEAD) as threads:
            ahead: list[Future[bytes]] = []
            segments = iter(self._segments)
            try:
                while True:
                    for segment in segments:
                        ahead.append(threads.submit(self._content, segment))
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
                for segment in current_segments(self._access.listing(self._folder)):
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
        for smaller in sorted(covered, key=lambda one: one.first):
            if smaller.first == after:
                size, after = size + self._sizes[smaller], smaller.last + 1
        lines: list[bytes] = []
        if after <= segment.last:
            content = self._access.read(f"{self._folder}/{segment}")
            require_whole(content, f"{self._access.url}/{self._folder}/{segment}")
            lines, size = content[size:].splitlines(keepends=True), len(content)
        self._sizes[segment] = size
        for smaller in covered:
            del self._sizes[smaller]
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


class AppendedSegments(Segments):
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
        self._next = max((segment.last for segment in self._segments), default=0) + 1
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
            self._access.remove(f"{self._folder}/{segment}" for segment in small)
        with self._appending:
            self._segments.append(large)
            self._starts.append(self._before)
            self._before += self._in_store
            del self._tail[: self._in_store]
            self._in_store, self._first = 0, self._next


LEASE = "lock.json"

_RENEWALS = 4  # within the time after which a lease counts as left
_LOOK_SECONDS = 1.0  # between looks at a foreign lease, at most

_log = logging.getLogger(__name__)


class Lease:
    """The right to write to a folder of a store.

    Args:
        access: Access to the store.
        writer: Name of this start of the process; no other has it.
        seconds: Seconds after which a lease that was not renewed counts as left.
        lock_seconds: Time in seconds to wait for a process that renews its lease; 0 does not wait.
    """

    def __init__(self, access: Access, writer: str, seconds: float, lock_seconds: float = 0.0) -> None:
        self._access, self._writer, self._seconds = access, writer, seconds
        self._lock_seconds = lock_seconds
        self._began = _now()
        self._over = threading.Event()
        self._lost = ""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have it as long as the block lasts.

        Raises:
            InUseError: Another process has it, after ``lock_seconds`` as well; names it.
            StoreError: The store does not answer, or refuses.
        """
        self._take()
        renewing = threading.Thread(target=self._renew, name="i2s-lease", daemon=True)
        renewing.start()
        try:
            yield
        finally:
            self._over.set()
            renewing.join()
            with contextlib.suppress(StoreError):  # it is left then, and will count as such
                lease = _read(self._access)
                if lease is not None and lease.get("writer") == self._writer:
                    self._access.remove([LEASE])

    def require(self) -> None:
        """Return where the lease is still ours.

        Raises:
            StoreError: Another process has taken it.
        """
        if self._lost:
            raise StoreError(
                f"{self._access.url}: {self._lost} has taken over this run, which was not renewed in time; "
                "what was written stays; wait until it ends"
            )

    def _take(self) -> None:
        until = time.monotonic() + self._lock_seconds
        while True:
            if not self._access.create(LEASE, self._content()):
                lease = _read(self._access)
                if lease is not None and lease.get("writer") != self._writer:
                    if _is_gone(lease) or self._is_stale(lease, until):
                        self._access.remove([LEASE])
                    continue
            lease = _read(self._access)  # of two that created it at once the later has it
            if lease is None or lease.get("writer") == self._writer:
                return
            if time.monotonic() >= until:
                raise self._refused(lease)

    def _is_stale(self, lease: dict[str, Any], until: float) -> bool:
        """Watch the lease of another process, and return whether it is stale; it was removed if it is not.

        Args:
            lease: Content of the lease.
            until: Time of the monotonic clock until which a lease that is renewed is waited for.

        Raises:
            InUseError: It was renewed, and ``until`` has passed.
        """
        seconds = lease.get("seconds")
        seconds = float(seconds) if isinstance(seconds, int | float) else self._seconds
        _log.warning(
            "%s: %s has this run, or was killed; waiting for up to %g s",
            self._access.url,
            _who(lease),
            max(seconds, self._lock_seconds),
        )
        stale_at = time.monotonic() + seconds
        while (left := stale_at - time.monotonic()) > 0:
            time.sleep(min(left, _LOOK_SECONDS, seconds / _RENEWALS))
            now = _read(self._access)
            if now is None:
                return False
            if now != lease:
                if time.monotonic() >= until:
                    raise self._refused(now)
                lease, stale_at = now, time.monotonic() + seconds
        return True

    def _refused(self, lease: dict[str, Any]) -> InUseError:
        return InUseError(
            f"{self._access.url}: another process works on this run ({_who(lease)}, since "
            f"{lease.get('began')}); wait until it ends, or set lock_seconds (I2S_LOCK_SECONDS) to wait for "
            f"it. Where there is none, remove {self._access.url}/{LEASE}"
        )

    def _renew(self) -> None:
        while not self._over.wait(self._seconds / _RENEWALS):
            try:
                lease = _read(self._access)
                if lease is not None and lease.get("writer") != self._writer:
                    self._lost = _who(lease)
                    return
                self._access.write(LEASE, self._content())
            except StoreError as error:  # writing fails then too, and says so
                _log.warning("%s", error.message)

    def _content(self) -> bytes:
        plain = {
            "writer": self._writer,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "process": _process(os.getpid()),
            "began": self._began,
            "seconds": self._seconds,
            "renewed": _now(),
        }
        return (json.dumps(plain, indent=1) + "\n").encode()


def _read(access: Access) -> dict[str, Any] | None:
    """Return what a lease says; None if there is none."""
    try:
        plain = read_json(access.read(LEASE))
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return plain if isinstance(plain, dict) else {}


def _is_gone(lease: dict[str, Any]) -> bool:
    """Return whether the owner was a process of this machine, and has ended."""
    process, pid = str(lease.get("process", "")), lease.get("pid")
    here = _process(os.getpid()).rpartition(" ")[0]
    if not isinstance(pid, int) or not here or process.rpartition(" ")[0] != here:
        return False
    return _process(pid) != process


def _process(pid: int) -> str:
    """Return what no other process has: boot, namespace of processes, start; empty if not known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        started = "none" if fields[0] in "ZX" else fields[19]
    except OSError:
        started = "none"
    return f"{boot} {space} {started}"


def _who(lease: dict[str, Any]) -> str:
    return f"process {lease.get('pid', '?')} on {lease.get('host', '?')}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


_THREADS = 16


class ObjectStorage:
    """A folder of an object store; see ``RunStorage``.

    Args:
        url: URL of the folder, as fsspec has it.
        settings: How long to try, how much may wait, when a lease counts as left.

    Raises:
        UsageError: A package is missing that the URL needs, or nothing knows such URLs.
    """

    threads = _THREADS

    def __init__(self, url: str, settings: Settings) -> None:
        self._access = Access(url, settings.retry_seconds)
        self._settings = settings
        self._writer = uuid.uuid4().hex[:8]
        self._open: list[AppendedSegments] = []  # in the order in which they are written
        self._nudged = threading.Event()
        self._over = False
        self._failure: StoreError | None = None
        self._lease: Lease | None = None

    @property
    def where(self) -> str:
        """The URL."""
        return self._access.url

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return self._access.url.rpartition("/")[2]

    def __str__(self) -> str:
        return self._access.url

    def at(self, name: str) -> str:
        """Return the URL of something within."""
        return f"{self._access.url}/{name}" if name else self._access.url

    def names(self) -> set[str]:
        """Return what the folder holds."""
        return self._access.listing()

    def exists(self, name: str) -> bool:
        """Return whether there is this object."""
        return self._access.exists(name)

    def read(self, name: str) -> bytes:
        """Return an object."""
        return self._access.read(name)

    def open(self, name: str) -> BinaryIO:
        """Return an object as a file."""
        return io.BytesIO(self.read(name))

    def write(self, name: str, content: bytes) -> None:
        """Write an object."""
        self._access.write(name, content)

    def write_if_absent(self, name: str, content: bytes) -> None:
        """Write an object whose name says its content; to write it is not dearer than to look for it."""
        self._access.write(name, content)

    @contextmanager
    def draft(self, name: str) -> Iterator[Path]:
        """Have a local file that becomes the object when the block ends without an error."""
        with tempfile.TemporaryDirectory(prefix="i2s-") as folder:
            path = Path(folder) / Path(name).name
            yield path
            self._access.upload(name, path)

    @contextmanager
    def passing_folder(self) -> Iterator[Path]:
        """Have a new local folder that is gone after the block."""
        with ExitStack() as opened:
            with writing(tempfile.gettempdir()):
                folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="i2s-"))
            yield Path(folder)

    def remove(self, names: set[str]) -> None:
        """Remove objects, folders and files of lines."""
        for name in sorted(names | {stem(name) for name in names if name.endswith(LINES)}):
            self._access.clear(name)

    def lines(self, name: str) -> Segments:
        """Return a file of lines."""
        return Segments(self._access, stem(name))

    def follow(self, name: str) -> FollowedSegments:
        """Return a file of lines to read as it grows."""
        return FollowedSegments(self._access, stem(name))

    @contextmanager
    def append_log(self, name: str) -> Iterator[AppendedSegments]:
        """Have a file of lines to append to.

        Lines are written, in the order in which files were opened, when so many or so long wait as the
        settings say, when someone waits for them, and at the end.
        """
        opened = AppendedSegments(self._access, stem(name), self._writer, self._settings.store_lines, self)
        self._open.append(opened)
        yield opened

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have the folder for this process alone.

        Raises:
            InUseError: Another process has it, and did not end within ``lock_seconds``.
            StoreError: At the end, lines could not be written; says how many.
        """
        self._lease = Lease(
            self._access, self._writer, self._settings.lease_seconds, self._settings.lock_seconds
        )
        with self._lease.held():
            if not self._access.whole:
                self._access.clear(DRAFTS)
            self._over, self._failure = False, None
            flushing = threading.Thread(target=self._flush_often, name="i2s-store", daemon=True)
            flushing.start()
            try:
                yield
            finally:
                self._over = True
                self._nudged.set()
                flushing.join()
                try:
                    self._finish()
                finally:
                    self._open.clear()

    def require_space(self, size: int) -> None:
        """Do nothing: a store has no free space to run out of, and ``alone`` has written to it."""

    def flush(self) -> None:
        """Write all lines that wait; of no sample those of a later stage without those of an earlier one."""
        ends = [(appended_segments, appended_segments.end) for appended_segments in reversed(self._open)]
        for appended, end in reversed(ends):
            appended.flush(end)

    def nudge(self) -> None:
        """Write all lines that wait soon."""
        self._nudged.set()

    @contextmanager
    def folder(self, name: str) -> Iterator[Path]:
        """Have a local folder whose files are in the store after the block."""
        with tempfile.TemporaryDirectory(prefix="i2s-") as local:
            try:
                yield Path(local)
            finally:
                try:
                    for path in sorted(one for one in Path(local).rglob("*") if one.is_file()):
                        self._access.upload(f"{name}/{path.relative_to(local).as_posix()}", path)
                except StoreError as error:  # logs are no reason to hide what ended the block
                    _log.warning("%s", error.message)

    def _flush_often(self) -> None:
        while not self._over:
            self._nudged.wait(self._settings.store_seconds)
            self._nudged.clear()
            try:
                self.flush()
            except StoreError as error:
                self._failure = error
                return

    def require(self) -> None:
        """Return where lines can be written.

        Raises:
            StoreError: They could not be, or another process has the folder.
        """
        if self._failure is not None:
            raise self._failure
        if self._lease is not None:
            self._lease.require()

    def _finish(self) -> None:
        """Write what waits.

        Raises:
            StoreError: Not everything could be written.
        """
        try:
            for appended in self._open:
                appended.finish()
        except StoreError as error:
            lost = sum(appended_segments.waiting for appended_segments in self._open)
            if not lost:  # only small segments that stay small
                _log.warning("%s", error.message)
                return
            raise type(error)(
                f"{error.message}. {lost} lines were not written; the same command does their work again"
            ) from None
