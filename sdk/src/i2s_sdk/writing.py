"""Errors of the file system where something is written, as errors that a user understands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from i2s_sdk.errors import WriteError


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
