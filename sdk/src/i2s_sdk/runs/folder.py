"""A run on disk. Killed at any moment, it holds what was finished.

::

    RUN/
      manifest.json      options and facts
      instances.jsonl    what the run has
      answers.jsonl      one line for each answer of the model
      renderings.jsonl   one line for each sample that was rendered
      records.jsonl      one line for each sample that has ended
      calls.jsonl        one line for each call of the model that was begun
      pictures/ab/ab….png   by SHA-256 of their content
      results.json       aggregate, written at the end
      index.html         report, written at the end
      logs/              of services started here

The files of lines are only ever appended to.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.runs.answer import Answer
from i2s_sdk.runs.journal import unanswered_calls
from i2s_sdk.runs.ledger import Ledger, read_lines
from i2s_sdk.runs.manifest import Manifest
from i2s_sdk.runs.outcome import Outcome
from i2s_sdk.runs.planned import INSTANCES, planned_lines
from i2s_sdk.runs.planned import Sample as PlannedSample
from i2s_sdk.runs.record import Record, without_texts
from i2s_sdk.runs.rendered import Rendered

MANIFEST, RECORDS, PICTURES = "manifest.json", "records.jsonl", "pictures"
ANSWERS, RENDERINGS, CALLS = "answers.jsonl", "renderings.jsonl", "calls.jsonl"
RESULTS, REPORT, LOGS = "results.json", "index.html", "logs"
_LOCK, _DRAFTS = ".lock", ".drafts"


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """What is kept in memory of an answer: whether it is one to go on with, and US dollars paid for it."""

    final: bool
    paid: float


class RunFolder:
    """An open run; one process has it at a time.

    Attributes:
        path: The folder.
        answers: What the model said; marked by outcome and dollars paid.
        renderings: What was rendered; marked by outcome.
        ended: Records of samples; marked by outcome.
        calls: Calls of the model that were begun.
        answered: How many samples have an answer.
        paid: US dollars that are known to have been paid for them.
    """

    def __init__(
        self,
        path: Path,
        answers: Ledger[AnswerMark],
        renderings: Ledger[Outcome],
        ended: Ledger[Outcome],
        calls: Ledger[None],
    ) -> None:
        self.path = path
        self.answers, self.renderings, self.ended, self.calls = answers, renderings, ended, calls
        self.answered = sum(mark.final for mark in answers.marks.values())
        self.paid = sum(mark.paid for mark in answers.marks.values())

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[RunFolder]:
        """Have the run in a folder, new or not, for this process alone.

        Raises:
            UsageError: The folder holds something else, or another process has the run open.
            DataError: A line of it is damaged.
        """
        path.mkdir(parents=True, exist_ok=True)
        with (path / _LOCK).open("ab") as lock, ExitStack() as ledgers:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UsageError(f"{path}: another process works on this run; wait until it ends") from None
            _refuse_strangers(path)
            _clear_drafts(path)
            yield cls(
                path,
                ledgers.enter_context(Ledger.open(path / ANSWERS, _answer_mark)),
                ledgers.enter_context(Ledger.open(path / RENDERINGS, _outcome)),
                ledgers.enter_context(Ledger.open(path / RECORDS, _outcome)),
                ledgers.enter_context(Ledger.open(path / CALLS, _nothing)),
            )

    def manifest(self) -> Manifest | None:
        """Return what the run is; None where it was not begun."""
        file = self.path / MANIFEST
        return Manifest.from_file(file) if file.exists() else None

    def begin(self, manifest: Manifest, planned: Iterable[PlannedSample] = ()) -> Manifest:
        """Begin the run, or go on with it, and return the manifest that is kept.

        Args:
            manifest: Of what is to be done now.
            planned: All instances of the whole run, those of other shards among them.

        Raises:
            RunConflictError: The folder holds a run with other options.
        """
        found = self.manifest()
        if found is None:
            self._write(INSTANCES, planned_lines(planned))
        else:
            manifest.options.require_same(found.options, self.path)
            merged = found.joined(manifest)
            if merged == found:
                return found
            manifest = merged
        self._write(MANIFEST, manifest.to_json().encode())
        return manifest

    def records(self, *, texts: bool = True) -> dict[str, Record]:
        """Return the records by instance; see ``read_records``."""
        return read_records(self.path, texts=texts)

    def record(self, identity: str) -> Record | None:
        """Return the record of an instance; None where it has none."""
        return Record.from_json(self.ended.read(identity)) if identity in self.ended else None

    def append(self, record: Record) -> None:
        """Keep the record of a sample that has ended."""
        self.ended.append(record.to_json())

    def put_answer(self, answer: Answer) -> None:
        """Keep what the model said."""
        self.answers.append(answer.to_json())
        self.answered += answer.final
        self.paid += answer.paid

    def put_rendered(self, rendered: Rendered) -> None:
        """Keep what was rendered; its pictures are there already."""
        self.renderings.append(rendered.to_json())

    def answer(self, identity: str) -> Answer | None:
        """Return what the model said of an instance; None where it is to be asked (again)."""
        mark = self.answers.marks.get(identity)
        if mark is None or not mark.final:
            return None
        return Answer.from_json(self.answers.read(identity))

    def rendered(self, identity: str) -> Rendered | None:
        """Return what was rendered of an instance; None where it was not."""
        return Rendered.from_json(self.renderings.read(identity)) if identity in self.renderings else None

    def put_picture(self, png: bytes) -> str:
        """Keep a picture and return its SHA-256."""
        digest = hashlib.sha256(png).hexdigest()
        path = self.path / picture_name(digest)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write(picture_name(digest), png)
        return digest

    def picture(self, digest: str) -> bytes:
        """Return a picture that was kept.

        Raises:
            DataError: It is not there any more.
        """
        path = self.path / picture_name(digest)
        try:
            return path.read_bytes()
        except OSError as error:
            raise DataError(path, 0, f"a picture of the run cannot be read: {error.strerror}") from None

    def unanswered_calls(self) -> Counter[str]:
        """Return how many calls of each instance were begun and never closed: they may have been billed."""
        return unanswered_calls(self.path / CALLS, self.path / ANSWERS)

    def _write(self, name: str, content: bytes) -> None:
        """Write a file so that it is there whole or not at all; a draft that a kill left is cleared later."""
        drafts = self.path / _DRAFTS
        drafts.mkdir(exist_ok=True)
        draft = drafts / f"{threading.get_ident()}-{Path(name).name}"
        draft.write_bytes(content)
        draft.replace(self.path / name)


def picture_name(digest: str) -> str:
    """Return the path of a picture relative to its run folder."""
    return f"{PICTURES}/{digest[:2]}/{digest}.png"


def read_records(path: Path, *, texts: bool = True) -> dict[str, Record]:
    """Return the records of a run folder by instance; the last of each counts.

    Args:
        path: The run folder.
        texts: Whether with completions, structures and messages, which are most of the memory.

    Raises:
        DataError: A line is not a record; names it.
    """
    return {one.id: one for one in iter_records(path, texts=texts)}


def iter_records(path: Path, *, texts: bool = True) -> Iterator[Record]:
    """Yield the records of a run folder as they stand in the file; see ``read_records``.

    Raises:
        DataError: A line is not a record; names it.
    """
    file = path / RECORDS
    for number, plain in enumerate(read_lines(file), start=1):
        try:
            record = Record.from_json(plain)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(file, number, f"is not a record: {error!r}") from None
        yield record if texts else without_texts(record)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)


def _refuse_strangers(path: Path) -> None:
    names = {one.name for one in path.iterdir()}
    strangers = names - {_LOCK, _DRAFTS, LOGS, INSTANCES, ANSWERS, RENDERINGS, RECORDS, CALLS}
    if strangers and MANIFEST not in names:
        raise UsageError(f"{path} holds {min(strangers)!r} and no run; name a new folder with --out")


def _clear_drafts(path: Path) -> None:
    """Remove what a killed process was about to write."""
    shutil.rmtree(path / _DRAFTS, ignore_errors=True)


def _answer_mark(plain: Mapping[str, Any]) -> AnswerMark:
    return _mark(
        plain["outcome"] != Outcome.MODEL_FAILURE, 0.0 if plain["cached"] else float(plain["cost"] or 0.0)
    )


@functools.lru_cache(maxsize=4096)
def _mark(final: bool, paid: float) -> AnswerMark:
    """Return one mark for all answers that have the same."""
    return AnswerMark(final, paid)


def _outcome(plain: Mapping[str, Any]) -> Outcome:
    return Outcome(plain["outcome"])


def _nothing(plain: Mapping[str, Any]) -> None:
    return None
