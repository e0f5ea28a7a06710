"""The completion of a model, and the errors in place of one.

They are the branch of the tree of :mod:`i2s_sdk.errors` that belongs to this package::

    ModelError                  there is no completion for this instance
    ├── ModelRefusedError       the model, or a filter, would not answer; carries what was said and its cost
    ├── ModelFailedError        no usable answer after all attempts, or the request was not accepted
    │   └── ModelInputRejectedError   the server rejected this one input, after one call
    ├── BudgetSpentError        what calls may cost is spent, so this one was not made
    └── AllCallsFailedError     every call of a run has failed alike; ends the run
    UsageError
    └── ModelAccessError        exit code 2: no call can be answered: key, name of the model or account

The errors of a single attempt stay inside: :mod:`i2s_sdk.models.provider`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from i2s_sdk.errors import ModelError, UsageError
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


class ModelRefusedError(ModelError):
    """The model would not answer. That is the model's doing, and another attempt is not made."""

    def __init__(self, message: str, completion: Completion) -> None:
        super().__init__(message)
        self.completion = completion  #: what was said, with tokens and cost


class ModelFailedError(ModelError):
    """There is no usable answer: all attempts failed, or the request was not accepted.

    Attributes:
        attempts: Calls that were made.
        reason: How the last of them ended, in one line; failures of one cause have like reasons.
    """

    def __init__(self, message: str, attempts: int, reason: str = "") -> None:
        super().__init__(message)
        self.attempts, self.reason = attempts, reason or message


class ModelInputRejectedError(ModelFailedError):
    """The server rejected this one input (HTTP 400, 413 or 422); its words are in the message.

    It would reject the input again, so that one call is made.
    """


class BudgetSpentError(ModelError):
    """The call was not made: what the calls of a command may cost is spent. The next command makes it."""


class AllCallsFailedError(ModelError):
    """Every call of a run has failed for a like reason, so no more are made."""


class ModelAccessError(UsageError):
    """No call to this model can be answered; the message says which key or name is wrong."""
