"""A run where it lies. Killed at any moment, it holds what was finished.

::

    RUN/
      manifest.json      options and facts
      instances.jsonl    what the run has
      answers.jsonl      one line for each answer of the model; of several questions, one more for the sample
      renderings.jsonl   one line for each sample that was rendered
      records.jsonl      one line for each sample that has ended
      calls.jsonl        one line for each call of the model that was begun
      pictures/ab/ab….png   by SHA-256 of their content
      results.json       aggregate, written at the end
      index.html         report, written at the end
      logs/              of services started here

The files of lines are only ever appended to. In a store each of them is a folder of segments.
"""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.run.storage.answer import SampleAnswer, StoredQuestion, is_final
from i2s_sdk.run.storage.index import JsonlIndex, call_mark, key_of, read_lines, unanswered_calls
from i2s_sdk.run.storage.interface import PathOrUrl, RunStorage, open_storage, stem
from i2s_sdk.run.storage.local import DRAFTS, LOCK
from i2s_sdk.run.storage.manifest import INSTANCES, GroupedSample, Manifest, planned_lines
from i2s_sdk.run.storage.record import Outcome, Record, SampleRendering, without_texts
from i2s_sdk.run.storage.without_paths import path_remover
from i2s_sdk.settings import Settings

MANIFEST, RECORDS, PICTURES = "manifest.json", "records.jsonl", "pictures"
ANSWERS, RENDERINGS, CALLS = "answers.jsonl", "renderings.jsonl", "calls.jsonl"
RESULTS, REPORT, LOGS = "results.json", "index.html", "logs"

#: Files of lines, in the order of the stages.
APPENDED = (ANSWERS, RENDERINGS, RECORDS, CALLS)

#: There as long as shards are merged into a folder: what it holds is no run yet.
MERGING = "merging"

#: What a run has before it has a manifest.
_EARLY = frozenset(
    {LOCK, DRAFTS, "lock.json", LOGS, INSTANCES, *APPENDED, *(stem(name) for name in APPENDED)}
)


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """What is kept in memory of an answer: whether it is one to go on with, and US dollars paid for it."""

    final: bool
    paid: float


class RunFolder:
    """An open run; one process has it at a time.

    Attributes:
        storage: The folder or object store that the run lies in.
        answers: What the model said; marked by outcome and dollars paid.
        renderings: What was rendered; not marked.
        ended: Records of samples; marked by outcome.
        calls: Calls of the model that were begun; marked by their names.
        answered: How many samples have an answer.
        paid: US dollars that are known to have been paid for them.
    """

    def __init__(
        self,
        storage: RunStorage,
        answers: JsonlIndex[AnswerMark],
        renderings: JsonlIndex[None],
        ended: JsonlIndex[Outcome],
        calls: JsonlIndex[str],
    ) -> None:
        self.storage = storage
        self.answers, self.renderings, self.ended, self.calls = answers, renderings, ended, calls
        self._without_paths = path_remover(storage.where)
        self.answered = sum(mark.final for key, mark in answers.marks.items() if isinstance(key, str))
        self.paid = sum(mark.paid for mark in answers.marks.values())

    @classmethod
    @contextmanager
    def open(
        cls, where: PathOrUrl | RunStorage, settings: Settings | None = None, *, merging: bool = False
    ) -> Iterator[RunFolder]:
        """Have a run, new or not, for this process alone.

        Args:
            where: The folder, or the URL of one.
            settings: Settings of stores; None takes the defaults.
            merging: Whether shards are put together there; what an earlier merge left unfinished is removed.

        Raises:
            UsageError: The folder holds something else.
            InUseError: Another process has the run open, and did not end within ``lock_seconds``.
            WriteError: The folder cannot be made or written, or its disk is full.
            DataError: A line of it is damaged.
            StoreError: The store does not answer, or refuses.
        """
        storage = open_storage(where, settings)
        with storage.alone(), ExitStack() as opened:
            _refuse_strangers(storage, merging=merging)
            storage.require_space((settings or Settings()).free_bytes)
            yield cls(
                storage,
                opened.enter_context(JsonlIndex.open(storage, ANSWERS, _answer_mark)),
                opened.enter_context(JsonlIndex.open(storage, RENDERINGS, _no_mark)),
                opened.enter_context(JsonlIndex.open(storage, RECORDS, _outcome)),
                opened.enter_context(JsonlIndex.open(storage, CALLS, call_mark)),
            )

    @property
    def path(self) -> PathOrUrl:
        """The folder, or the text of its URL."""
        return self.storage.where

    def manifest(self) -> Manifest | None:
        """Return what the run is; None if it was not begun."""
        return read_manifest(self.storage)

    def begin(self, manifest: Manifest, planned: Iterable[GroupedSample] = ()) -> Manifest:
        """Begin the run, or go on with it, and return the manifest that is kept.

        Args:
            manifest: The manifest that the work to be done now would have.
            planned: All instances of the whole run, those of other shards among them.

        Raises:
            RunConflictError: The folder holds a run with other options.
        """
        found = self.manifest()
        unavailable = {name: self._without_paths(why) for name, why in manifest.unavailable.items()}
        manifest = replace(manifest, unavailable=unavailable)
        if found is None:
            self.storage.write(INSTANCES, planned_lines(planned))
        else:
            manifest.options.require_same(found.options, self.storage)
            merged = found.joined(manifest)
            if merged == found:
                return found
            manifest = merged
        self.storage.write(MANIFEST, manifest.to_json().encode())
        return manifest

    def tell(self, about: Mapping[str, str]) -> Manifest:
        """Replace the facts of the run, which decide nothing, and return its manifest.

        Raises:
            UsageError: The run was not begun.
        """
        found = self.manifest()
        if found is None:
            raise UsageError(f"{self.storage} holds no run")
        if about != found.about:
            found = replace(found, about=dict(about))
            self.storage.write(MANIFEST, found.to_json().encode())
        return found

    def records(self, *, texts: bool = True) -> dict[str, Record]:
        """Return the records by instance; see ``read_records``."""
        self.storage.flush()
        return read_records(self.storage, texts=texts)

    def record(self, identity: str) -> Record | None:
        """Return the record of an instance; None if it has none."""
        return self.ended.read(identity, Record.from_json) if identity in self.ended else None

    def append(self, record: Record) -> None:
        """Keep the record of a sample that has ended; its failure has no path of this machine."""
        if record.failure is not None:
            message = self._without_paths(record.failure.message)
            record = replace(record, failure=replace(record.failure, message=message))
        self.ended.append(record.to_json())

    def put_answer(self, answer: SampleAnswer) -> None:
        """Keep what the model said, of a sample or to one question; a failure has no path of this machine."""
        if answer.failure is not None:
            message = self._without_paths(answer.failure.message)
            answer = replace(answer, failure=replace(answer.failure, message=message))
        self.answers.append(answer.to_json())
        self.answered += answer.final and not answer.question
        self.paid += answer.paid

    def put_rendered(self, rendered: SampleRendering) -> None:
        """Keep what was rendered; its pictures are there already."""
        self.renderings.append(rendered.to_json())

    def answer(self, identity: str, question: str = "") -> SampleAnswer | None:
        """Return what the model said; None if it is to be asked (again).

        Args:
            identity: Identity of the instance.
            question: Name of one of its questions; empty for the whole sample.
        """
        key = key_of(identity, question)
        mark = self.answers.marks.get(key)
        if mark is None or not mark.final:
            return None
        return self.answers.read(key, SampleAnswer.from_json)

    def rendered(self, identity: str) -> SampleRendering | None:
        """Return what was rendered of an instance; None if it was not."""
        return (
            self.renderings.read(identity, SampleRendering.from_json) if identity in self.renderings else None
        )

    def put_picture(self, png: bytes) -> str:
        """Keep a picture and return its SHA-256."""
        digest = hashlib.sha256(png).hexdigest()
        self.storage.write_if_absent(picture_name(digest), png)
        return digest

    def picture(self, digest: str) -> bytes:
        """Return a picture that was kept.

        Raises:
            DataError: It is not there any more.
        """
        try:
            return self.storage.read(picture_name(digest))
        except OSError as error:
            where = self.storage.at(picture_name(digest))
            reason = error.strerror or "it is not there"
            raise DataError(where, 0, f"a picture of the run cannot be read: {reason}") from None

    def unanswered_calls(self) -> Counter[str]:
        """Return how many calls of each instance were begun and never closed: they may have been billed."""
        self.storage.flush()
        return unanswered_calls(self.storage.lines(CALLS), self.storage.lines(ANSWERS))


def picture_name(digest: str) -> str:
    """Return the path of a picture relative to its run folder."""
    return f"{PICTURES}/{digest[:2]}/{digest}.png"


def read_manifest(storage: RunStorage) -> Manifest | None:
    """Return what a run is; None if there is none.

    Raises:
        UsageError: It cannot be read, or is of another format.
    """
    try:
        content = storage.read(MANIFEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{storage.at(MANIFEST)}: cannot be read: {error.strerror}") from None
    return Manifest.parse(content, storage.at(MANIFEST))


def read_records(where: PathOrUrl | RunStorage, *, texts: bool = True) -> dict[str, Record]:
    """Return the records of a run folder by instance; the last of each counts.

    Args:
        where: The run folder, or its URL.
        texts: Whether with completions, structures and messages, which are most of the memory.

    Raises:
        DataError: A line is not a record; names it.
    """
    return {one.id: one for one in iter_records(where, texts=texts)}


def iter_records(where: PathOrUrl | RunStorage, *, texts: bool = True) -> Iterator[Record]:
    """Yield the records of a run folder as they stand in the file; see ``read_records``.

    Raises:
        DataError: A line is not a record; names it.
    """
    lines = open_storage(where).lines(RECORDS)
    for number, plain in enumerate(read_lines(lines), start=1):
        try:
            record = Record.from_json(plain)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(lines), number, f"is not a record: {error!r}") from None
        yield record if texts else without_texts(record)


def read_asked(storage: RunStorage) -> dict[str, tuple[tuple[str, StoredQuestion], ...]]:
    """Return what the model was asked, by instance: each question with its name, in the order asked.

    Raises:
        DataError: A line is not an answer.
    """
    found: dict[str, dict[str, StoredQuestion]] = {}
    lines = storage.lines(ANSWERS)
    for number, plain in enumerate(read_lines(lines), start=1):
        if plain.get("asked"):
            try:
                found.setdefault(plain["id"], {})[plain.get("question", "")] = StoredQuestion.from_json(
                    plain["asked"]
                )
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(str(lines), number, f"is not an answer: {error!r}") from None
    return {identity: tuple(questions.items()) for identity, questions in found.items()}


def _refuse_strangers(storage: RunStorage, *, merging: bool) -> None:
    names = storage.names()
    if merging and MERGING in names:
        storage.remove({MANIFEST, *APPENDED})
        return
    if MERGING in names:
        raise UsageError(f"{storage} holds a merge that was not finished; give the same i2s-sdk merge again")
    images_of_questions = {PICTURES} if ANSWERS in names or stem(ANSWERS) in names else set[str]()
    strangers = names - _EARLY - images_of_questions
    if strangers and MANIFEST not in names:
        raise UsageError(f"{storage} holds {min(strangers)!r} and no run; name a new folder with --out")


def _answer_mark(plain: Mapping[str, Any]) -> AnswerMark:
    paid_here = not plain["cached"] and not plain.get("questions")
    return _mark(is_final(plain), float(plain["cost"] or 0.0) if paid_here else 0.0)


@functools.lru_cache(maxsize=4096)
def _mark(final: bool, paid: float) -> AnswerMark:
    """Return one mark for all answers that have the same."""
    return AnswerMark(final, paid)


def _no_mark(plain: Mapping[str, Any]) -> None:
    """Return nothing: whether a line is there is all that is asked."""


def _outcome(plain: Mapping[str, Any]) -> Outcome:
    return Outcome(plain["outcome"])
