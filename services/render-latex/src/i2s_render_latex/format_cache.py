"""Formats on disk: found by key, bounded in bytes, the least recently used removed first.

A format is two files: ``KEY.fmt`` and ``KEY.tex``, the head of a document: a preamble, or one with
``split.BEGIN`` behind it. The key is the digest of the head, of the installation and of the rules for
formats, so a format of another TeX never serves, and none that would be refused today.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from i2s_render_latex.split import BEGIN

#: Number of the rules by which formats are made and refused (format_source.py, format_build.py): increased
#: when a format that was accepted before may be refused.
RULES = 2
_OLD_SECONDS = 3600


@dataclass(eq=False, slots=True)
class Format:
    """A format that stands ready.

    Attributes:
        key: Digest of head, installation and rules.
        name: Name for people: that of a known preamble, else the beginning of the key.
        head: What it holds of a document.
        path: Path of the file.
        size: Size of the file in bytes.
        is_kept: Whether it is never removed for room.
        jobs: Number of jobs served so far.
        users: Number of jobs that use it now.
    """

    key: str
    name: str
    head: bytes = field(repr=False)
    path: Path
    size: int
    is_kept: bool = False
    jobs: int = 0
    users: int = 0

    @property
    def has_begun(self) -> bool:
        r"""Whether it holds what ``\begin{document}`` does, too."""
        return self.head.endswith(BEGIN)

    @property
    def preamble(self) -> bytes:
        """The preamble that it holds, without white space at the end."""
        return self.head.removesuffix(BEGIN)


class FormatCache:
    """The formats of one installation in one folder."""

    def __init__(self, folder: Path, installation_digest: str, max_bytes: int) -> None:
        """Take what lies in the folder.

        Args:
            folder: Folder of the formats; made if it is missing. Jobs of other users read in it.
            installation_digest: Formats of other installations are removed.
            max_bytes: Bound on all formats together; kept ones count, and stay.

        Raises:
            OSError: The folder cannot be made or read.
        """
        self._folder, self._digest, self._max_bytes = folder, installation_digest, max_bytes
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        self._formats: dict[str, Format] = {}  # the least recently used first
        for source in sorted(folder.glob("*.tex"), key=lambda path: path.stat().st_mtime):
            self._take(source)
        self._sweep()

    def _take(self, source: Path) -> None:
        head, dumped = source.read_bytes(), source.with_suffix(".fmt")
        key = self.key(head)
        if key != source.stem or not dumped.is_file():
            dumped.unlink(missing_ok=True)
            source.unlink(missing_ok=True)
            return
        self._formats[key] = Format(key, key[:12], head, dumped, dumped.stat().st_size)

    def _sweep(self) -> None:
        """Remove what was half written when a service was killed, some time ago."""
        for path in (*self._folder.glob(".new-*"), *self._folder.glob("*.fmt")):
            is_old = time.time() - path.stat().st_mtime > _OLD_SECONDS
            if is_old and path.stem not in self._formats:
                path.unlink(missing_ok=True)

    def key(self, head: bytes) -> str:
        """Return the key of a head's format."""
        return hashlib.sha256(f"{RULES}\n{self._digest}\n".encode() + head).hexdigest()

    def get(self, head: bytes) -> Format | None:
        """Return the format of exactly this head, None if there is none."""
        return self._formats.get(self.key(head))

    def __iter__(self) -> Iterator[Format]:
        """All formats, those with the longest head first."""
        return iter(sorted(self._formats.values(), key=lambda one: len(one.head), reverse=True))

    def has(self, one: Format) -> bool:
        """Whether a format is still on disk; one that somebody removed is forgotten."""
        if one.path.is_file():
            return True
        self._formats.pop(one.key, None)
        return False

    def write(self, head: bytes, dumped: bytes) -> None:
        """Write a format into the folder, for ``add``; may be called from any thread.

        Raises:
            OSError: It cannot be written.
        """
        path = self._folder / f"{self.key(head)}.fmt"
        self._write(path, dumped)
        self._write(path.with_suffix(".tex"), head)

    def add(self, head: bytes) -> Format:
        """Put a format that was written on the cache, and remove others for it if room is short.

        Raises:
            OSError: It is not there.
        """
        key = self.key(head)
        path = self._folder / f"{key}.fmt"
        self._formats[key] = Format(key, key[:12], head, path, path.stat().st_size)
        self._make_room(key)
        return self._formats[key]

    def _write(self, path: Path, content: bytes) -> None:
        """Write a file that appears whole or not at all, and that every user can read."""
        handle, temporary = tempfile.mkstemp(prefix=".new-", dir=self._folder)
        try:
            with open(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _make_room(self, newest: str) -> None:
        for one in list(self._formats.values()):
            if sum(kept.size for kept in self._formats.values()) <= self._max_bytes:
                return
            if not one.is_kept and not one.users and one.key != newest:
                self._remove(one)

    def _remove(self, one: Format) -> None:
        del self._formats[one.key]
        one.path.with_suffix(".tex").unlink(missing_ok=True)
        one.path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def lend(self, one: Format) -> Iterator[Format]:
        """Count a job of a format; it stays on the cache meanwhile and is the latest used."""
        self._formats[one.key] = self._formats.pop(one.key, one)
        one.users += 1
        one.jobs += 1
        with contextlib.suppress(OSError):  # the order after a restart is worth no failure
            os.utime(one.path.with_suffix(".tex"))
        try:
            yield one
        finally:
            one.users -= 1
