"""A run in an object store."""

from __future__ import annotations

import io
import logging
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from i2s_sdk.errors import StoreError
from i2s_sdk.run.storage.object_store.access import DRAFTS, Access
from i2s_sdk.run.storage.object_store.appended import Appended
from i2s_sdk.run.storage.object_store.followed import FollowedSegments
from i2s_sdk.run.storage.object_store.lease import Lease
from i2s_sdk.run.storage.object_store.segments import Segments
from i2s_sdk.run.storage.storage import LINES, stem
from i2s_sdk.settings import Settings

_THREADS = 16

_log = logging.getLogger(__name__)


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
        self._open: list[Appended] = []  # in the order in which they are written
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
    def append_log(self, name: str) -> Iterator[Appended]:
        """Have a file of lines to append to.

        Lines are written, in the order in which files were opened, when so many or so long wait as the
        settings say, when someone waits for them, and at the end.
        """
        opened = Appended(self._access, stem(name), self._writer, self._settings.store_lines, self)
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
        ends = [(one, one.end) for one in reversed(self._open)]
        for one, end in reversed(ends):
            one.flush(end)

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
            for one in self._open:
                one.finish()
        except StoreError as error:
            lost = sum(one.waiting for one in self._open)
            if not lost:  # only small segments that stay small
                _log.warning("%s", error.message)
                return
            raise type(error)(
                f"{error.message}. {lost} lines were not written; the same command does their work again"
            ) from None
