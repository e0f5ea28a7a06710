"""Why samples have no score: reasons that are alike, counted, and a model whose calls fail alike in a row."""

from __future__ import annotations

import logging
import re
import secrets
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from i2s_sdk.errors import I2SError, ScorerError
from i2s_sdk.models.completion import AllCallsFailedError, ModelFailedError
from i2s_sdk.run.storage.record import Record
from i2s_sdk.visible import visible

_log = logging.getLogger(__name__)
_WORDS = 12  # of a reason, that are compared
_TRACEBACK_CHARACTERS = 10_000
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


@contextmanager
def judging(identity: str) -> Iterator[None]:
    """Make what nothing expects, while one answer is judged, the failure of that answer alone.

    Args:
        identity: Id of the instance, for the message.

    Raises:
        ScorerError: The block raised what is not an ``I2SError``; the log has its traceback.
    """
    try:
        yield
    except I2SError:
        raise
    except Exception as error:
        error_id, kind = secrets.token_hex(8), type(error).__name__
        lines = visible(traceback.format_exc()[-_TRACEBACK_CHARACTERS:])
        _log.error("%s while %r was judged (error id %s)\n%s", kind, identity, error_id, lines)
        raise ScorerError(
            f"{kind} while {identity!r} was judged; the log has its traceback under error id {error_id}"
        ) from None


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
    return tuple(sorted(reasons.values(), key=lambda reason: (-reason.count, reason.outcome, reason.message)))


class LikeFailures:
    """Ends a run in which every call of the model fails alike, and pauses one in which they begin to.

    Args:
        most: How many calls in a row may fail alike; 0 never ends or pauses a run.
    """

    def __init__(self, most: int = 0) -> None:
        self._paused: tuple[str, str] | None = None
        self._most = most
        self._answered = False
        self._count = 0
        self._reason: tuple[str, ...] = ()

    @property
    def pause(self) -> ModelFailedError | None:
        """Why no further calls are made; None while they are.

        Samples that ask for one end with it, so that the run ends with what is done, and the same command
        resumes it. Each has an error of its own, as one that is raised again keeps the frames of all.
        """
        if self._paused is None:
            return None
        message, reason = self._paused
        return ModelFailedError(message, 0, reason)

    def answered(self) -> None:
        """Note that the model has answered: failures are counted from here on."""
        self._answered, self._count = True, 0

    def failed(self, error: ModelFailedError) -> None:
        """Note that a call has failed for good.

        Raises:
            AllCallsFailedError: It was the last that may fail alike, and no call was answered.
        """
        if self._paused is not None:
            return
        reason = _alike(error.reason)
        self._count = self._count + 1 if reason == self._reason else 1
        self._reason = reason
        if not self._most or self._count < self._most:
            return
        if not self._answered:
            raise AllCallsFailedError(
                f"no call was answered and {self._count} failed alike, so no more are made: {error.message}; "
                "the same command tries again (--set like_failures=0 asks for every sample all the same)"
            )
        self._paused = f"not asked, as calls before it failed: {error.message}", error.reason
        _log.warning(
            "%d calls in a row failed alike, so the run pauses and ends with what is done: %s; the same "
            "command resumes it (--set like_failures=0 asks for every sample all the same)",
            self._count,
            error.message,
        )


def _alike(reason: str) -> tuple[str, ...]:
    """Return the words of a reason without names and numbers, which differ from call to call."""
    first, *others = reason.split()[: 2 * _WORDS] or [""]
    status = others[:1] if first == "HTTP" else []
    words = [word for word in others[len(status) :] if not any(character.isdigit() for character in word)]
    return (first, *status, *words[:_WORDS])
