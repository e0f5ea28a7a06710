"""The one retry policy of the system: which failures deserve another attempt, when, and for how long."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass

from i2s_client.errors import OverloadedError, ServiceError, ServiceUnavailableError

_AT_ONCE = 3  # attempts that gRPC makes by itself, all addresses together
_NEXT_ADDRESS_SECONDS = 0.05  # until it does
_SINGLE_CALLS = {
    "i2s.render.v1.RenderService": ("Render", "Describe"),
    "i2s.metrics.v1.MetricsService": ("Score", "Describe"),
    "i2s.documents.v1.DocumentsService": ("Convert", "DrawPages", "Describe"),
}


_PACED = OverloadedError | ServiceUnavailableError  # the errors that say when to come back


def deserves_another_attempt(error: BaseException) -> bool:
    """Return whether the same call may end better.

    UNAVAILABLE does: the service starts, drains or went away, and rendering and scoring change nothing,
    so that a call cut off in the middle can be made again. RESOURCE_EXHAUSTED does if the service
    says when to come back (metadata ``grpc-retry-pushback-ms``, gRFC A6); without it the message is too
    large and stays so. Everything else does not: INVALID_ARGUMENT would end the same, the time of
    DEADLINE_EXCEEDED is spent, INTERNAL is a fault that someone should see, and a job that ends with ABORTED
    was run several times already and killed each time.
    """
    if isinstance(error, OverloadedError):
        return error.retry_after_seconds is not None
    return isinstance(error, ServiceUnavailableError)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Pauses grow twofold from ``first_pause`` to ``longest_pause`` and are shortened by chance.

    If the service says how long to wait, the pause is that and at most ``first_pause`` more: the
    service knows how many wait, and spreads them itself. Once the next attempt would begin after
    ``total_seconds`` the last error is raised.

    Within each attempt gRPC makes up to three (``service_config``): if a replica has died or drains, the
    call goes to the next one. What outlasts that, and what a full queue asks for, is for the policy.
    """

    #: Seconds from the start of the first attempt; no attempt lasts beyond it.
    total_seconds: float = 300.0
    #: Seconds.
    first_pause: float = 0.1
    #: Seconds.
    longest_pause: float = 5.0

    def service_config(self) -> str:
        """Return gRPC's service config, as JSON: round robin, and single calls again at UNAVAILABLE alone.

        Streams are not in it: they know which of their items had an answer. Nor are full queues, since these
        name a time that only the policy may wait. If many calls fail gRPC makes no more attempts.
        """
        pause = f"{max(0.001, min(self.first_pause, _NEXT_ADDRESS_SECONDS)):.3f}s"
        methods = [
            {"service": service, "method": method}
            for service, names in _SINGLE_CALLS.items()
            for method in names
        ]
        again = {
            "maxAttempts": _AT_ONCE,
            "initialBackoff": pause,
            "maxBackoff": pause,
            "backoffMultiplier": 1,
            "retryableStatusCodes": ["UNAVAILABLE"],
        }
        config = {
            "loadBalancingConfig": [{"round_robin": {}}],
            "healthCheckConfig": {"serviceName": ""},
            "methodConfig": [{"name": methods, "retryPolicy": again}],
            "retryThrottling": {"maxTokens": 100, "tokenRatio": 0.5},
        }
        return json.dumps(config)

    def pause_before_next(self, error: ServiceError, attempt: int, end: float) -> float | None:
        """Return the pause in seconds before another attempt; None if there is to be none.

        Args:
            error: Failure of the last attempt.
            attempt: Its number, counted from 1.
            end: When the time of all attempts is over, by ``time.monotonic``.
        """
        if not deserves_another_attempt(error):
            return None
        asked_for = error.retry_after_seconds if isinstance(error, _PACED) else None
        pause = self.pause(attempt, asked_for)
        return pause if time.monotonic() + pause < end else None

    def pause(self, attempt: int, asked_for: float | None = None) -> float:
        """Return the pause in seconds after attempt number ``attempt``, counted from 1."""
        doublings = 0 if asked_for is not None else min(attempt - 1, 30)
        full = min(self.longest_pause, self.first_pause * 2.0**doublings)
        spread = random.uniform(0.5, 1.0) * full  # noqa: S311 - spreads callers out, keeps no secret
        return spread if asked_for is None else asked_for + spread
