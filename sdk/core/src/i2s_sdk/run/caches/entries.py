"""Bytes by name in a folder that processes share, of which the longest unused are removed."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from i2s_sdk.writing import write_whole

#: First bytes of an entry; another form of entries has others.
_MAGIC = b"i2s entry 1\n"

#: What a file takes on the disk is a multiple of this.
_BLOCK = 4096

#: The cache is measured again when this process has written so much of its bound.
_MEASURED_AFTER = 1 / 16

#: What is left of the bound when entries were removed, so that not every entry removes another.
_LEFT = 7 / 8

#: Seconds after which a file that was begun and never named belongs to a process that was killed.
_ABANDONED = 3600.0

_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class CacheSize:
    """What a cache holds.

    Attributes:
        entries: How many entries.
        bytes: How many bytes they take.
        oldest: When the entry was written or last used that was not for longest, in ISO 8601; empty if there
            is none, or it is not known.
        newest: The same of the latest.
    """

    entries: int
    bytes: int
    oldest: str = ""
    newest: str = ""


def size_of(files: Iterable[tuple[float, int]]) -> CacheSize:
    """Return the size of a cache.

    Args:
        files: The time and the size of each entry.
    """
    found = list(files)
    if not found:
        return CacheSize(0, 0)
    times = [when for when, _ in found]
    first, last = (datetime.fromtimestamp(one, UTC) for one in (min(times), max(times)))
    seconds = [one.isoformat(timespec="seconds") for one in (first, last)]
    return CacheSize(len(found), sum(size for _, size in found), *seconds)


def framed(key: str, content: bytes) -> bytes:
    """Return an entry as it is written: with a digest over its name and its bytes."""
    return _MAGIC + _digest(key, content) + content


def unframed(key: str, entry: bytes) -> bytes | None:
    """Return the bytes of an entry, or None if it is damaged or has another name."""
    start = len(_MAGIC)
    digest, content = entry[start : start + 32], entry[start + 32 :]
    whole = entry.startswith(_MAGIC) and digest == _digest(key, content)
    return content if whole else None


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\n" + content).digest()


class FolderEntries:
    """Entries in a folder.

    An entry is written beside and then named, so that processes may share the folder. A read makes an entry
    young. When the folder has outgrown its bound, one process at a time removes the oldest entries.

    Args:
        folder: Folder of the entries; made when something is written.
        most_bytes: Maximum size of all entries, in blocks of 4 KiB as a disk has them; less if the disk
            has no room for twice as much. In between, each process that writes may exceed it by a sixteenth.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder, self._most = folder, most_bytes
        self._bound = most_bytes  # or less, when it was measured
        self._written = most_bytes  # so that the first write measures
        self._counting = threading.Lock()

    def read(self, key: str) -> bytes | None:
        """Return the bytes of an entry, or None; one that is damaged is removed."""
        path = self._path(key)
        try:
            entry = path.read_bytes()
        except OSError:
            return None
        content = unframed(key, entry)
        with contextlib.suppress(OSError):  # a folder of others is read and not written
            if content is None:
                path.unlink(missing_ok=True)
            else:
                os.utime(path)
        return content

    def write(self, key: str, content: bytes) -> None:
        """Write an entry; a full or read-only disk is no reason to fail."""
        entry = framed(key, content)
        if on_disk(len(entry)) > self._bound:
            return
        with contextlib.suppress(OSError):
            write_whole(self._path(key), entry, durable=False)
            if self._is_to_be_measured(on_disk(len(entry))):
                self.trim()

    def trim(self) -> None:
        """Remove the entries that were not used for longest until the others are within the bound.

        If another process does so at this moment, nothing is done.

        Raises:
            OSError: The folder cannot be written.
        """
        with (self._folder / _LOCK).open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            found = sorted(self._files(), key=lambda one: one[1])
            total = sum(size for _, _, size in found)
            self._bound = min(self._most, (total + shutil.disk_usage(self._folder).free) // 2)
            if total <= self._bound:
                return
            for path, _, size in found:
                if total <= self._bound * _LEFT:
                    return
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()
                total -= size

    def size(self) -> CacheSize:
        """Return how many entries there are, how large they are together, and when they were used."""
        return size_of((when, size) for _, when, size in self._files())

    def clear(self) -> None:
        """Remove all entries.

        Raises:
            OSError: An entry cannot be removed.
        """
        if self._folder.is_dir():
            shutil.rmtree(self._folder)

    def _is_to_be_measured(self, size: int) -> bool:
        with self._counting:
            self._written += size
            due = self._written > self._bound * _MEASURED_AFTER
            if due:
                self._written = 0
            return due

    def _files(self) -> Iterator[tuple[Path, float, int]]:
        """Yield each entry with the time of its last use and its size; what was abandoned is removed."""
        with contextlib.suppress(FileNotFoundError):
            for part in os.scandir(self._folder):
                if part.is_dir(follow_symlinks=False):
                    yield from _files_of(part.path)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key


def on_disk(size: int) -> int:
    """Return what a file of a size takes on a disk."""
    return -(-size // _BLOCK) * _BLOCK


def _files_of(folder: str) -> Iterator[tuple[Path, float, int]]:
    with contextlib.suppress(FileNotFoundError):
        for one in os.scandir(folder):
            with contextlib.suppress(FileNotFoundError):  # another process removed it
                facts = one.stat(follow_symlinks=False)
                if not one.name.startswith("."):
                    yield Path(one.path), facts.st_mtime, on_disk(facts.st_size)
                elif time.time() - facts.st_mtime > _ABANDONED:
                    Path(one.path).unlink(missing_ok=True)
