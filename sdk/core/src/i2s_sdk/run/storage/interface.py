"""The interface of the storage of a run, a local folder or an object store behind fsspec, and its opening.

::

    RunStorage
    ├── LocalStorage    a folder: files of lines that are appended to, flock
    └── ObjectStorage    s3://, gs://, memory://, …: immutable objects, a lease

Names are relative, with "/" between their parts. An object or file that is written is there whole or not at
all. A file of lines ("records.jsonl") is one file in a folder, and a folder of segments in a store; its
readers see the same lines and the same offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol, TypeAlias

from i2s_sdk.run.storage.local import LocalStorage
from i2s_sdk.settings import Settings

#: How people say where something lies: the path of a folder, or a URL.
PathOrUrl: TypeAlias = Path | str

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(::|://)")


class Lines(Protocol):
    """Lines in the order in which they were appended, to be read."""

    def __str__(self) -> str:
        """Return where they lie, for people."""
        ...

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Yield each whole line, with its end, and the offset of its first byte."""
        ...

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes that were yielded or appended."""
        ...


class Followed(Protocol):
    """A file of lines that is read again and again while it grows, and of which nothing is read twice."""

    def new(self) -> list[bytes]:
        """Return the whole lines, with their ends, that were appended since the last call.

        A file that is not there has none.

        Raises:
            DataError: A line is damaged.
            StoreError: The store does not answer.
        """
        ...


class AppendLog(Lines, Protocol):
    """Lines that can be appended to."""

    def append(self, line: bytes) -> int:
        """Append a line, with its end, and return the offset of its first byte.

        Raises:
            StoreError: The store does not take what was appended before.
        """
        ...

    async def wait_durable(self) -> None:
        """Return when everything that was appended survives this process.

        Raises:
            StoreError: The store does not take it.
        """
        ...


class RunStorage(Protocol):
    """The storage of a run or a report: a folder or an object store."""

    @property
    def where(self) -> PathOrUrl:
        """A path, or the text of a URL."""
        ...

    @property
    def name(self) -> str:
        """The last part of the path or URL."""
        ...

    @property
    def threads(self) -> int:
        """How many reads and writes at once pay off."""
        ...

    def __str__(self) -> str:
        """Return where it is, for people."""
        ...

    def at(self, name: str) -> PathOrUrl:
        """Return where something of it lies, for people."""
        ...

    def names(self) -> set[str]:
        """Return what it holds at its top; nothing if it does not exist."""
        ...

    def exists(self, name: str) -> bool:
        """Return whether it holds this object."""
        ...

    def read(self, name: str) -> bytes:
        """Return an object.

        Raises:
            OSError: It is not there (FileNotFoundError), or cannot be read.
            StoreError: The store does not answer.
        """
        ...

    def open(self, name: str) -> BinaryIO:
        """Open an object to be read; raises what ``read`` does."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Write an object, whole or not at all.

        Raises:
            WriteError: It cannot be written.
            StoreError: The store does not take it.
        """
        ...

    def draft(self, name: str) -> AbstractContextManager[Path]:
        """Have a path for a file that becomes the object when the block ends without an error."""
        ...

    def write_if_absent(self, name: str, content: bytes) -> None:
        """Write an object whose name says its content, unless it is there."""
        ...

    def passing_folder(self) -> AbstractContextManager[Path]:
        """Have a new local folder, with an absolute path, whose files are gone after the block.

        Raises:
            WriteError: It cannot be made.
        """
        ...

    def remove(self, names: set[str]) -> None:
        """Remove objects, folders and files of lines at the top; those that are not there do not matter."""
        ...

    def lines(self, name: str) -> Lines:
        """Return a file of lines to read; one that is not there has none."""
        ...

    def follow(self, name: str) -> Followed:
        """Return a file of lines to read as it grows."""
        ...

    def append_log(self, name: str) -> AbstractContextManager[AppendLog]:
        """Have a file of lines to append to, as long as the block lasts; only within ``alone``."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Lock it for this process as long as the block lasts.

        Raises:
            InUseError: Another process has it, and did not end within ``lock_seconds``.
            StoreError: The store does not answer, or refuses.
        """
        ...

    def require_space(self, size: int) -> None:
        """Find out by writing whether so many bytes can be kept; only within ``alone``.

        Raises:
            WriteError: They cannot.
        """
        ...

    def flush(self) -> None:
        """Return when everything that was appended to its files of lines can be read by others."""
        ...

    def folder(self, name: str) -> AbstractContextManager[Path]:
        """Have a local folder whose files are in the storage after the block; for logs."""
        ...


def is_url(where: PathOrUrl) -> bool:
    """Return whether this is a URL."""
    return isinstance(where, str) and _URL.match(where) is not None


def shown(where: PathOrUrl) -> str:
    """Return where something lies so that it can be opened from anywhere."""
    return str(where) if is_url(where) else str(Path(where).resolve())


#: Folders of segments, which a folder has that was copied out of a store.
_SEGMENTED = ("answers", "records")


def open_storage(where: PathOrUrl | RunStorage, settings: Settings | None = None) -> RunStorage:
    """Return the storage of a run; nothing is made or looked for, but for the layout of a local folder.

    Args:
        where: The path of a folder, or a URL that fsspec knows. A folder that was copied out of a store, and
            has segments instead of files of lines, is taken as a store. A storage is returned as it is.
        settings: Settings of stores and locks; None takes the defaults.

    Raises:
        UsageError: A package is missing that the URL needs, or nothing knows such URLs.
    """
    if not isinstance(where, Path | str):
        return where
    if is_url(where):
        from i2s_sdk.run.storage.object_storage import ObjectStorage

        return ObjectStorage(str(where), settings or Settings())
    folder = Path(where)
    if any((folder / name).is_dir() for name in _SEGMENTED):
        from i2s_sdk.run.storage.object_storage import ObjectStorage

        return ObjectStorage(folder.resolve().as_uri(), settings or Settings())
    return LocalStorage(folder, (settings or Settings()).lock_seconds)


def open_file(where: PathOrUrl, settings: Settings | None = None) -> tuple[RunStorage, str]:
    """Return the storage that a file lies in, and its name there.

    Raises:
        UsageError: See ``open_storage``.
    """
    if is_url(where):
        before, _, name = str(where).rpartition("/")
        return open_storage(before, settings), name
    path = Path(where)
    return open_storage(path.parent, settings), path.name
