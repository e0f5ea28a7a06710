"""Why samples have no score: reasons that are alike, counted, and a run in which every call fails alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from i2s_sdk.models.completion import AllCallsFailedError, ModelFailedError
from i2s_sdk.run.storage.record import Record

_WORDS = 12  # of a reason, that are compared
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class FailureReason:
    """Samples that were stopped alike."""

    #: How they ended.
    outcome: str
    #: The reason of the first of them.
    message: str
    #: How many they are.
    count: int


def failure_reasons(records: Iterable[Record]) -> tuple[FailureReason, ...]:
    """Return the reasons of the samples that have no score, the most frequent first."""
    reasons: dict[tuple[str, ...], FailureReason] = {}
    for record in records:
        if record.failure is None or record.outcome.counts:
            continue
        message = _QUOTED.sub("'…'", record.failure.message)  # names of instances, files and questions
        key = (str(record.outcome), record.failure.kind, *_alike(message))
        known = reasons.get(key) or FailureReason(str(record.outcome), record.failure.message, 0)
        reasons[key] = replace(known, count=known.count + 1)
    return tuple(sorted(reasons.values(), key=lambda one: (-one.count, one.outcome, one.message)))


class LikeFailures:
    """Ends a run in which every call of the model fails alike.

    Args:
        most: How many calls may fail alike before one is answered; 0 never ends a run.
    """

    def __init__(self, most: int = 0) -> None:
        self._most = most
        self._answered = False
        self._count = 0
        self._reason: tuple[str, ...] = ()

    def answered(self) -> None:
        """Note that the model has answered: from here on no run is ended."""
        self._answered = True

    def failed(self, error: ModelFailedError) -> None:
        """Note that a call has failed for good.

        Raises:
            AllCallsFailedError: It was the last that may fail alike.
        """
        reason = _alike(error.reason)
        self._count = self._count + 1 if reason == self._reason else 1
        self._reason = reason
        if self._most and not self._answered and self._count >= self._most:
            raise AllCallsFailedError(
                f"no call was answered and {self._count} failed alike, so no more are made: {error.message}; "
                "the same command tries again (--set like_failures=0 asks for every sample all the same)"
            )


def _alike(reason: str) -> tuple[str, ...]:
    """Return the words of a reason without names and numbers, which differ from call to call."""
    first, *others = reason.split()[: 2 * _WORDS] or [""]
    status = others[:1] if first == "HTTP" else []
    words = [word for word in others[len(status) :] if not any(character.isdigit() for character in word)]
    return (first, *status, *words[:_WORDS])
