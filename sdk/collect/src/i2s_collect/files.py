"""The files of a collection, by the SHA-256 of their content."""

from __future__ import annotations

import hashlib
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.writing import write_whole, writing


class ContentFiles:
    """A folder of files that are named after their content."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, content: bytes) -> str:
        """Store a content and return its SHA-256.

        Raises:
            WriteError: It cannot be written.
        """
        digest = hashlib.sha256(content).hexdigest()
        path = self._folder / digest[:2] / digest
        if not path.exists():
            with writing(self._folder):
                write_whole(path, content)
        return digest

    def read(self, digest: str) -> bytes:
        """Return a content.

        Raises:
            DataError: It is not there, or is another.
        """
        path = self._folder / digest[:2] / digest
        try:
            content = path.read_bytes()
        except OSError as error:
            raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise DataError(path, 0, "is not what it was when it was stored")
        return content
