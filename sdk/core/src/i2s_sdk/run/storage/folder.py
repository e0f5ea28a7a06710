"""A run where it lies. Killed at any moment, it holds what was finished.

::

    RUN/
      manifest.json      options and facts
      instances.jsonl    what the run has
      answers.jsonl      one line for each answer of the model; of several questions, one more for the sample
      renderings.jsonl   one line for each sample that was rendered
      records.jsonl      one line for each sample that has ended
      calls.jsonl        one line for each call of the model that was begun
      turn-renderings.jsonl, turn-records.jsonl   the same of answers after the first, if the run has turns
      reference-points.jsonl   one line for each reference point and instance, if they were measured
      pictures/ab/ab….png   by SHA-256 of their content
      results.json       aggregate, written at the end
      index.html         report, written at the end
      logs/              of services started here

The files of lines are only ever appended to. In a store each of them is a folder of segments.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from i2s_sdk.data.selection import Shard
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.json_text import read_json
from i2s_sdk.run.storage.codec import (
    answer_line,
    is_final,
    read_answer,
    read_question,
    read_record,
    read_rendering,
    record_line,
    rendering_line,
)
from i2s_sdk.run.storage.index import (
    JsonlIndex,
    Key,
    call_mark,
    key_of,
    line_key,
    read_lines,
    unanswered_calls,
)
from i2s_sdk.run.storage.interface import Lines, PathOrUrl, RunStorage, open_storage
from i2s_sdk.run.storage.local import DRAFTS, LOCK, stem
from i2s_sdk.run.storage.manifest import (
    INSTANCES,
    Manifest,
    PlannedInstance,
    PlannedSample,
    parse_planned,
    planned_lines,
)
from i2s_sdk.run.storage.record import (
    Failure,
    Outcome,
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
    StoredQuestion,
    TurnEnd,
    without_texts,
)
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.turn import turn_name

MANIFEST, RECORDS, IMAGES = "manifest.json", "records.jsonl", "pictures"
ANSWERS, RENDERINGS, CALLS = "answers.jsonl", "renderings.jsonl", "calls.jsonl"
TURN_RENDERINGS, TURN_RECORDS = "turn-renderings.jsonl", "turn-records.jsonl"
RESULTS, REPORT, LOGS = "results.json", "index.html", "logs"

#: Files of lines, in the order of the stages.
APPENDED = (ANSWERS, RENDERINGS, RECORDS, CALLS)

#: Files of lines that only runs with turns have. First answers are not in them, so that they are found where
#: they are in every run.
OF_TURNS = (TURN_RENDERINGS, TURN_RECORDS)

#: There as long as shards are merged into a folder: what it holds is no run yet.
MERGING = "merging"

#: What a run has before it has a manifest.
_EARLY = frozenset(
    {
        *(LOCK, DRAFTS, "lock.json", LOGS, INSTANCES),
        *(name for file in (*APPENDED, *OF_TURNS) for name in (file, stem(file))),
    }
)

#: A part of a record that says why it stopped a sample.
P = TypeVar("P", SampleAnswer, SampleRendering, SampleScore)


@dataclass(frozen=True, slots=True)
class RecordMark:
    """The part of a record that stays in memory."""

    #: How the sample ended.
    outcome: Outcome
    #: Why its conversation ended with it; None if it did not, or the run has no turns.
    turn_end: TurnEnd | None = None


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """The part of an answer that stays in memory: whether it is final, and US dollars paid for it."""

    final: bool
    paid: float


class RunFolder:
    """An open run; one process has it at a time.

    Attributes:
        storage: The folder or object store that the run lies in.
        answers: What the model said; marked by outcome and dollars paid.
        renderings: What was rendered; not marked.
        ended: Records of samples; marked by outcome, and by why the conversation ended.
        calls: Calls of the model that were begun; marked by their names.
        turn_renderings: Renderings of answers after the first, by instance and name of the turn; not marked.
        turns: Records of these answers, by the same; marked as ``ended``.
        answered: How many samples have an answer.
        paid: US dollars that are known to have been paid for them.
    """

    def __init__(
        self,
        storage: RunStorage,
        answers: JsonlIndex[AnswerMark],
        renderings: JsonlIndex[None],
        ended: JsonlIndex[RecordMark],
        calls: JsonlIndex[str],
        opened: ExitStack,
    ) -> None:
        self.storage = storage
        self._opened = opened
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
                opened.enter_context(JsonlIndex.open(storage, RECORDS, _record_mark)),
                opened.enter_context(JsonlIndex.open(storage, CALLS, call_mark)),
                opened,
            )

    @cached_property
    def turn_renderings(self) -> JsonlIndex[None]:
        """See the class. The file is made when it is first used, so that only runs with turns have it."""
        return self._opened.enter_context(JsonlIndex.open(self.storage, TURN_RENDERINGS, _no_mark))

    @cached_property
    def turns(self) -> JsonlIndex[RecordMark]:
        """See ``turn_renderings``."""
        return self._opened.enter_context(JsonlIndex.open(self.storage, TURN_RECORDS, _record_mark))

    @property
    def path(self) -> PathOrUrl:
        """The folder, or the text of its URL."""
        return self.storage.where

    def manifest(self) -> Manifest | None:
        """Return what the run is; None if it was not begun."""
        return read_manifest(self.storage)

    def begin(self, manifest: Manifest, planned: Iterable[PlannedSample] = ()) -> Manifest:
        """Begin the run, or go on with it, and return the manifest that is kept.

        Args:
            manifest: The manifest that the work to be done now would have.
            planned: All instances of the whole run, those of other shards among them.

        Raises:
            RunConflictError: The folder holds a run with other options.
        """
        stored = self.manifest()
        unavailable = {name: self._without_paths(why) for name, why in manifest.unavailable.items()}
        manifest = replace(manifest, unavailable=unavailable)
        if stored is None:
            self.storage.write(INSTANCES, planned_lines(planned))
        else:
            manifest.options.require_same(stored.options, self.storage)
            merged = stored.joined(manifest)
            if merged == stored:
                return stored
            manifest = merged
        self.storage.write(MANIFEST, manifest.to_json().encode())
        return manifest

    def tell(self, about: Mapping[str, str]) -> Manifest:
        """Replace the facts of the run, which decide nothing, and return its manifest.

        Raises:
            UsageError: The run was not begun.
        """
        manifest = self.manifest()
        if manifest is None:
            raise UsageError(f"{self.storage} holds no run")
        if about != manifest.about:
            manifest = replace(manifest, about=dict(about))
            self.storage.write(MANIFEST, manifest.to_json().encode())
        return manifest

    def records(self, *, texts: bool = True) -> dict[str, Record]:
        """Return the records by instance; see ``read_records``."""
        self.storage.flush()
        return read_records(self.storage, texts=texts)

    def record(self, identity: str, turn: int = 1) -> Record | None:
        """Return the record of an answer of an instance; None if it has none."""
        index, key = (self.ended if turn == 1 else self.turns), key_of(identity, turn_name(turn))
        return index.read(key, read_record) if key in index else None

    def append(self, record: Record) -> None:
        """Store the record of a sample that has ended; why it did has no path of this machine."""
        index = self.ended if record.turn.turn == 1 else self.turns
        index.append(
            record_line(
                replace(
                    record,
                    answer=self._failure_without_paths(record.answer),
                    rendering=self._failure_without_paths(record.rendering),
                    score=self._failure_without_paths(record.score),
                    turn=replace(record.turn, reason=self._without_paths(record.turn.reason)),
                )
            )
        )

    def put_answer(self, identity: str, answer: SampleAnswer) -> None:
        """Store an answer, of a sample or to one question; its failure has no path of this machine."""
        self.answers.append(answer_line(identity, self._failure_without_paths(answer)))
        self.answered += answer.final and not answer.question
        self.paid += answer.paid

    def _failure_without_paths(self, part: P) -> P:
        if part.failure is None:
            return part
        failure = Failure(part.failure.kind, self._without_paths(part.failure.message))
        return replace(part, failure=failure)

    def put_rendering(self, instance: SampleInstance, rendering: SampleRendering, turn: int = 1) -> None:
        """Store what was rendered; its images are there already."""
        index = self.renderings if turn == 1 else self.turn_renderings
        index.append(rendering_line(instance, rendering, turn))

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
        return self.answers.read(key, read_answer)

    def is_rendered(self, identity: str, turn: int = 1) -> bool:
        """Return whether an answer of an instance was rendered."""
        index = self.renderings if turn == 1 else self.turn_renderings
        return key_of(identity, turn_name(turn)) in index

    def rendering(self, identity: str, turn: int = 1) -> tuple[SampleInstance, SampleRendering] | None:
        """Return the rendering of an instance, and this as it was then; None if it was not rendered."""
        index = self.renderings if turn == 1 else self.turn_renderings
        key = key_of(identity, turn_name(turn))
        return index.read(key, read_rendering) if key in index else None

    def mark(self, identity: str, turn: int = 1) -> RecordMark | None:
        """Return how an answer of an instance ended; None if it has no record."""
        index = self.ended if turn == 1 else self.turns
        return index.marks.get(key_of(identity, turn_name(turn)))

    def rendering_of(self, identity: str, turn: int = 1) -> SampleRendering | None:
        """Return the rendering of an instance; None if it was not rendered."""
        rendering = self.rendering(identity, turn)
        return None if rendering is None else rendering[1]

    def put_image(self, png: bytes) -> str:
        """Store an image and return its SHA-256."""
        digest = hashlib.sha256(png).hexdigest()
        self.storage.write_if_absent(image_name(digest), png)
        return digest

    def image(self, digest: str) -> bytes:
        """Return an image that was stored.

        Raises:
            DataError: It is not there any more.
        """
        try:
            return self.storage.read(image_name(digest))
        except OSError as error:
            where = self.storage.at(image_name(digest))
            reason = error.strerror or "it is not there"
            raise DataError(where, 0, f"an image of the run cannot be read: {reason}") from None

    def unanswered_calls(self) -> Counter[str]:
        """Return how many calls of each instance were begun and never closed: they may have been billed."""
        self.storage.flush()
        return unanswered_calls(self.storage.lines(CALLS), self.storage.lines(ANSWERS))


def image_name(digest: str) -> str:
    """Return the path of an image relative to its run folder."""
    return f"{IMAGES}/{digest[:2]}/{digest}.png"


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
    records = (record for _, record in _parsed_records(open_storage(where).lines(RECORDS)))
    return {record.instance.id: record if texts else without_texts(record) for record in records}


def _parsed_records(lines: Lines) -> Iterator[tuple[tuple[int, int], Record]]:
    """Yield each record of a file with the offset and length of its line."""
    for number, (offset, raw) in enumerate(lines, start=1):
        try:
            yield (offset, len(raw)), read_record(read_json(raw))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(lines), number, f"is not a record: {error!r}") from None


def read_turns(storage: RunStorage) -> dict[str, tuple[Record, ...]]:
    """Return the records of answers after the first by instance, in order, without their texts.

    Raises:
        DataError: A line is not a record; names it.
    """
    return _turns(storage.lines(TURN_RECORDS))[0]


def _turns(lines: Lines) -> tuple[dict[str, tuple[Record, ...]], dict[Key, tuple[int, int]]]:
    """Return these records, and where each lies; of several of one answer the last counts."""
    records: dict[str, dict[int, Record]] = {}
    offsets: dict[Key, tuple[int, int]] = {}
    for place, record in _parsed_records(lines):
        identity, turn = record.instance.id, record.turn.turn
        records.setdefault(identity, {})[turn] = without_texts(record)
        offsets[key_of(identity, turn_name(turn))] = place
    in_order = {name: tuple(own[turn] for turn in sorted(own)) for name, own in records.items()}
    return in_order, offsets


def read_asked(storage: RunStorage) -> dict[str, tuple[tuple[str, StoredQuestion], ...]]:
    """Return what the model was asked, by instance: each question with its name, in the order asked.

    Raises:
        DataError: A line is not an answer.
    """
    by_instance: dict[str, dict[str, StoredQuestion]] = {}
    lines = storage.lines(ANSWERS)
    for number, plain in enumerate(read_lines(lines), start=1):
        if plain.get("asked"):
            try:
                by_instance.setdefault(plain["id"], {})[plain.get("question", "")] = read_question(
                    plain["asked"]
                )
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(str(lines), number, f"is not an answer: {error!r}") from None
    return {identity: tuple(questions.items()) for identity, questions in by_instance.items()}


def _refuse_strangers(storage: RunStorage, *, merging: bool) -> None:
    names = storage.names()
    if merging and MERGING in names:
        storage.remove({MANIFEST, *APPENDED, *OF_TURNS})
        return
    if MERGING in names:
        raise UsageError(f"{storage} holds a merge that was not finished; give the same i2s-sdk merge again")
    images_of_questions = {IMAGES} if ANSWERS in names or stem(ANSWERS) in names else set[str]()
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


@functools.lru_cache(maxsize=4096)
def _shared_mark(outcome: str, ended: str) -> RecordMark:
    return RecordMark(Outcome(outcome), TurnEnd(ended) if ended else None)


def _record_mark(plain: Mapping[str, Any]) -> RecordMark:
    return _shared_mark(plain["outcome"], plain.get("turn_end", ""))


#: What may follow a folder where it is the beginning of a path.
_END = r"(?=$|[/\s'\"`:;,.)\]])"


def path_remover(run: Path | str) -> Callable[[str], str]:
    """Return what replaces the folders of this machine in a text by what they are.

    The folders are those of the run, of the working folder, of the Python environment, of temporary files and
    of the user. Other paths, such as those in a sandbox, are the same on every machine.

    Args:
        run: The folder of the run, or its URL, which is not replaced.
    """
    named: dict[str, str] = {}
    for folder, name in _folders(run).items():
        for spelling in (folder, folder.resolve()):
            if len(spelling.parts) > 1:  # a user without a home has "/"
                named.setdefault(str(spelling), name)
    if not named:
        return str
    longest_first = sorted(named, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w/])(?:{'|'.join(map(re.escape, longest_first))}){_END}")
    return lambda text: pattern.sub(lambda found: named[found[0]], text)


def _folders(run: Path | str) -> Mapping[Path, str]:
    folders = {run.absolute(): "RUN"} if isinstance(run, Path) else {}
    for find, name in ((Path.cwd, "."), (lambda: Path(sys.prefix), "PYTHON"), (Path.home, "~")):
        try:
            folders.setdefault(find(), name)
        except (OSError, RuntimeError):  # the working folder was removed, or the user has no home
            continue
    folders.setdefault(Path(tempfile.gettempdir()), "TMP")
    return folders


@dataclass(frozen=True)
class StoredRun:
    """The content of a run folder."""

    #: The folder or object store that the run lies in.
    storage: RunStorage
    #: What the run is.
    manifest: Manifest
    #: Every instance of the run, of all its shards, in the order of the data set.
    whole: tuple[PlannedInstance, ...]
    #: Records by instance, without their texts, which are most of the memory; see ``with_texts``.
    records: Mapping[str, Record]
    _lines: Lines | None = field(default=None, repr=False)
    _offsets: Mapping[str, tuple[int, int]] = field(default_factory=dict, repr=False)
    #: Records of answers after the first by instance, in order, without their texts; see ``with_texts``.
    turns: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    _turn_lines: Lines | None = field(default=None, repr=False)
    _turn_offsets: Mapping[Key, tuple[int, int]] = field(default_factory=dict, repr=False)

    @property
    def path(self) -> PathOrUrl:
        """The folder, or the text of its URL."""
        return self.storage.where

    @property
    def shard(self) -> Shard | None:
        """Which part of a run this is; None if it is all of it."""
        return _shard(self.manifest)

    @cached_property
    def planned(self) -> tuple[PlannedInstance, ...]:
        """The instances of the shard, in the order of the data set."""
        return _of_shard(self.whole, self.shard)

    def ordered(self) -> list[Record]:
        """Return the records in the order of the data set, without their texts."""
        return [
            self.records[planned_instance.id]
            for planned_instance in self.planned
            if planned_instance.id in self.records
        ]

    def with_texts(self, record: Record) -> Record:
        """Return one of the records as it stands in the file, with completion, structure and messages."""
        turn = record.turn.turn
        lines = self._lines if turn == 1 else self._turn_lines
        if lines is None:
            return record
        try:
            if turn == 1:
                place = self._offsets[record.instance.id]
            else:
                place = self._turn_offsets[key_of(record.instance.id, turn_name(turn))]
            return read_record(read_json(lines.read(*place)))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(lines), 0, f"was changed while it was read: {error!r}") from None

    def rendering(self, identity: str, turn: int = 1) -> SampleRendering | None:
        """Return what the stage "render" kept of an answer; None if it kept nothing."""
        lines, places = self._renderings if turn == 1 else self._turn_renderings
        place = places.get(key_of(identity, turn_name(turn)))
        if place is None:
            return None
        try:
            return read_rendering(read_json(lines.read(*place)))[1]
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(lines), 0, f"holds no rendering of {identity!r}: {error!r}") from None

    @cached_property
    def asked(self) -> Mapping[str, tuple[tuple[str, StoredQuestion], ...]]:
        """The questions that the model was asked, by instance, each with its name."""
        return read_asked(self.storage)

    @cached_property
    def _renderings(self) -> tuple[Lines, dict[Key, tuple[int, int]]]:
        """Return the file of renderings, and where the last line of each sample lies."""
        return _rendering_places(self.storage.lines(RENDERINGS))

    @cached_property
    def _turn_renderings(self) -> tuple[Lines, dict[Key, tuple[int, int]]]:
        """Return the same of answers after the first."""
        return _rendering_places(self.storage.lines(TURN_RENDERINGS))

    def image(self, digest: str) -> bytes | None:
        """Return an image; None if the folder does not hold it."""
        try:
            return self.storage.read(image_name(digest))
        except OSError:
            return None


def _rendering_places(lines: Lines) -> tuple[Lines, dict[Key, tuple[int, int]]]:
    places: dict[Key, tuple[int, int]] = {}
    for offset, raw in lines:
        try:
            places[line_key(read_json(raw))] = (offset, len(raw))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(lines), 0, f"a line is not a rendering: {error!r}") from None
    return lines, places


def read_run(where: PathOrUrl | RunStorage) -> StoredRun:
    """Return what a run folder holds.

    Args:
        where: The folder, or its URL.

    Raises:
        UsageError: It is not a run, or of another version.
        DataError: A record is damaged.
        StoreError: The store does not answer.
    """
    storage = open_storage(where)
    manifest = read_manifest(storage)
    if manifest is None:
        raise UsageError(f"{storage} is not the folder of a run: it holds no {MANIFEST}")
    lines = storage.lines(RECORDS)
    records, offsets = _records(lines)
    turn_lines = storage.lines(TURN_RECORDS)
    turns, turn_offsets = _turns(turn_lines) if manifest.options.turns > 1 else ({}, {})
    planned = _planned(storage)
    return StoredRun(storage, manifest, planned, records, lines, offsets, turns, turn_lines, turn_offsets)


def read_planned(storage: RunStorage, manifest: Manifest) -> tuple[PlannedInstance, ...]:
    """Return the instances of a run, or of its shard, in the order of the data set.

    Args:
        storage: The storage of the run.
        manifest: Its manifest.

    Raises:
        UsageError: They are not there, or a line is none.
    """
    return _of_shard(_planned(storage), _shard(manifest))


def _shard(manifest: Manifest) -> Shard | None:
    return Shard.parse(manifest.options.shard) if manifest.options.shard else None


def _of_shard(whole: tuple[PlannedInstance, ...], shard: Shard | None) -> tuple[PlannedInstance, ...]:
    return (
        whole
        if shard is None
        else tuple(planned_instance for planned_instance in whole if shard.has(planned_instance.id))
    )


def _records(lines: Lines) -> tuple[dict[str, Record], dict[str, tuple[int, int]]]:
    """Return the records of a file without their texts, and where each lies; of one id the last counts."""
    records: dict[str, Record] = {}
    offsets: dict[str, tuple[int, int]] = {}
    for place, record in _parsed_records(lines):
        records[record.instance.id] = without_texts(record)
        offsets[record.instance.id] = place
    return records, offsets


def _planned(storage: RunStorage) -> tuple[PlannedInstance, ...]:
    try:
        return parse_planned(storage.read(INSTANCES), storage.at(INSTANCES))
    except FileNotFoundError:
        raise UsageError(f"{storage} holds no {INSTANCES}: this run was not begun by this i2s-sdk") from None


#: File in a run folder; may be missing.
REFERENCE_POINTS = "reference-points.jsonl"

#: Samples by the name of the model that gave them.
Points = Mapping[str, Sequence[Record]]

#: Fields of a record that a value is computed from.
_FIELDS = (
    "id",
    "task",
    "subset",
    "difficulty",
    "outcome",
    "usable",
    "metrics",
    "parts",
    "reference_sha256",
    "target_sha256",
)


def read_points(storage: RunStorage) -> dict[str, list[Record]]:
    """Return the values that a run folder keeps; empty if it keeps none.

    Raises:
        DataError: A line is damaged.
    """
    try:
        content = storage.read(REFERENCE_POINTS)
    except OSError:
        return {}
    return parse_points(content, storage.at(REFERENCE_POINTS))


def parse_points(content: bytes, where: object) -> dict[str, list[Record]]:
    """Return the values in the content of a file.

    Args:
        content: Content of the file.
        where: Its path, for the message.

    Raises:
        DataError: A line is damaged.
    """
    points: dict[str, list[Record]] = {}
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            plain = read_json(line)
            points.setdefault(str(plain.pop("model")), []).append(read_record(plain))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(str(where), number, f"is not a reference point: {error!r}") from None
    return points


def point_lines(points: Points) -> bytes:
    """Return the content of a file of values."""
    return b"".join(
        json.dumps(_line(model, record)).encode("ascii") + b"\n"
        for model, records in points.items()
        for record in records
    )


def write_points(storage: RunStorage, points: Points) -> None:
    """Keep values in a run folder."""
    storage.write(REFERENCE_POINTS, point_lines(points))


def joined_points(parts: Iterable[Points]) -> dict[str, list[Record]]:
    """Return the values of shards as those of one run; of an instance that two have, the first counts."""
    by_model: dict[str, dict[str, Record]] = {}
    for part in parts:
        for model, records in part.items():
            own = by_model.setdefault(model, {})
            for record in records:
                own.setdefault(record.instance.id, record)
    return {model: list(records.values()) for model, records in by_model.items()}


def _line(model: str, record: Record) -> dict[str, Any]:
    plain = record_line(record)
    return {"model": model, **{name: plain[name] for name in _FIELDS if name in plain}}
