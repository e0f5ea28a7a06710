"""The files of a collection by their SHA-256, and those that a person has fetched by their SHA-1."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.files import write_whole, writing


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


#: The largest file that is read, in bytes.
MAX_FILE_BYTES = 500_000_000


@dataclass(slots=True)
class GivenFiles:
    """The files of a folder and of the folders in it, by SHA-1. Their names do not matter.

    They are read once, when the first file is asked for.
    """

    #: None if no files are given.
    folder: Path | None = None
    _paths: dict[str, Path] | None = field(default=None, repr=False)

    def check(self) -> None:
        """Check that the folder is there.

        Raises:
            UsageError: It is not.
        """
        if self.folder is not None and not self.folder.is_dir():
            raise UsageError(f"{self.folder}: is no folder of files")

    def read(self, sha1: str) -> bytes | None:
        """Return the content of a file, or None if it is not there.

        Args:
            sha1: SHA-1 in hexadecimal, lower case.

        Raises:
            UsageError: The folder or a file in it cannot be read.
        """
        if self._paths is None:
            self._paths = dict(self._found())
        path = self._paths.get(sha1)
        if path is None:
            return None
        content = self._content(path)
        # It may have been replaced since it was first read.
        return content if _sha1(content) == sha1 else None

    def _found(self) -> list[tuple[str, Path]]:
        self.check()
        if self.folder is None:
            return []
        paths = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        return [
            (_sha1(self._content(path)), path) for path in paths if 0 < path.stat().st_size <= MAX_FILE_BYTES
        ]

    def _content(self, path: Path) -> bytes:
        try:
            return path.read_bytes()
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from None


def _sha1(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()
