"""What a provider of completions is."""

from __future__ import annotations

import enum
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Protocol

from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.structure import NoStructure


class Finish(enum.StrEnum):
    """The reason for which a completion ends."""

    STOP = "stop"  #: the model was done
    LENGTH = "length"  #: the most tokens were reached; the text is cut off
    REFUSED = "refused"  #: the model, or a filter before or behind it, would not answer
    TOO_LONG = "too_long"  #: longer than a completion may be; the text is only its beginning
    MISSING = "missing"  #: a folder of predictions has no file for the instance; the text is empty
    OTHER = "other"  #: something else, or unknown


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, verbatim, and what that took.

    Attributes:
        text: Verbatim; if ``finish`` is TOO_LONG, only the beginning.
        finish: Why it ends there.
        tokens_in: Tokens of the question as the server counted them; None if it did not say.
        tokens_out: Tokens of the answer, tokens of hidden reasoning among them.
        cost: Cost in US dollars, by the list of prices: of the answer, whether it was paid for now or is
            ``cached``. None if tokens or prices are not known.
        cached: Whether the answer was kept from an earlier call and nothing was asked now.
        cached_at: When an answer that is ``cached`` was given, in ISO 8601; empty if that is not known.
        attempts: Calls made now; 0 if nothing was asked.
        seconds: Seconds of the call that was answered; None if nothing was asked.
        served: Name of the model as the server gives it; empty if it gives none.
        reasoning: Reasoning that the provider returns apart from the answer, or its beginning; empty if there
            is none or the provider hides it.
        no_answer: Why the text is no answer, if something else came in its place: reasoning alone, or the
            call of a tool. None if the text is to be read.
    """

    text: str
    finish: Finish = Finish.OTHER
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    cached: bool = False
    attempts: int = 0
    seconds: float | None = None
    served: str = ""
    reasoning: str = ""
    no_answer: NoStructure | None = None
    cached_at: str = ""


class CallJournal(Protocol):
    """Where a run writes down the calls of a model before they are made."""

    def __call__(self, identity: str, question: str = "") -> Awaitable[str]:
        """Write down that a call begins, and return its name once that is on disk.

        Args:
            identity: Id of the instance.
            question: Name of the question, if the instance has several.
        """
        ...

    def last(self, identity: str, question: str = "") -> str:
        """Return the name of the latest call of this run for a question; empty if there was none."""
        ...

    def is_last(self, identity: str, name: str, question: str = "") -> bool:
        """Return whether the latest call of this run for a question is the one of this name."""
        ...


class Model(Protocol):
    """Something that answers questions.

    It may have five attributes more. ``prepare``: is called with all instances of the run, those of other
    shards among them, before the first question. ``concurrency``: the maximum number of calls at the same
    time. ``on_call``: the journal of calls, which a run sets; it is called with the id of the instance and
    the name of the question, and what it returns is awaited, before each call that may cost money.
    ``on_wait``: is called with one line about what the model waits for, which a run sets. ``whole``: whether
    it answers documents as a whole (``answers_whole``).

    Attributes:
        name: Name as a run is told apart by, such as "oracle".
        fingerprint: Digest of everything else that decides its answers and is known; empty if the name says
            all.
    """

    name: str
    fingerprint: str

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the completion of one question.

        Args:
            instance: Instance that the question is asked of.
            question: What is asked.

        Raises:
            ModelRefusedError: The model would not answer.
            ModelInputRejectedError: The server rejected this one question.
            ModelError: There is none for another reason; another attempt of the same run would not help.
            ModelAccessError: No call can be answered: key, name or account are wrong.
        """
        ...


def answers_whole(model: Model) -> bool:
    """Return whether a model answers a document with one completion, instead of page by page."""
    return bool(getattr(model, "whole", False))


async def close_model(model: Model) -> None:
    """Give back what a model holds (connections, a program); a model without ``close`` holds nothing."""
    close = getattr(model, "close", None)
    if close is not None:
        await close()
