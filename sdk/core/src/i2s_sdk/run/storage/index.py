"""Append-only files of JSON lines with an index by the id of the instance, and the call log that is one.

Lines of one of several questions of an instance have its name too, and lines of turns after the first the
number of the turn. Of several lines of one key the last counts. In memory there is only where each line
lies, and a mark.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from i2s_sdk.errors import DataError
from i2s_sdk.json_text import read_json
from i2s_sdk.models.model import Model
from i2s_sdk.run.storage.interface import AppendLog, Lines, RunStorage
from i2s_sdk.tasks.turn import turn_name

M = TypeVar("M")
R = TypeVar("R")

#: What a line is found by: the id of the instance, or that and the name of one of its questions.
Key = str | tuple[str, str]


def key_of(identity: str, question: str = "") -> Key:
    """Return what the line of a question is found by; of a sample without a question.

    Args:
        identity: Identity of the instance.
        question: Its name; empty for the whole sample.
    """
    return (identity, question) if question else identity


def line_key(plain: Mapping[str, Any]) -> Key:
    """Return what a line is found by."""
    return key_of(plain["id"], plain.get("question") or turn_name(plain.get("turn", 1)))


class JsonlIndex(Generic[M]):
    """An open file of lines.

    Args:
        journal: The file.
        mark: The function that takes from a line what is wanted of every id without reading the file again.

    Raises:
        DataError: A line is not an object with an id; names it.
    """

    def __init__(self, journal: AppendLog, mark: Callable[[Mapping[str, Any]], M]) -> None:
        self._journal = journal
        self._mark = mark
        self._places: dict[Key, tuple[int, int]] = {}
        self.marks: dict[Key, M] = {}
        for number, (offset, raw, plain) in enumerate(_parsed(journal), start=1):
            try:
                self._note(plain, offset, len(raw))
            except (ValueError, KeyError, TypeError) as error:
                raise _damaged(journal, number, error) from None

    @classmethod
    @contextmanager
    def open(
        cls, storage: RunStorage, name: str, mark: Callable[[Mapping[str, Any]], M]
    ) -> Iterator[JsonlIndex[M]]:
        """Have a file of a run open as long as the block lasts."""
        with storage.append_log(name) as journal:
            yield cls(journal, mark)

    def append(self, plain: Mapping[str, Any]) -> None:
        """Keep a line; ``plain`` has an ``id``."""
        line = json.dumps(plain, allow_nan=False).encode("ascii") + b"\n"
        self._note(plain, self._journal.append(line), len(line))

    async def wait_durable(self) -> None:
        """Return when everything that was appended survives this process.

        Raises:
            StoreError: The store does not take it.
        """
        await self._journal.wait_durable()

    def read(self, key: Key, parse: Callable[[Mapping[str, Any]], R]) -> R:
        """Return what the line of a key holds.

        Args:
            key: The id, or what ``key_of`` returns.
            parse: The function that takes it from the line; raises KeyError, TypeError or ValueError if it
                is not there.

        Raises:
            KeyError: There is no line of the key.
            DataError: It holds something else.
        """
        offset, length = self._places[key]
        try:
            return parse(read_json(self._journal.read(offset, length)))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(self._journal), 0, f"the line of {key!r} is damaged: {error!r}") from None

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def _note(self, plain: Mapping[str, Any], offset: int, length: int) -> None:
        key = line_key(plain)
        self._places[key] = (offset, length)
        self.marks[key] = self._mark(plain)


def read_lines(lines: Lines) -> Iterator[dict[str, Any]]:
    """Yield what the lines of a file say, of which there may be none; a torn one at its end is left out.

    Raises:
        DataError: A line is not an object with an id; names it.
    """
    for _, _, plain in _parsed(lines):
        yield plain


def _parsed(lines: Lines) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    for number, (offset, raw) in enumerate(lines, start=1):
        try:
            plain = read_json(raw)
            if not isinstance(plain["id"], str):
                raise TypeError("its id is not a text")
            if not isinstance(plain.get("question", ""), str):
                raise TypeError("its question is not a text")
            if not isinstance(plain.get("turn", 1), int):
                raise TypeError("its turn is not a number")
        except (ValueError, KeyError, TypeError) as error:
            raise _damaged(lines, number, error) from None
        yield offset, raw, plain


def _damaged(lines: Lines, number: int, error: Exception) -> DataError:
    return DataError(str(lines), number, f"is not a line of a run: {error!r}")


class CallLog:
    """The journal of a run's calls; see :class:`i2s_sdk.models.model.CallJournal`.

    Args:
        calls: The file of lines, marked by the name of the call.
    """

    def __init__(self, calls: JsonlIndex[str]) -> None:
        self._calls = calls

    async def __call__(self, identity: str, question: str = "") -> str:
        """Write down that a call begins, and return its name."""
        name = uuid.uuid4().hex
        begun = datetime.now(UTC).isoformat(timespec="seconds")
        asked = {"id": identity, "question": question} if question else {"id": identity}
        self._calls.append({**asked, "call": name, "begun": begun})
        await self._calls.wait_durable()
        return name

    def last(self, identity: str, question: str = "") -> str:
        """Return the name of the latest call for a question; empty if there was none."""
        return self._calls.marks.get(key_of(identity, question)) or ""

    def is_last(self, identity: str, name: str, question: str = "") -> bool:
        """Return whether the latest call for a question is the one of this name."""
        return bool(name) and self.last(identity, question) == name


def call_mark(line: Mapping[str, Any]) -> str:
    """Return the name of the call of a line; empty if an earlier version has written none."""
    return str(line.get("call", ""))


@contextmanager
def marked_calls(model: Model | None, calls: JsonlIndex[str]) -> Iterator[None]:
    """Have each call of a model written to the journal before it is made, as long as the block lasts.

    Args:
        model: The model; see ``Model.on_call``. None makes no marks.
        calls: The journal.
    """
    if model is None:
        yield
        return
    before, model.on_call = model.on_call, CallLog(calls)
    try:
        yield
    finally:
        model.on_call = before


def unanswered_calls(calls: Lines, answers: Lines) -> Counter[str]:
    """Return how many calls of each instance were begun and never closed: they may have been billed.

    A call here is all attempts for one question. The line of a sample that joins several closes none.

    Args:
        calls: The journal.
        answers: The file of answers.
    """
    begun = Counter(line["id"] for line in read_lines(calls))
    if not begun:
        return begun
    of_questions = (line for line in read_lines(answers) if not line.get("questions"))
    begun.subtract(line["id"] for line in of_questions if line["attempts"] and line["id"] in begun)
    return +begun
