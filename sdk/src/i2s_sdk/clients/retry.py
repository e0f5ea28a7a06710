"""The one retry policy of the system: which failures deserve another attempt, when, and for how long."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tenacity import AsyncRetrying, RetryCallState, Retrying, retry_if_exception, stop_before_delay

from i2s_sdk.errors import OverloadedError, ServiceUnavailableError


def deserves_another_attempt(error: BaseException) -> bool:
    """Return whether the same call may end better.

    UNAVAILABLE does: the service starts, drains or went away, and rendering and scoring change nothing,
    so that a call cut off in the middle can be made again. RESOURCE_EXHAUSTED does where the service
    says when to come back (metadata ``grpc-retry-pushback-ms``, gRFC A6); without it the message is too
    large and stays so. Everything else does not: INVALID_ARGUMENT would end the same, the time of
    DEADLINE_EXCEEDED is spent, and INTERNAL is a fault that someone should see.
    """
    if isinstance(error, OverloadedError):
        return error.retry_after_seconds is not None
    return isinstance(error, ServiceUnavailableError)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Pauses grow twofold from ``first_pause`` to ``longest_pause`` and are shortened by chance.

    A pause is never shorter than what the service asked for. Once the next attempt would begin after
    ``total_seconds`` the last error is raised.

    Attributes:
        total_seconds: From the start of the first attempt; no attempt lasts beyond it.
        first_pause: Seconds.
        longest_pause: Seconds.
    """

    total_seconds: float = 300.0
    first_pause: float = 0.1
    longest_pause: float = 5.0

    def attempts(self) -> Retrying:
        """Return the attempts of one call, for ``for attempt in …: with attempt: …``."""
        return Retrying(
            retry=retry_if_exception(deserves_another_attempt),
            wait=self.pause_after,
            stop=stop_before_delay(self.total_seconds),
            reraise=True,
        )

    def async_attempts(self) -> AsyncRetrying:
        """Return the attempts of one call, for ``async for attempt in …: with attempt: …``."""
        return AsyncRetrying(
            retry=retry_if_exception(deserves_another_attempt),
            wait=self.pause_after,
            stop=stop_before_delay(self.total_seconds),
            reraise=True,
        )

    def pause_after(self, state: RetryCallState) -> float:
        """Return the pause in seconds after a failed attempt."""
        error = state.outcome.exception() if state.outcome else None
        return self.pause(state.attempt_number, getattr(error, "retry_after_seconds", None))

    def pause(self, attempt: int, asked_for: float | None = None) -> float:
        """Return the pause in seconds after attempt number ``attempt``, counted from 1."""
        full = min(self.longest_pause, self.first_pause * 2.0 ** min(attempt - 1, 30))
        spread = random.uniform(0.5, 1.0) * full  # noqa: S311 - spreads callers out, keeps no secret
        return spread if asked_for is None else asked_for + spread
