"""Caches of which each entry is a file that other packages write: what they hold, and emptying them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.run.caches.entries import CacheSize, on_disk, size_of


@dataclass(frozen=True, slots=True)
class CacheFiles:
    """The files of a cache.

    Attributes:
        folder: Its folder, which may hold other things too.
        pattern: Which files below the folder are entries.
    """

    folder: Path
    pattern: str

    def size(self) -> CacheSize:
        """Return how many entries there are, how large they are together, and from when."""
        found = (one.stat() for one in self._files())
        return size_of((one.st_mtime, on_disk(one.st_size)) for one in found)

    def clear(self) -> None:
        """Remove all entries.

        Raises:
            OSError: An entry cannot be removed.
        """
        for one in list(self._files()):
            one.unlink(missing_ok=True)

    def _files(self) -> Iterator[Path]:
        return (one for one in self.folder.glob(self.pattern) if one.is_file())
