"""A cache of what is made of images, bounded in bytes; the least recently used value is dropped first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar, cast


class SizedInBytes(Protocol):
    """Something that knows how many bytes it holds."""

    @property
    def nbytes(self) -> int:
        """Bytes that it holds."""


T = TypeVar("T", bound=SizedInBytes)


class BoundedCache:
    """Values by key, as long as all of them together fit."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._held: OrderedDict[Hashable, SizedInBytes] = OrderedDict()
        self._bytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes that are held now; never more than allowed."""
        return self._bytes

    def find(self, key: Hashable) -> SizedInBytes | None:
        """Return what is kept under ``key``, if anything is."""
        if key in self._held:
            self._held.move_to_end(key)
        return self._held.get(key)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept under ``key``, or make and keep it.

        A key belongs to one type of value. What alone is larger than the bound is not kept.
        """
        if key in self._held:
            self._held.move_to_end(key)
            return cast(T, self._held[key])
        made = make()
        if made.nbytes <= self._most_bytes:
            self._held[key] = made
            self._bytes += made.nbytes
        while self._bytes > self._most_bytes:
            _, dropped = self._held.popitem(last=False)
            self._bytes -= dropped.nbytes
        return made
