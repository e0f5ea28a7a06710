"""The errors of models: the branch of the tree of :mod:`i2s_sdk.errors` that belongs to this package.

::

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

from i2s_sdk.errors import ModelError, UsageError
from i2s_sdk.models.completion import Completion


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
