"""Lines of a store as they are appended, for a reader that looks again and again."""

from __future__ import annotations

from i2s_sdk.errors import StoreError
from i2s_sdk.run.storage.object_store.access import Access
from i2s_sdk.run.storage.object_store.segments import LOOKS, Segment, current, require_whole


class FollowedSegments:
    """Segments of a folder, of which each is read once; see ``Followed``.

    A segment that consists of segments that were read is not read again. A call costs one listing. Lines that
    were read before a call failed are returned by the next one.

    Args:
        access: Access to the store.
        folder: Name of the folder.
    """

    def __init__(self, access: Access, folder: str) -> None:
        self._access, self._folder = access, folder
        self._sizes: dict[Segment, int] = {}  # bytes of each that was read
        self._lines: list[bytes] = []  # read, and not returned yet

    def new(self) -> list[bytes]:
        """Return the lines that were appended since the last call.

        Raises:
            DataError: A segment is not whole.
            StoreError: The store does not answer.
        """
        for _ in range(LOOKS):
            try:
                for segment in current(self._access.listing(self._folder)):
                    if segment not in self._sizes:
                        self._lines += self._unread(segment)
            except FileNotFoundError:  # written again meanwhile, as part of a larger one
                continue
            lines, self._lines = self._lines, []
            return lines
        raise StoreError(
            f"{self._access.url}/{self._folder}: segments vanish while they are read; read it again"
        )

    def _unread(self, segment: Segment) -> list[bytes]:
        """Return the lines of a segment that were not read as those of smaller ones."""
        covered = [one for one in self._sizes if segment.covers(one)]
        size, after = 0, segment.first
        for one in sorted(covered, key=lambda one: one.first):
            if one.first == after:
                size, after = size + self._sizes[one], one.last + 1
        lines: list[bytes] = []
        if after <= segment.last:
            content = self._access.read(f"{self._folder}/{segment}")
            require_whole(content, f"{self._access.url}/{self._folder}/{segment}")
            lines, size = content[size:].splitlines(keepends=True), len(content)
        self._sizes[segment] = size
        for one in covered:
            del self._sizes[one]
        return lines
