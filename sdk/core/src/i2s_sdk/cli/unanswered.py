"""Calls of models that may have been billed without an answer, looked up when a command is interrupted."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from i2s_sdk.cli.run_options import MOST_NAMES
from i2s_sdk.errors import I2SError
from i2s_sdk.run.storage.folder import ANSWERS, CALLS
from i2s_sdk.run.storage.index import unanswered_calls
from i2s_sdk.run.storage.interface import PathOrUrl, is_url, open_storage, stem
from i2s_sdk.settings import Settings

_BILLED = "may have been billed without an answer"


@dataclass(frozen=True, slots=True)
class Journal:
    """Where the calls of a run's model, or of its judge, are written down.

    Attributes:
        run: Name of the run, as its progress has it.
        out: Folder of the run, or its URL.
        calls: Name of the file of calls that were begun.
        answers: Name of the file of answers.
    """

    run: str
    out: PathOrUrl
    calls: str = CALLS
    answers: str = ANSWERS

    def unanswered(self, settings: Settings) -> list[str]:
        """Return the instances of calls that have no answer, one for each call.

        Raises:
            I2SError: The store does not answer, or a line is damaged.
            OSError: A file cannot be read.
        """
        storage = open_storage(self.out, settings)
        calls, answers = storage.lines(self.calls), storage.lines(self.answers)
        return list(unanswered_calls(calls, answers).elements())

    def place(self, name: str) -> str:
        """Return where a file of lines lies, for people."""
        return f"{str(self.out).rstrip('/')}/{stem(name) if is_url(self.out) else name}"


#: What was found out of a journal: the instances of its calls without an answer, or why it was not read.
Found = list[str] | str


def looked_up(journals: Sequence[Journal], settings: Settings, seconds: float) -> Mapping[Journal, Found]:
    """Read journals, at the same time, for a limited time.

    Args:
        journals: The journals.
        settings: Settings of stores.
        seconds: How long is waited for all of them.

    Returns:
        What was found out of those that could be read in time, or failed in time.
    """
    found: dict[Journal, Found] = {}

    def look_up(journal: Journal) -> None:
        try:
            found[journal] = journal.unanswered(settings)
        except I2SError as error:
            found[journal] = error.message
        except OSError as error:
            found[journal] = error.strerror or str(error)

    threads = [threading.Thread(target=look_up, args=(one,), daemon=True) for one in journals]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return dict(found)


def lines_of(journal: Journal, found: Found | None, *, named: bool) -> Iterator[str]:
    """Yield the line that says which calls of a journal may have been billed, if there are any.

    Args:
        journal: The journal.
        found: What was found out of it; None if it was not read in time.
        named: Whether the line names the run.
    """
    head = f"{_BILLED}: {journal.run}: " if named else f"{_BILLED}: "
    if isinstance(found, list):
        if found:
            names = ", ".join(found[:MOST_NAMES]) + (", …" if len(found) > MOST_NAMES else "")
            count = "1 call of the model" if len(found) == 1 else f"{len(found)} calls of the model"
            yield f"{head}{count}: {names}"
        return
    reason = "not read in time" if found is None else found
    calls, answers = journal.place(journal.calls), journal.place(journal.answers)
    yield f"{head}not looked up ({reason}); these are the calls in {calls} that have no line in {answers}"
