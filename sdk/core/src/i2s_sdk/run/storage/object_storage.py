"""A run in an object store: its objects, its lines in segments, and a lease, since stores know no locks.

The lease is an object that names its owner, who renews it. One that is not renewed in time is stale and is
taken over. Nobody's clock matters for that: who finds a lease watches it. A process that ended on the same
machine is known at once.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import socket
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from i2s_sdk.errors import InUseError, StoreError
from i2s_sdk.json_text import read_json
from i2s_sdk.run.storage.local import LINES, stem
from i2s_sdk.run.storage.object_access import DRAFTS, Access
from i2s_sdk.run.storage.segments import Appended, FollowedSegments, Segments
from i2s_sdk.settings import Settings

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
                found = _read(self._access)
                if found is not None and found.get("writer") == self._writer:
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
                found = _read(self._access)
                if found is not None and found.get("writer") != self._writer:
                    if _is_gone(found) or self._is_stale(found, until):
                        self._access.remove([LEASE])
                    continue
            found = _read(self._access)  # of two that created it at once the later has it
            if found is None or found.get("writer") == self._writer:
                return
            if time.monotonic() >= until:
                raise self._refused(found)

    def _is_stale(self, found: dict[str, Any], until: float) -> bool:
        """Watch the lease of another process, and return whether it is stale; it was removed if it is not.

        Args:
            found: Content of the lease.
            until: Time of the monotonic clock until which a lease that is renewed is waited for.

        Raises:
            InUseError: It was renewed, and ``until`` has passed.
        """
        seconds = found.get("seconds")
        seconds = float(seconds) if isinstance(seconds, int | float) else self._seconds
        _log.warning(
            "%s: %s has this run, or was killed; waiting for up to %g s",
            self._access.url,
            _who(found),
            max(seconds, self._lock_seconds),
        )
        stale_at = time.monotonic() + seconds
        while (left := stale_at - time.monotonic()) > 0:
            time.sleep(min(left, _LOOK_SECONDS, seconds / _RENEWALS))
            now = _read(self._access)
            if now is None:
                return False
            if now != found:
                if time.monotonic() >= until:
                    raise self._refused(now)
                found, stale_at = now, time.monotonic() + seconds
        return True

    def _refused(self, found: dict[str, Any]) -> InUseError:
        return InUseError(
            f"{self._access.url}: another process works on this run ({_who(found)}, since "
            f"{found.get('began')}); wait until it ends, or set lock_seconds (I2S_LOCK_SECONDS) to wait for "
            f"it. Where there is none, remove {self._access.url}/{LEASE}"
        )

    def _renew(self) -> None:
        while not self._over.wait(self._seconds / _RENEWALS):
            try:
                found = _read(self._access)
                if found is not None and found.get("writer") != self._writer:
                    self._lost = _who(found)
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


def _is_gone(found: dict[str, Any]) -> bool:
    """Return whether the owner was a process of this machine, and has ended."""
    process, pid = str(found.get("process", "")), found.get("pid")
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


def _who(found: dict[str, Any]) -> str:
    return f"process {found.get('pid', '?')} on {found.get('host', '?')}"


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
