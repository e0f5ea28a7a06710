"""The completion of a model, and the reason for which it ends."""

from __future__ import annotations

import enum
from dataclasses import dataclass

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
    """The words of a model, verbatim, with their tokens and cost."""

    text: str  #: verbatim; if ``finish`` is TOO_LONG, only the beginning
    finish: Finish = Finish.OTHER  #: why it ends there
    tokens_in: int | None = None  #: tokens of the question as the server counted them; None if it did not say
    tokens_out: int | None = None  #: tokens of the answer, tokens of hidden reasoning among them
    #: Cost in US dollars, by the list of prices: of the answer, whether it was paid for now or is ``cached``.
    #: None if tokens or prices are not known.
    cost: float | None = None
    cached: bool = False  #: whether the answer was kept from an earlier call and nothing was asked now
    attempts: int = 0  #: calls made now; 0 if nothing was asked
    seconds: float | None = None  #: seconds of the call that was answered; None if nothing was asked
    served: str = ""  #: name of the model as the server gives it; empty if it gives none
    #: Reasoning that the provider returns apart from the answer, or its beginning; empty if there is none or
    #: the provider hides it.
    reasoning: str = ""
    #: Why the text is not an answer, if something else came in its place: reasoning alone, or the call of a
    #: tool. None if the text is to be read.
    no_answer: NoStructure | None = None
    #: Time at which an answer that is ``cached`` was given, in ISO 8601; empty if that is not known.
    cached_at: str = ""
