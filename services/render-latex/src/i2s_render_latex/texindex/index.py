"""The index as a file, a table of names in SQLite, opened read-only and read row by row, and its look-ups."""

from __future__ import annotations

import contextlib
import difflib
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from i2s_wire.render.source_error import Provider, ProviderKind

from .definitions import Category, key_name
from .rank import folded
from .records import Records, pack_records, unpack_records
from .units import provider_of

#: Changes with the form of the file.
SCHEMA = "2"

_SCHEMA_SQL = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
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


def write(path: Path, digest: str, rows: Iterable[Row], trials: Records | None = None) -> None:
    """Write an index file; it appears complete or not at all.

    Args:
        path: Path of the index; its folder must exist.
        digest: Digest of the tree.
        rows: Each name of a category once.
        trials: What the next build need not try again.
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    try:
        connection = sqlite3.connect(temporary)
        with connection:
            connection.executescript(_SCHEMA_SQL)
            connection.executemany(
                "INSERT INTO facts VALUES (?, ?)",
                [("schema", SCHEMA), ("digest", digest), ("trials", pack_records(trials or {}))],
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
    found = path.stat()
    if found.st_uid not in (0, os.geteuid()) or found.st_mode & 0o022:
        raise IndexFileError(
            f"another user can have written the index of the TeX tree, {path}: it belongs to uid "
            f"{found.st_uid} and has mode {found.st_mode & 0o7777:o}; {again}"
        )
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        facts = dict(connection.execute("SELECT name, value FROM facts WHERE name <> 'trials'"))
    except sqlite3.DatabaseError as error:
        raise IndexFileError(f"{path} is not an index of a TeX tree ({error}); {again}") from None
    if facts.get("schema") != SCHEMA:
        raise IndexFileError(f"{path} has schema {facts.get('schema')}, this service reads {SCHEMA}; {again}")
    return connection, facts["digest"]


def read_trials(path: Path) -> Records:
    """Return what the build of an index file has tried; empty if there is no such file that can be used."""
    try:
        connection, _ = open_index(path)
    except IndexFileError:
        return {}
    with contextlib.closing(connection):
        try:
            (packed,) = connection.execute("SELECT value FROM facts WHERE name = 'trials'").fetchone()
            return unpack_records(packed)
        except (sqlite3.DatabaseError, TypeError, ValueError):
            return {}


def pack(providers: Sequence[Provider]) -> str:
    """Return providers as they stand in the file."""
    return "\n".join(f"{int(provider.kind)} {provider.name}" for provider in providers)


def unpack(packed: str) -> tuple[Provider, ...]:
    """Return what `pack` was given."""
    pairs = (line.partition(" ") for line in packed.split("\n"))
    return tuple(Provider(ProviderKind(int(kind)), name) for kind, _, name in pairs)


class TexIndex:
    """What the installed TeX tree defines, read from a file that `build_index` wrote.

    Opening reads a few kilobytes; each look-up reads one row. May be used from any thread.

    Attributes:
        digest: Digest of the tree that was scanned; compare with `current_digest` to detect that the
            installation has changed since.
    """

    def __init__(self, connection: sqlite3.Connection, digest: str) -> None:
        self._connection = connection
        self.digest = digest

    @classmethod
    def load(cls, path: str | Path) -> TexIndex:
        """Open an index file.

        Raises:
            IndexFileError: The file is missing, damaged or of another version.
        """
        return cls(*open_index(Path(path)))

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def providers_of_command(self, name: str) -> tuple[Provider, ...]:
        r"""Return what defines a command, best first, at most five.

        Args:
            name: Name, such as "toprule"; its backslash may stand before it.
        """
        return self._providers(Category.COMMAND, name.removeprefix("\\").strip())

    def providers_of_environment(self, name: str) -> tuple[Provider, ...]:
        r"""Return what defines an environment, best first, at most five.

        Args:
            name: Name as in ``\begin{name}``. If nothing defines a starred form, the form without
                the star is looked up.
        """
        return (
            self._providers(Category.ENVIRONMENT, name)
            or self._providers(Category.ENVIRONMENT, name.rstrip("*"))
            or self._providers(Category.COMMAND, name)
        )

    def providers_of_key(self, name: str) -> tuple[Provider, ...]:
        """Return what defines a key, shape, arrow tip or other pgf name, best first, at most five.

        Args:
            name: A key path ("/tikz/on grid"), a name ("diamond", "Stealth"), or what
                `pgf_undefined` made of an error message. If nothing defines the whole path, what
                defines its beginning is returned: for "/tikz/fill between/split", "fill between".
        """
        path = key_name(name)
        while path:
            found = self._providers(Category.KEY, path)
            if found:
                return found
            path = path.rpartition("/")[0]
        return ()

    def providers_of_file(self, name: str) -> tuple[Provider, ...]:
        """Return what a missing file may have meant, best first, at most five.

        The file itself is first if it is installed; a caller that asks whether it is compares
        that name. Then come those of similar name: "tikzcd.sty" gives tikz-cd, and
        "positioning.sty" the TikZ library, which is not a package.

        Args:
            name: Name, such as "booktabs.sty", "beamer.cls", "tikzlibrarycalc.code.tex".
        """
        wanted = provider_of(name)
        if wanted is None:
            return ()
        found = self._providers(Category.FILE, folded(wanted.name))
        if not found:
            found = self._similar(folded(wanted.name))
        return tuple(sorted(found, key=lambda provider: (provider != wanted, provider.kind != wanted.kind)))

    def _similar(self, name: str) -> tuple[Provider, ...]:
        rows = self._connection.execute("SELECT name FROM names WHERE category = ?", (int(Category.FILE),))
        near = difflib.get_close_matches(name, (row[0] for row in rows), n=3, cutoff=0.85)
        return tuple(p for other in near for p in self._providers(Category.FILE, other))[:5]

    def _providers(self, category: Category, name: str) -> tuple[Provider, ...]:
        row = self._connection.execute(
            "SELECT providers FROM names WHERE category = ? AND name = ?", (int(category), name)
        ).fetchone()
        return unpack(row[0]) if row else ()
