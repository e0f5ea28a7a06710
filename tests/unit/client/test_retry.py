"""The retry policy as a function of values."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from i2s_client.retry import RetryPolicy, deserves_another_attempt
from i2s_sdk.errors import OverloadedError, ServiceError, ServiceUnavailableError


def _error(kind: type[ServiceError]) -> ServiceError:
    return kind("", address="", method="", status="")


@given(st.integers(1, 10_000), st.floats(0.001, 10.0), st.floats(0.001, 100.0))
def test_pauses_grow_to_their_bound_and_never_vanish(attempt: int, first: float, longest: float) -> None:
    pause = RetryPolicy(first_pause=first, longest_pause=longest).pause(attempt)
    full = min(longest, first * 2.0 ** min(attempt - 1, 30))
    assert 0.5 * full <= pause <= full


@given(st.integers(1, 100), st.floats(0.0, 100.0))
def test_a_pause_is_never_shorter_than_asked_for(attempt: int, asked_for: float) -> None:
    assert RetryPolicy().pause(attempt, asked_for) >= asked_for


def test_callers_that_fail_together_come_back_apart() -> None:
    assert len({RetryPolicy().pause(3, 1.0) for _ in range(20)}) > 10


def test_only_what_may_end_better_is_tried_again() -> None:
    overloaded = _error(OverloadedError)
    assert deserves_another_attempt(_error(ServiceUnavailableError))
    assert not deserves_another_attempt(overloaded)
    assert isinstance(overloaded, OverloadedError)
    overloaded.retry_after_seconds = 0.0
    assert deserves_another_attempt(overloaded)
    for kind in ServiceError.__subclasses__():
        if kind not in (OverloadedError, ServiceUnavailableError):
            assert not deserves_another_attempt(_error(kind))
    assert not deserves_another_attempt(ValueError())


@given(st.integers(1, 100), st.floats(0.0, 100.0))
def test_another_attempt_begins_before_the_time_of_all_is_over_or_never(attempt: int, left: float) -> None:
    policy, now = RetryPolicy(), time.monotonic()
    pause = policy.pause_before_next(_error(ServiceUnavailableError), attempt, now + left)
    assert pause is None or pause < left
    if left > policy.longest_pause + 60:
        assert pause is not None


def test_a_service_that_says_when_to_come_back_is_asked_no_earlier() -> None:
    overloaded = _error(OverloadedError)
    assert isinstance(overloaded, OverloadedError)
    assert RetryPolicy().pause_before_next(overloaded, 1, time.monotonic() + 3600) is None
    overloaded.retry_after_seconds = 7.0
    assert (RetryPolicy().pause_before_next(overloaded, 1, time.monotonic() + 3600) or 0.0) >= 7.0
