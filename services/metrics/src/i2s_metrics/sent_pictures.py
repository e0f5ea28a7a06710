"""The encoded pictures that a stream has sent, to be named by digest afterwards."""

from __future__ import annotations

import hashlib
from collections import OrderedDict


class SentPictures:
    """Keeps the pictures used last, bounded in bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._held: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def add(self, data: bytes) -> None:
        """Keep a picture; those unused for longest go. One larger than the bound is not kept."""
        digest = sha256(data)
        if digest in self._held:
            self._held.move_to_end(digest)
            return
        if len(data) > self._most_bytes:
            return
        self._held[digest] = data
        self._bytes += len(data)
        while self._bytes > self._most_bytes:
            _, dropped = self._held.popitem(last=False)
            self._bytes -= len(dropped)

    def find(self, digest: str) -> bytes | None:
        """Return the picture of this digest, if it is still kept."""
        data = self._held.get(digest)
        if data is not None:
            self._held.move_to_end(digest)
        return data


def sha256(data: bytes) -> str:
    """Return the digest that names a picture: SHA-256, lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()
