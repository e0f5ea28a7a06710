"""The one retry loop around calls of models; the retries of the vendors' packages are off."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from i2s_client.retry import RetryPolicy
from i2s_sdk.models.adaptive_limiter import AdaptiveLimiter, Turn
from i2s_sdk.models.errors import ModelAccessError, ModelFailedError, ModelInputRejectedError
from i2s_sdk.models.in_flight import CallsInFlight
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import (
    Answer,
    AttemptError,
    FaultError,
    InputRejectedError,
    Provider,
    ThrottledError,
)
from i2s_sdk.models.question import ReadQuestion


@dataclass(frozen=True, slots=True)
class RetriedAnswer:
    """An answer, how many calls it took, and the seconds of the last."""

    answer: Answer
    attempts: int
    seconds: float


class RetryingProvider:
    """Asks a provider until it answers or the attempts are used up.

    "Too many calls" makes all calls fewer and later, and is retried for ``retry_seconds``. Every other
    failure delays this call only, and is retried until it has happened ``failures`` times, within the same
    seconds. How long one attempt may last: :mod:`i2s_sdk.models.in_flight`.
    """

    def __init__(self, provider: Provider, options: ModelOptions) -> None:
        self._provider, self._options = provider, options
        self._pace = AdaptiveLimiter(options.concurrency)
        self._in_flight = CallsInFlight(options.call_seconds)
        self._policy = RetryPolicy(options.retry_seconds, options.first_pause, options.longest_pause)

    async def ask(self, question: ReadQuestion) -> RetriedAnswer:
        """Return the answer.

        Raises:
            ModelInputRejectedError: The server rejected this one question.
            ModelFailedError: There is none.
            ModelAccessError: There will be none to any question.
        """
        tally = _Tally(self._options)
        attempts = AsyncRetrying(
            retry=retry_if_exception_type((ThrottledError, FaultError)),
            wait=self._pause_after,
            stop=tally.exhausted,
            reraise=True,
        )
        try:
            return await attempts(self._attempt, question, tally)
        except ModelAccessError as error:
            raise ModelAccessError(f"{self._name}: {error.message}") from None
        except InputRejectedError as error:
            message = f"{self._name} rejected this input: {error.message}"
            raise ModelInputRejectedError(message, tally.attempts, error.message) from None
        except AttemptError as error:
            message = f"{self._name}: {tally.story(error)}"
            raise ModelFailedError(message, tally.attempts, error.message) from None

    def _pause_after(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked_for = error.retry_after_seconds if isinstance(error, AttemptError) else None
        return self._policy.pause(state.attempt_number, asked_for)

    @property
    def _name(self) -> str:
        where = f" at {self._provider.base_url}" if self._provider.base_url else ""
        return f"{self._provider.vendor}/{self._provider.model}{where}"

    async def _attempt(self, question: ReadQuestion, tally: _Tally) -> RetriedAnswer:
        async with self._pace.turn() as turn:
            began = time.monotonic()
            tally.attempts += 1
            try:
                answer = await self._in_flight.answer(self._provider, question, tally.seconds_left)
            except AttemptError as error:
                self._count(error, turn, tally)
                raise
            finally:
                seconds = time.monotonic() - began
                tally.busy_seconds += seconds
            turn.answered()
            return RetriedAnswer(answer, tally.attempts, seconds)

    def _count(self, error: AttemptError, turn: Turn, tally: _Tally) -> None:
        if not isinstance(error, ThrottledError):
            tally.failures += 1
            return
        asked_for = error.retry_after_seconds
        # What this call has not the patience for, the others need not wait for either.
        bearable = asked_for is not None and asked_for <= self._options.retry_seconds
        turn.throttled(asked_for if bearable else None)


class _Tally:
    """The attempts of one call so far."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self.attempts = self.failures = 0
        self.busy_seconds = 0.0

    @property
    def seconds_left(self) -> float:
        """What remains of the seconds of all attempts together."""
        return self._options.retry_seconds - self.busy_seconds

    def exhausted(self, state: RetryCallState) -> bool:
        """Return whether another attempt is one too many."""
        spent = self.busy_seconds + state.idle_for + state.upcoming_sleep
        return self.failures >= self._options.failures or spent > self._options.retry_seconds

    def story(self, last: AttemptError) -> str:
        """Return what happened, for people."""
        times = "1 attempt" if self.attempts == 1 else f"{self.attempts} attempts"
        later = last.retry_after_seconds
        asks = f" (it asks to come back after {later:g} s)" if later is not None else ""
        return f"no answer after {times}; the last: {last.message}{asks}"
