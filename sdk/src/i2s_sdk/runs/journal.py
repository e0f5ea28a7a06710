"""Calls of a model that were begun, on disk before they are made, so that a bill can be explained.

A call is closed by the line of its sample in the file of answers. What a killed or interrupted process had
begun and not closed was perhaps answered, and paid for, without anyone hearing it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from i2s_sdk.models.model import Model
from i2s_sdk.runs.ledger import Ledger, read_lines
from i2s_sdk.runs.place import Lines


@contextmanager
def marked_calls(model: Model | None, calls: Ledger[None]) -> Iterator[None]:
    """Have each call of a model written to the journal before it is made, as long as the block lasts.

    Args:
        model: Marks are made where it has an attribute ``on_call``, which is set; None makes none.
        calls: The journal.
    """

    def begun(identity: str) -> Awaitable[None]:
        calls.append({"id": identity, "begun": datetime.now(UTC).isoformat(timespec="seconds")})
        return calls.kept()

    if model is None or not hasattr(model, "on_call"):
        yield
        return
    before, model.on_call = model.on_call, begun
    try:
        yield
    finally:
        model.on_call = before


def unanswered_calls(calls: Lines, answers: Lines) -> Counter[str]:
    """Return how many calls of each instance were begun and never closed: they may have been billed.

    A call here is all attempts for one sample.

    Args:
        calls: The journal.
        answers: The file of answers.
    """
    begun = Counter(line["id"] for line in read_lines(calls))
    if not begun:
        return begun
    begun.subtract(line["id"] for line in read_lines(answers) if line["attempts"] and line["id"] in begun)
    return +begun
