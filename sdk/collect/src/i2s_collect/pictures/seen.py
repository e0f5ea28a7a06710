"""The fingerprints of all pieces that were ever kept, in an SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from i2s_collect.pictures.duplicates import DuplicateIndex
from i2s_collect.pictures.fingerprint import Fingerprint, FingerprintError
from i2s_collect.transactions import transaction
from i2s_sdk.errors import DataError
from i2s_sdk.writing import writing

#: Version of the tables below. Files of another version are refused.
VERSION = 1

#: Seconds that a transaction waits for that of another process.
LOCK_SECONDS = 30.0

_SCHEMA = f"""
BEGIN;
CREATE TABLE IF NOT EXISTS pieces (
    collection TEXT NOT NULL, position INTEGER NOT NULL, subset TEXT NOT NULL, key TEXT NOT NULL,
    source TEXT NOT NULL, picture TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
    difference BLOB NOT NULL, thumbnail BLOB NOT NULL, shingles BLOB NOT NULL,
    PRIMARY KEY (collection, position)
);
PRAGMA user_version = {VERSION};
COMMIT;
"""


class SeenStore:
    """A file of fingerprints, by collection. A second collection compares its pieces with those of the first.

    Args:
        path: Path of the file, which is made if it is not there; so is its folder.

    Raises:
        WriteError: It cannot be written.
        DataError: It is no such file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        with self._readable():
            self._database = sqlite3.connect(path, isolation_level=None, timeout=LOCK_SECONDS)
        try:
            with self._readable():
                (version,) = self._database.execute("PRAGMA user_version").fetchone()
                if version not in {0, VERSION}:
                    raise DataError(path, 0, f"has version {version}; this program knows version {VERSION}")
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute("PRAGMA synchronous=FULL")
                self._database.executescript(_SCHEMA)
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def load(self, leave_out: str = "") -> DuplicateIndex:
        """Return an index of all pieces, in the order in which they were stored.

        Args:
            leave_out: A collection whose own pieces are not wanted, because it is resumed.

        Raises:
            DataError: The file is damaged.
        """
        index = DuplicateIndex()
        with self._readable():
            rows = self._database.execute(
                "SELECT subset, key, source, picture, width, height, difference, thumbnail, shingles"
                " FROM pieces WHERE collection != ? ORDER BY rowid",
                (leave_out,),
            )
            for subset, key, *values in rows:
                index.add(subset, key, Fingerprint(*values))
        return index

    def replace(self, collection: str, pieces: Iterable[tuple[str, str, Fingerprint]]) -> None:
        """Store the pieces of a collection in place of those that are stored of it, in one transaction.

        Args:
            collection: Its name, which is not empty.
            pieces: Subset, key and fingerprint of each.

        Raises:
            ValueError: The name is empty.
            DataError: The file cannot be used.
        """
        if not collection:
            raise ValueError("a collection has a name")
        with self._readable(), transaction(self._database):
            self._database.execute("DELETE FROM pieces WHERE collection = ?", (collection,))
            self._database.executemany(
                "INSERT INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (collection, position, subset, key, *_columns(one))
                    for position, (subset, key, one) in enumerate(pieces)
                ),
            )

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, FingerprintError, TypeError) as error:
            raise DataError(self._path, 0, f"cannot be used: {error}") from None


def _columns(one: Fingerprint) -> tuple[str, str, int, int, bytes, bytes, bytes]:
    return (one.source, one.picture, one.width, one.height, one.difference, one.thumbnail, one.shingles)
