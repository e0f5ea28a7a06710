"""References that callers have uploaded, by digest: bounded, the latest used are kept."""

from __future__ import annotations

import hashlib
import logging
import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from i2s_gateway.callers import Caller
from i2s_gateway.store_threads import StoreThreads
from i2s_sdk.files import KeptBytes
from i2s_sdk.run.caches import FolderEntries, ObjectEntries
from i2s_sdk.run.storage.interface import is_url

_log = logging.getLogger(__name__)

A = TypeVar("A")

#: What stands before the hexadecimal digits of a digest.
DIGEST = "sha256:"


def digest_of(content: bytes) -> str:
    """Return the digest of a file as requests name it."""
    return f"{DIGEST}{hashlib.sha256(content).hexdigest()}"


class References:
    """Files by caller and digest. No caller can name, or learn of, what another one has uploaded.

    A caller has at most half of the memory; what was not used for longest goes first, of the caller itself
    and then of the one that has most at the address that has most. Safe to share between threads.

    Args:
        most_bytes: Size of all files in memory together.
        store: What replicas share, where files are looked for that are not in memory; None for nothing.
    """

    def __init__(self, most_bytes: int, store: KeptBytes | None = None) -> None:
        self._most, self._store = most_bytes, store
        self._lock = threading.Lock()
        self._files: dict[str, OrderedDict[str, bytes]] = {}
        self._sizes: dict[str, int] = {}
        self._addresses: dict[str, str] = {}  # where the callers were last

    @property
    def most_each(self) -> int:
        """Bytes that one caller may have."""
        return self._most // 2

    def add(self, caller: Caller, files: Iterable[bytes]) -> list[str]:
        """Keep files and return their digests.

        Raises:
            ValueError: They are larger than all that one caller may have.
        """
        named = [(digest_of(one), one) for one in files]
        by_digest = dict(named)
        if sum(len(one) for one in by_digest.values()) > self.most_each:
            raise ValueError(f"the files have more than {self.most_each} bytes, the most of one caller")
        self._keep(caller, by_digest)
        if self._store is not None:
            for digest, file in by_digest.items():
                self._store.write(_store_key(caller.key, digest), file)
        return [digest for digest, _ in named]

    def _keep(self, caller: Caller, by_digest: Mapping[str, bytes]) -> None:
        with self._lock:
            own = self._files.setdefault(caller.key, OrderedDict())
            self._addresses[caller.key] = caller.address
            for digest, file in by_digest.items():
                if digest not in own:
                    own[digest] = file
                    self._sizes[caller.key] = self._sizes.get(caller.key, 0) + len(file)
                own.move_to_end(digest)
            while self._sizes[caller.key] > self.most_each:
                self._drop(caller.key)
            while sum(self._sizes.values()) > self._most:
                self._drop(self._largest())

    def _largest(self) -> str:
        """Return the caller that has most, of the address that has most."""
        by_address: Counter[str] = Counter()
        for caller, size in self._sizes.items():
            by_address[self._addresses[caller]] += size
        ((address, _),) = by_address.most_common(1)
        there = (caller for caller in self._sizes if self._addresses[caller] == address)
        return max(there, key=self._sizes.__getitem__)

    def get(self, caller: Caller, digest: str) -> bytes | None:
        """Return a file of a caller, or None; it is the latest used then."""
        with self._lock:
            own = self._files.get(caller.key)
            if own is not None and digest in own:
                own.move_to_end(digest)
                return own[digest]
        store = self._store
        file = store.read(_store_key(caller.key, digest)) if store is not None else None
        if file is None or digest_of(file) != digest or len(file) > self.most_each:
            return None
        self._keep(caller, {digest: file})
        return file

    def _drop(self, caller: str) -> None:
        own = self._files[caller]
        _, file = own.popitem(last=False)
        self._sizes[caller] -= len(file)
        if not own:
            del self._files[caller], self._sizes[caller], self._addresses[caller]


def _store_key(caller: str, digest: str) -> str:
    """Return the name of a file in a store; a caller without the token of another cannot have its name."""
    return hashlib.sha256(f"{caller}\n{digest}".encode()).hexdigest()


#: What a folder of references may hold, as a multiple of what is kept in memory.
_FOLDER_SHARE = 8


#: Seconds that a request waits for the store, and after which one that did not answer is asked again.
WAIT_SECONDS, PAUSE_SECONDS = 10.0, 30.0
#: Calls of the store that are under way at a time.
_THREADS = 16


class TimedStore:
    """A store that is as if it were not there, for a time, once a call of it has hung.

    Args:
        store: The store.
        seconds: Seconds that a call may take.
        pause_seconds: Seconds until it is asked again.
        clock: Returns seconds.
    """

    def __init__(
        self,
        store: KeptBytes,
        seconds: float,
        pause_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._seconds, self._pause, self._clock = store, seconds, pause_seconds, clock
        self._threads = StoreThreads(_THREADS)
        self._asked_from = -math.inf

    def read(self, key: str) -> bytes | None:
        """Return the bytes of a name, or None."""
        return self._call(partial(self._store.read, key))

    def write(self, key: str, content: bytes) -> None:
        """Keep bytes by a name, if the store takes them."""
        self._call(partial(self._store.write, key, content))

    def _call(self, call: Callable[[], A]) -> A | None:
        if self._clock() < self._asked_from:
            return None
        future = self._threads.submit(call)
        try:
            return future.result(self._seconds)
        except TimeoutError:
            future.cancel()
            self._asked_from = self._clock() + self._pause
            reason = f"it did not answer within {self._seconds:g} s"
            _log.warning("the store of references is not used for %g s: %s", self._pause, reason)
            return None


def open_store(where: str, most_bytes: int) -> KeptBytes:
    """Return the store that replicas share.

    Args:
        where: A folder or a URL.
        most_bytes: What is kept in memory; a folder holds several times as much.

    Raises:
        UsageError: A package is missing that the URL needs.
    """
    if is_url(where):
        entries: KeptBytes = ObjectEntries(where, PAUSE_SECONDS)
    else:
        entries = FolderEntries(Path(where), _FOLDER_SHARE * most_bytes)
    return TimedStore(entries, WAIT_SECONDS, PAUSE_SECONDS)
