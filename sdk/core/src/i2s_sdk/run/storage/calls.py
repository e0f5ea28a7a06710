"""Calls of a model that were begun, on disk before they are made, so that a bill can be explained.

A call is closed by the line of its question in the file of answers. What a killed or interrupted process had
begun and not closed was perhaps answered, and paid for, without anyone hearing it.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from i2s_sdk.models.model import Model
from i2s_sdk.run.storage.index import JsonlIndex, key_of, read_lines
from i2s_sdk.run.storage.storage import Lines


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
        model: Marks are made if it has an attribute ``on_call``, which is set; None makes none.
        calls: The journal.
    """
    if model is None or not hasattr(model, "on_call"):
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
