"""Bytes by name in an object store, for runs whose processes share no folder."""

from __future__ import annotations

import logging

from i2s_sdk.errors import StoreError
from i2s_sdk.run.caches.entries import CacheSize, framed, unframed
from i2s_sdk.run.storage.object_store.access import Access

_log = logging.getLogger(__name__)


class ObjectEntries:
    """Entries below a URL. Their number is not bounded here: a rule of the bucket removes old ones.

    A call is made once. If the store does not answer, it is not asked again by this process, since a cache is
    to save time.

    Args:
        url: URL of the folder.

    Raises:
        UsageError: A package is missing that the URL needs, or nothing knows such URLs.
    """

    def __init__(self, url: str) -> None:
        self._access = Access(url, retry_seconds=0)
        self._answers = True

    def read(self, key: str) -> bytes | None:
        """Return the bytes of an entry, or None; one that is damaged is removed."""
        if not self._answers:
            return None
        name = _name(key)
        try:
            content = unframed(key, self._access.read(name))
            if content is None:
                self._access.remove([name])
            return content
        except FileNotFoundError:
            return None
        except StoreError as error:
            self._give_up(error)
            return None

    def write(self, key: str, content: bytes) -> None:
        """Write an entry, if the store takes it."""
        if not self._answers:
            return
        try:
            self._access.write(_name(key), framed(key, content))
        except StoreError as error:
            self._give_up(error)

    def size(self) -> CacheSize:
        """Return how many entries there are and how large they are together.

        Raises:
            StoreError: The store does not answer.
        """
        sizes = self._access.sizes()
        return CacheSize(len(sizes), sum(sizes))

    def clear(self) -> None:
        """Remove all entries.

        Raises:
            StoreError: The store does not answer.
        """
        self._access.clear("")

    def _give_up(self, error: StoreError) -> None:
        if self._answers:
            _log.warning("the cache is not used from here on: %s", error.message)
        self._answers = False


def _name(key: str) -> str:
    return f"{key[:2]}/{key}"
