"""Files: read, and written whole, with errors that a user understands; bytes by name; the user's caches."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from i2s_sdk.errors import DataError, WriteError


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Have what the system refuses in the block as a DataError.

    Raises:
        DataError: The file cannot be read.
    """
    try:
        yield
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from None


def read_file(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        DataError: It cannot be read.
    """
    with reading(path):
        return path.read_bytes()


@contextmanager
def writing(where: Path | str) -> Iterator[None]:
    """Have what the system refuses in the block as a WriteError.

    Args:
        where: What is written, for people.

    Raises:
        WriteError: A file or folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise WriteError(where, error) from None


def write_whole(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file so that it is there whole or not at all; its folder is made if it is missing.

    Args:
        path: Path of the file; one that is there is replaced.
        content: All of its bytes.
        durable: Whether the bytes are on the disk when this returns, so that they survive a loss of power.

    Raises:
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class KeptBytes(Protocol):
    """Bytes by name. What cannot be read or written is as if it were not there.

    See ``i2s_sdk.run.caches``.
    """

    def read(self, key: str) -> bytes | None:
        """Return the bytes of a name, or None if there are none that are whole."""
        ...

    def write(self, key: str, content: bytes) -> None:
        """Keep bytes by a name: hexadecimal digits. Those of the same name are replaced."""
        ...


def cache_folder(name: str) -> Path:
    """Return the folder i2s/NAME of the user's caches, below XDG_CACHE_HOME or else ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "i2s" / name
