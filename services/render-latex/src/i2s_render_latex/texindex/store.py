"""The index as a file: one table of names in SQLite, opened read-only and read row by row."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import Category

#: Changes with the form of the file.
SCHEMA = "1"

_SCHEMA_SQL = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE names (
    category INTEGER NOT NULL,
    name TEXT NOT NULL,
    providers TEXT NOT NULL,  -- lines of kind and name, best first
    PRIMARY KEY (category, name)
) WITHOUT ROWID;
"""

Row = tuple[Category, str, Sequence[Provider]]


class IndexFileError(RuntimeError):
    """The index file is missing, damaged or of another version."""


def write(path: Path, digest: str, rows: Iterable[Row]) -> None:
    """Write an index file; it appears complete or not at all.

    Args:
        path: Path of the index; its folder must exist.
        digest: Digest of the tree.
        rows: Each name of a category once.
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    try:
        connection = sqlite3.connect(temporary)
        with connection:
            connection.executescript(_SCHEMA_SQL)
            connection.executemany(
                "INSERT INTO facts VALUES (?, ?)", [("schema", SCHEMA), ("digest", digest)]
            )
            packed = ((int(category), name, pack(providers)) for category, name, providers in rows)
            connection.executemany("INSERT INTO names VALUES (?, ?, ?)", packed)
        connection.close()
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def open_index(path: Path) -> tuple[sqlite3.Connection, str]:
    """Open an index file for reading, from any thread.

    Returns:
        The connection and the digest of the tree.

    Raises:
        IndexFileError: The file cannot be read as an index of this version.
    """
    again = "build it again with the index command of the service"
    if not path.is_file():
        raise IndexFileError(f"the index of the TeX tree, {path}, does not exist; {again}")
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        facts = dict(connection.execute("SELECT name, value FROM facts"))
    except sqlite3.DatabaseError as error:
        raise IndexFileError(f"{path} is not an index of a TeX tree ({error}); {again}") from None
    if facts.get("schema") != SCHEMA:
        raise IndexFileError(f"{path} has schema {facts.get('schema')}, this service reads {SCHEMA}; {again}")
    return connection, facts["digest"]


def pack(providers: Sequence[Provider]) -> str:
    """Return providers as they stand in the file."""
    return "\n".join(f"{int(provider.kind)} {provider.name}" for provider in providers)


def unpack(packed: str) -> tuple[Provider, ...]:
    """Return what `pack` was given."""
    pairs = (line.partition(" ") for line in packed.split("\n"))
    return tuple(Provider(ProviderKind(int(kind)), name) for kind, _, name in pairs)
