"""References that callers have uploaded, by digest: bounded, the latest used are kept."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable

#: What stands before the hexadecimal digits of a digest.
DIGEST = "sha256:"


def digest_of(content: bytes) -> str:
    """Return the digest of a file as requests name it."""
    return f"{DIGEST}{hashlib.sha256(content).hexdigest()}"


class References:
    """Files by caller and digest. No caller can name, or learn of, what another one has uploaded.

    A caller has at most half of the memory; what was not used for longest goes first, of the caller itself
    and then of the one that has most. Safe to share between threads.

    Args:
        most_bytes: Size of all files together.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = threading.Lock()
        self._files: dict[str, OrderedDict[str, bytes]] = {}
        self._sizes: dict[str, int] = {}

    @property
    def most_each(self) -> int:
        """Bytes that one caller may have."""
        return self._most // 2

    def add(self, caller: str, files: Iterable[bytes]) -> list[str]:
        """Keep files and return their digests.

        Raises:
            ValueError: They are larger than all that one caller may have.
        """
        named = [(digest_of(one), one) for one in files]
        by_digest = dict(named)
        if sum(len(one) for one in by_digest.values()) > self.most_each:
            raise ValueError(f"the files have more than {self.most_each} bytes, the most of one caller")
        with self._lock:
            own = self._files.setdefault(caller, OrderedDict())
            for digest, file in by_digest.items():
                if digest not in own:
                    own[digest] = file
                    self._sizes[caller] = self._sizes.get(caller, 0) + len(file)
                own.move_to_end(digest)
            while self._sizes[caller] > self.most_each:
                self._drop(caller)
            while sum(self._sizes.values()) > self._most:
                self._drop(max(self._sizes, key=self._sizes.__getitem__))
        return [digest for digest, _ in named]

    def get(self, caller: str, digest: str) -> bytes | None:
        """Return a file of a caller, or None; it is the latest used then."""
        with self._lock:
            own = self._files.get(caller)
            if own is None or digest not in own:
                return None
            own.move_to_end(digest)
            return own[digest]

    def _drop(self, caller: str) -> None:
        own = self._files[caller]
        _, file = own.popitem(last=False)
        self._sizes[caller] -= len(file)
        if not own:
            del self._files[caller], self._sizes[caller]
