"""One process at a time, in a store that knows no locks: an object that says who, renewed by its owner.

A lease that does not change for as long as it says is of a process that is gone, and is taken over.
Nobody's clock matters for that: who finds a lease watches it. A process that ended on the same machine is
known at once.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from i2s_sdk.errors import InUseError, StoreError
from i2s_sdk.json_text import read_json
from i2s_sdk.run.storage.object_store.access import Access

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
