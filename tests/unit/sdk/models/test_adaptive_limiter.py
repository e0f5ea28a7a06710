"""The limiter allows as many calls at once as the server bears."""

from __future__ import annotations

import asyncio

import pytest

from i2s_sdk.models.adaptive_limiter import AdaptiveLimiter


async def _hold(pace: AdaptiveLimiter, number: int, let_go: asyncio.Event, running: list[int]) -> None:
    async def one() -> None:
        async with pace.turn():
            running.append(1)
            await let_go.wait()

    for _ in range(number):
        asyncio.create_task(one())  # noqa: RUF006 - ends with the event
    for _ in range(20):
        await asyncio.sleep(0)


async def test_no_more_run_than_there_are_places() -> None:
    pace, let_go, running = AdaptiveLimiter(3), asyncio.Event(), list[int]()
    await _hold(pace, 10, let_go, running)
    assert len(running) == 3
    let_go.set()
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(running) == 10


async def test_calls_that_were_in_flight_together_halve_the_places_once() -> None:
    pace = AdaptiveLimiter(16)
    async with pace.turn() as first, pace.turn() as second:
        first.throttled(None)
        second.throttled(None)
    assert (pace.places, pace.cuts) == (8.0, 1)
    async with pace.turn() as later:
        later.throttled(None)
    assert (pace.places, pace.cuts) == (4.0, 2)


async def test_there_is_always_one_place() -> None:
    pace = AdaptiveLimiter(2)
    for _ in range(5):
        async with pace.turn() as turn:
            turn.throttled(None)
    assert pace.places == 1.0


async def test_a_round_of_answers_gains_a_place_and_never_more_than_there_were() -> None:
    pace = AdaptiveLimiter(8)
    async with pace.turn() as turn:
        turn.throttled(None)
    for _ in range(4):
        async with pace.turn() as turn:
            turn.answered()
    assert 4.8 < pace.places <= 5.0
    for _ in range(200):
        async with pace.turn() as turn:
            turn.answered()
    assert pace.places == 8.0


async def test_nobody_begins_before_the_server_wants_to_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    pace, slept = AdaptiveLimiter(4), list[float]()
    loop = asyncio.get_running_loop()
    now = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now + sum(slept))

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with pace.turn() as turn:
        turn.throttled(60.0)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    async with pace.turn():
        pass
    assert slept == [pytest.approx(60.0)]


async def test_who_gives_up_waiting_takes_no_place_with_him() -> None:
    pace, let_go, running = AdaptiveLimiter(1), asyncio.Event(), list[int]()
    await _hold(pace, 1, let_go, running)

    async def wait() -> None:
        async with pace.turn():
            running.append(2)

    impatient, patient = asyncio.create_task(wait()), asyncio.create_task(wait())
    await asyncio.sleep(0)
    impatient.cancel()
    let_go.set()
    await patient
    assert running == [1, 2]
    woken_and_cancelled = asyncio.create_task(wait())
    async with pace.turn():
        await asyncio.sleep(0)
    woken_and_cancelled.cancel()  # its place was given to it just now
    await asyncio.gather(woken_and_cancelled, return_exceptions=True)
    async with asyncio.timeout(60), pace.turn():
        pass


async def test_a_shorter_pause_that_is_asked_for_later_ends_no_longer_one() -> None:
    pace = AdaptiveLimiter(4)
    async with pace.turn() as first, pace.turn() as second:
        first.throttled(3600.0)
        second.throttled(1.0)
    assert pace._not_before > asyncio.get_running_loop().time() + 3000.0
