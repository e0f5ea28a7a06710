"""The state of a collection on disk: documents in their order, and the outcome of their pieces."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from i2s_collect.candidates import CollectStage, Dropped, Licence, Reason, SourceDocument
from i2s_sdk.errors import DataError, InUseError, RunConflictError
from i2s_sdk.files import writing
from i2s_sdk.json_text import read_json


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


#: File of the database in the folder of the state.
DATABASE = "state.sqlite"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS documents (key TEXT PRIMARY KEY, position TEXT NOT NULL, document TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS in_order ON documents (position);
CREATE TABLE IF NOT EXISTS undiscovered (key TEXT, reason TEXT NOT NULL, detail TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS visits (
    document TEXT, subset TEXT, outcomes TEXT NOT NULL, PRIMARY KEY (document, subset)
);
"""


@dataclass(frozen=True, slots=True)
class PieceOutcome:
    """The outcome of a piece, before it is compared with others."""

    #: Subset of the piece; empty for a document of which nothing was cut.
    subset: str
    #: Key of the piece within its document.
    key: str
    #: Stage in which it was dropped, or the last that it passed.
    stage: CollectStage
    #: Why it was dropped; None if it was not.
    reason: Reason | None = None
    #: Detail for people.
    detail: str = ""
    #: See ``Piece``.
    member: str = ""
    #: See ``Piece``.
    span: tuple[int, int] = (0, 0)
    #: SHA-256 of its structure, under which the collection has it; empty if it has none.
    structure: str = ""
    #: SHA-256 of its image; the same.
    picture: str = ""
    #: See ``Piece``.
    length: int = 0
    #: See ``Piece``.
    assets: tuple[str, ...] = ()
    #: See ``Piece``.
    notes: Mapping[str, Any] = field(default_factory=dict)
    #: Values of filters, by name.
    values: Mapping[str, Any] = field(default_factory=dict)
    #: Fingerprint by which duplicates are found.
    fingerprint: str = ""
    #: Name, version and digest of what drew it.
    engine: Mapping[str, str] = field(default_factory=dict)
    #: Version of the document that was fetched.
    version: str = ""
    #: URL from where the document was read.
    url: str = ""
    #: See ``Piece``.
    place: str = ""


class CollectionState:
    """The state of a collection: a folder with an SQLite database and files by content.

    One process at a time has it, and of its threads one at a time. Everything is stored in transactions, so
    that a process that is killed loses the document it was working on and nothing else.

    Args:
        folder: The folder; it is made if it is not there.

    Raises:
        InUseError: Another process has it.
        WriteError: It cannot be written.
        DataError: The database is not one of this program.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise InUseError(
                f"{folder}: another process is collecting into this folder; wait until it ends"
            ) from None
        self._path = folder / DATABASE
        try:
            with self._readable():
                self._database = sqlite3.connect(
                    self._path,
                    isolation_level=None,
                    check_same_thread=False,  # coroutines run in another one in notebooks
                )
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute("PRAGMA synchronous=FULL")
                self._database.executescript(_SCHEMA)
        except DataError:
            os.close(self._lock)
            raise

    def close(self) -> None:
        """Close the database, and let other processes have it."""
        self._database.close()
        os.close(self._lock)

    def facts(self) -> dict[str, str]:
        """Return the facts that hold for the whole collection, by name."""
        with self._readable():
            return dict(self._database.execute("SELECT name, value FROM facts"))

    def keep_facts(self, facts: Mapping[str, str]) -> None:
        """Store facts at the first call; later calls must bring the same.

        Raises:
            RunConflictError: A fact is another than that of the collection.
        """
        known = self.facts()
        for name, value in facts.items():
            if known.get(name, value) != value:
                raise RunConflictError(
                    f"{self.folder}: was begun with {name} {known[name]}, not {value}; name another folder"
                )
        with self._transaction():
            self._database.executemany("INSERT OR IGNORE INTO facts VALUES (?, ?)", facts.items())

    def discovered(self) -> bool:
        """Return whether all documents of the window are known."""
        return "discovered" in self.facts()

    def keep_documents(self, documents: Iterable[SourceDocument | Dropped], seed: int) -> None:
        """Store all documents of the window, or nothing if that is interrupted.

        Args:
            documents: Documents and dropped ones; of documents with one key, the first counts.
            seed: Decides the order of documents.
        """
        with self._transaction():
            for document in documents:
                if isinstance(document, Dropped):
                    row = (document.key, document.reason.value, document.detail)
                    self._database.execute("INSERT INTO undiscovered VALUES (?, ?, ?)", row)
                    continue
                stored = json.dumps({**asdict(document), "day": document.day.isoformat()}, sort_keys=True)
                self._database.execute(
                    "INSERT OR IGNORE INTO documents VALUES (?, ?, ?)",
                    (document.key, order(seed, document.key), stored),
                )
            self._database.execute("INSERT INTO facts VALUES ('discovered', 'yes')")

    def documents(self) -> Iterator[SourceDocument]:
        """Yield all documents in their order, which depends on seed and keys alone."""
        with self._readable():
            keys = [
                key for (key,) in self._database.execute("SELECT key FROM documents ORDER BY position, key")
            ]
        for key in keys:
            with self._readable():
                (stored,) = self._database.execute(
                    "SELECT document FROM documents WHERE key = ?", (key,)
                ).fetchone()
                yield _document(read_json(stored))

    def undiscovered(self) -> list[Dropped]:
        """Return what was dropped while documents were discovered."""
        with self._readable():
            rows = self._database.execute(
                "SELECT key, reason, detail FROM undiscovered ORDER BY rowid"
            ).fetchall()
        return [Dropped(Reason(reason), detail, key) for key, reason, detail in rows]

    def outcomes(self, document: str, subset: str) -> list[PieceOutcome] | None:
        """Return what became of the pieces of a document in a subset, or None if that is not known yet."""
        with self._readable():
            row = self._database.execute(
                "SELECT outcomes FROM visits WHERE document = ? AND subset = ?", (document, subset)
            ).fetchone()
        return None if row is None else [_outcome(one) for one in read_json(row[0])]

    def keep_outcomes(self, document: str, outcomes: Mapping[str, Iterable[PieceOutcome]]) -> None:
        """Store what became of the pieces of a document, by subset."""
        rows = [
            (document, subset, json.dumps([asdict(piece_outcome) for piece_outcome in found], sort_keys=True))
            for subset, found in outcomes.items()
        ]
        with self._transaction():
            self._database.executemany("INSERT OR REPLACE INTO visits VALUES (?, ?, ?)", rows)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._readable(), transaction(self._database):
            yield

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, ValueError, KeyError, TypeError) as error:
            raise DataError(self._path, 0, f"cannot be used: {error}") from None


def order(seed: int, key: str) -> str:
    """Return by what a document or piece is ordered: the SHA-256 of seed and key."""
    return sha256(f"{seed} {key}".encode()).hexdigest()


def _document(stored: Mapping[str, Any]) -> SourceDocument:
    day, licence = date.fromisoformat(stored["day"]), Licence(**stored["licence"])
    return SourceDocument(**{**stored, "day": day, "licence": licence, "authors": tuple(stored["authors"])})


def _outcome(stored: Mapping[str, Any]) -> PieceOutcome:
    reason = stored["reason"]
    return PieceOutcome(
        **{
            **stored,
            "stage": CollectStage(stored["stage"]),
            "reason": Reason(reason) if reason else None,
            "span": (stored["span"][0], stored["span"][1]),
            "assets": tuple(stored["assets"]),
        }
    )
