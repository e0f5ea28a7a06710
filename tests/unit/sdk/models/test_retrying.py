"""The one retry loop around calls of models: how often, how long, and what it costs the other calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from i2s_sdk.models.errors import ModelAccessError, ModelFailedError
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import Answer, FaultError, Provider, RejectedError, ThrottledError
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.models.retrying import RetriedAnswer, RetryingProvider
from questions import read_text_and_image

QUESTION = read_text_and_image()
ANSWER = Answer("said", Finish.STOP)


class Scripted(Provider):
    """A provider whose attempts end as a test wants; afterwards each is answered."""

    vendor, model, base_url, repeatable = "openai", "tiny", "http://a/v1", True
    parameters: dict[str, float | int | str | None] = {}  # noqa: RUF012 - as the protocol has it

    def __init__(self, ends: list[Exception]) -> None:
        self.ends, self.asked = ends, 0
        self.each: Callable[[], None] = lambda: None

    async def ask(self, question: ReadQuestion) -> Answer:
        self.asked += 1
        self.each()
        if self.ends:
            raise self.ends.pop(0)
        return ANSWER

    async def close(self) -> None:
        pass


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses that were made; they take no time, and the clock of the loop is moved on instead."""
    pauses: list[float] = []
    loops: list[asyncio.AbstractEventLoop] = []

    async def sleep(seconds: float) -> None:
        loop = asyncio.get_running_loop()
        if loop not in loops:
            loops.append(loop)
            real = loop.time
            monkeypatch.setattr(loop, "time", lambda: real() + sum(pauses))
        pauses.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return pauses


def _retrying(provider: Scripted, **more: object) -> RetryingProvider:
    given: dict[str, object] = {"failures": 3, "retry_seconds": 900.0, "first_pause": 0.5, "cache": None}
    return RetryingProvider(provider, ModelOptions(**{**given, **more}))  # type: ignore[arg-type]


async def _ask(provider: Scripted, **more: object) -> RetriedAnswer:
    return await _retrying(provider, **more).ask(QUESTION)


@pytest.mark.parametrize(("failures", "bad"), [(1, 0), (2, 1), (3, 2), (5, 4)])
async def test_a_call_that_fails_less_often_than_allowed_is_answered(
    failures: int, bad: int, slept: list[float]
) -> None:
    found = await _ask(Scripted([FaultError("gone")] * bad), failures=failures)
    assert (found.answer, found.attempts, len(slept)) == (ANSWER, bad + 1, bad)


@pytest.mark.parametrize("failures", [1, 2, 3, 5])
async def test_a_call_is_made_as_often_as_it_may_fail_and_no_more(failures: int, slept: list[float]) -> None:
    provider = Scripted([FaultError(f"gone {number}") for number in range(50)])
    with pytest.raises(ModelFailedError) as raised:
        await _ask(provider, failures=failures)
    assert provider.asked == failures == raised.value.attempts
    assert raised.value.reason == f"gone {failures - 1}"
    times = "1 attempt" if failures == 1 else f"{failures} attempts"
    assert f"openai/tiny at http://a/v1: no answer after {times}; the last: gone" in raised.value.message


async def test_too_many_calls_are_no_failures(slept: list[float]) -> None:
    found = await _ask(Scripted([ThrottledError("slow down")] * 20), failures=1)
    assert found.attempts == 21


async def test_pauses_double_up_to_the_longest(slept: list[float]) -> None:
    await _ask(Scripted([FaultError("gone")] * 6), failures=7, first_pause=1.0, longest_pause=8.0)
    bounds = [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    assert all(bound / 2 <= pause <= bound for pause, bound in zip(slept, bounds, strict=True))


async def test_a_pause_is_as_long_as_the_server_asks_for(slept: list[float]) -> None:
    await _ask(Scripted([FaultError("gone", 70.0)]), first_pause=1.0)
    (pause,) = slept
    assert 70.5 <= pause <= 71.0


async def test_where_the_server_asks_for_more_than_there_is_the_call_has_failed(slept: list[float]) -> None:
    provider = Scripted([FaultError("gone", 901.0)])
    with pytest.raises(ModelFailedError, match=r"it asks to come back after 901 s"):
        await _ask(provider)
    assert (provider.asked, slept) == (1, [])


async def test_pauses_count_among_the_seconds_of_all_attempts(slept: list[float]) -> None:
    provider = Scripted([ThrottledError("slow down", 100.0)] * 50)
    with pytest.raises(ModelFailedError):
        await _ask(provider, retry_seconds=350.0)
    assert provider.asked == 4


async def test_the_seconds_of_attempts_count_too(slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts that take 100 s each, without pauses to speak of: three fit into 250 s, a fourth does not."""
    provider = Scripted([ThrottledError("slow down")] * 50)
    now = [0.0]
    monkeypatch.setattr("i2s_sdk.models.retrying.time.monotonic", lambda: now[0])

    def take_long() -> None:
        now[0] += 100.0

    provider.each = take_long
    with pytest.raises(ModelFailedError):
        await _ask(provider, retry_seconds=250.0, first_pause=0.001, longest_pause=0.001)
    assert provider.asked == 3


async def test_a_throttled_call_makes_the_others_wait_as_long_as_the_server_asks_for(
    slept: list[float],
) -> None:
    retrying = _retrying(Scripted([ThrottledError("slow down", 60.0)]))
    first = asyncio.create_task(retrying.ask(QUESTION))
    while not slept:
        await asyncio.wait({first}, timeout=0)
    assert retrying._pace.cuts == 1
    assert retrying._pace._not_before >= asyncio.get_running_loop().time() - sum(slept) + 59.0
    await first


async def test_what_one_call_cannot_wait_for_the_others_do_not_wait_for(slept: list[float]) -> None:
    retrying = _retrying(Scripted([ThrottledError("slow down", 901.0)]))
    with pytest.raises(ModelFailedError):
        await retrying.ask(QUESTION)
    assert (retrying._pace.cuts, retrying._pace._not_before) == (1, 0.0)
    assert (await retrying.ask(QUESTION)).attempts == 1
    assert slept == []


async def test_a_wait_of_just_the_seconds_of_all_attempts_is_waited_for_by_the_others(
    slept: list[float],
) -> None:
    retrying = _retrying(Scripted([ThrottledError("slow down", 900.0)]))
    with pytest.raises(ModelFailedError):
        await retrying.ask(QUESTION)
    assert retrying._pace._not_before > 0.0


async def test_a_failure_of_another_kind_makes_no_other_call_wait(slept: list[float]) -> None:
    retrying = _retrying(Scripted([FaultError("gone", 60.0)]))
    await retrying.ask(QUESTION)
    assert (retrying._pace.cuts, retrying._pace._not_before) == (0, 0.0)


async def test_answers_bring_places_back(slept: list[float]) -> None:
    retrying = _retrying(Scripted([ThrottledError("slow down")]), concurrency=4)
    await retrying.ask(QUESTION)
    assert 2.0 < retrying._pace.places <= 2.5


async def test_a_request_that_is_rejected_is_made_once(slept: list[float]) -> None:
    provider = Scripted([RejectedError("too large")] * 5)
    with pytest.raises(ModelFailedError, match="no answer after 1 attempt; the last: too large"):
        await _ask(provider)
    assert (provider.asked, slept) == (1, [])


async def test_where_no_call_can_be_answered_there_is_one_and_it_says_whom_it_asked(
    slept: list[float],
) -> None:
    provider = Scripted([ModelAccessError("the key is wrong")] * 5)
    with pytest.raises(ModelAccessError, match="openai/tiny at http://a/v1: the key is wrong"):
        await _ask(provider)
    assert provider.asked == 1
