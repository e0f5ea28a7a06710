"""Transactions of SQLite files that are written by one statement at a time otherwise."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Store all that the block writes, or nothing of it if the block raises.

    Args:
        database: Opened with ``isolation_level=None``.

    Raises:
        sqlite3.Error: The file cannot be used.
    """
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")
