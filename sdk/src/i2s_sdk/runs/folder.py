"""A run on disk: manifest, records, pictures. Killed at any moment, it holds what was finished.

::

    RUN/
      manifest.json      options and facts
      records.jsonl      one line a sample, only ever appended to
      pictures/ab/ab….png   by SHA-256 of their content
      results.json       aggregate, written at the end
      index.html         report, written at the end
      logs/              of services started here
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.runs.manifest import Manifest
from i2s_sdk.runs.record import Record

MANIFEST, RECORDS, PICTURES = "manifest.json", "records.jsonl", "pictures"
RESULTS, REPORT, LOGS = "results.json", "index.html", "logs"
_LOCK = ".lock"
_BLOCK = 65_536


class RunFolder:
    """An open run; one process has it at a time."""

    def __init__(self, path: Path, records: IO[bytes]) -> None:
        self.path = path
        self._records = records

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[RunFolder]:
        """Have the run in a folder, new or not, for this process alone.

        Raises:
            UsageError: The folder holds something else, or another process has the run open.
        """
        path.mkdir(parents=True, exist_ok=True)
        with (path / _LOCK).open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UsageError(f"{path}: another process works on this run; wait until it ends") from None
            _refuse_strangers(path)
            with (path / RECORDS).open("a+b") as records:
                _cut_torn_line(records)
                yield cls(path, records)

    def manifest(self) -> Manifest | None:
        """Return what the run is; None where it was not begun."""
        file = self.path / MANIFEST
        return Manifest.from_file(file) if file.exists() else None

    def begin(self, manifest: Manifest) -> Manifest:
        """Begin the run, or go on with it, and return the manifest that is kept.

        Raises:
            RunConflictError: The folder holds a run with other options.
        """
        found = self.manifest()
        if found is not None:
            manifest.options.require_same(found.options, self.path)
            engines = {**manifest.options.engines, **found.options.engines}
            if engines == found.options.engines:
                return found
            options = replace(found.options, engines=engines)
            manifest = replace(found, options=options, about={**manifest.about, **found.about})
        write_whole(self.path / MANIFEST, manifest.to_json().encode())
        return manifest

    def records(self) -> dict[str, Record]:
        """Return the records by instance; of several of one instance the last, which counts."""
        return read_records(self.path)

    def append(self, record: Record) -> None:
        """Keep a record. It is whole on disk, or not there at all, whatever happens next."""
        line = json.dumps(record.to_json(), allow_nan=False)
        self._records.write(line.encode("ascii") + b"\n")
        self._records.flush()

    def put_picture(self, png: bytes) -> str:
        """Keep a picture and return its SHA-256."""
        digest = hashlib.sha256(png).hexdigest()
        path = self.path / picture_name(digest)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, png)
        return digest


def picture_name(digest: str) -> str:
    """Return the path of a picture relative to its run folder."""
    return f"{PICTURES}/{digest[:2]}/{digest}.png"


def read_records(path: Path) -> dict[str, Record]:
    """Return the records of a run folder by instance; the last of each counts.

    Raises:
        DataError: A line is not a record; names it.
    """
    file = path / RECORDS
    found: dict[str, Record] = {}
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = Record.from_json(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(file, number, f"is not a record: {error!r}") from None
            found[record.id] = record
    return found


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)


def _refuse_strangers(path: Path) -> None:
    names = {one.name for one in path.iterdir()}
    strangers = names - {_LOCK, LOGS, RECORDS}
    if strangers and MANIFEST not in names:
        raise UsageError(f"{path} holds {min(strangers)!r} and no run; name a new folder with --out")


def _cut_torn_line(records: IO[bytes]) -> None:
    """Remove what a process wrote of a line when it was killed."""
    end = whole = records.seek(0, os.SEEK_END)
    while whole > 0:
        start = max(0, whole - _BLOCK)
        records.seek(start)
        newline = records.read(whole - start).rfind(b"\n")
        if newline >= 0:
            whole = start + newline + 1
            break
        whole = start
    if whole != end:
        records.truncate(whole)
    records.seek(0, os.SEEK_END)
