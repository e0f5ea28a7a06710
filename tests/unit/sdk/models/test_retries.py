"""The limiter allows as many calls at once as the server bears."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

import pytest

from i2s_sdk.models.completion import ModelAccessError, ModelFailedError
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import Answer, FaultError, ModelProvider, RejectedError, ThrottledError
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.models.retries import AdaptiveLimiter, RetriedAnswer, RetryingProvider
from questions import read_text_and_image


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


def _question(name: str) -> ReadQuestion:
    return read_text_and_image(name, content=b"\x89PNG" + name.encode())


def _options(**more: object) -> ModelOptions:
    given: dict[str, object] = {"call_seconds": 0.01, "retry_seconds": 3600.0, "first_pause": 0.0001}
    return ModelOptions(**{**given, "longest_pause": 0.0001, "cache": None, **more})  # type: ignore[arg-type]


class _Server(ModelProvider):
    """A server whose answers a test lets out; it does not notice who has stopped waiting."""

    vendor, model, base_url, repeatable = "openai", "tiny", "", True
    parameters: dict[str, float | int | str | None] = {}  # noqa: RUF012 - as the protocol has it

    def __init__(self) -> None:
        self.came: Counter[str] = Counter()
        self.may_answer: dict[str, asyncio.Event] = {}
        self.arrived = asyncio.Event()

    async def ask(self, question: ReadQuestion) -> Answer:
        self.came[question.id] += 1
        self.arrived.set()
        if self.came[question.id] == 1:
            await self.may_answer.setdefault(question.id, asyncio.Event()).wait()
        return Answer(question.id, Finish.STOP)

    async def close(self) -> None:
        pass


class _OneAtATime(_Server):
    """A server that has one thread, and takes calls in the order in which they came."""

    def __init__(self) -> None:
        super().__init__()
        self._thread = asyncio.Lock()

    async def ask(self, question: ReadQuestion) -> Answer:
        self.came[question.id] += 1
        self.arrived.set()

        async def work() -> Answer:
            async with self._thread:
                await self.may_answer.setdefault(question.id, asyncio.Event()).wait()
            return Answer(question.id, Finish.STOP)

        return await asyncio.shield(asyncio.ensure_future(work()))


async def test_a_server_with_one_thread_gets_each_call_once_however_long_it_takes() -> None:
    server = _OneAtATime()
    patience = RetryingProvider(server, _options())
    names = [f"q{number}" for number in range(4)]
    calls = [asyncio.create_task(patience.ask(_question(name))) for name in names]
    while len(server.came) < len(names):
        await asyncio.sleep(0)
    for name in names:
        await asyncio.sleep(0.05)  # five times the time-out, in which nothing may be sent again
        server.may_answer.setdefault(name, asyncio.Event()).set()
    answers = await asyncio.gather(*calls)
    assert [answer.answer.text for answer in answers] == names
    assert [answer.attempts for answer in answers] == [1] * len(names)
    assert server.came == dict.fromkeys(names, 1)


async def test_a_call_that_a_server_of_many_threads_lost_is_made_again() -> None:
    """The server answers what was sent later, so it does not work on one call after the other."""
    server = _Server()
    patience = RetryingProvider(server, _options())
    lost = asyncio.create_task(patience.ask(_question("lost")))
    await server.arrived.wait()
    server.may_answer["other"] = asyncio.Event()
    server.may_answer["other"].set()
    await patience.ask(_question("other"))
    found = await lost
    assert (found.answer.text, found.attempts) == ("lost", 2)


async def test_an_answer_to_an_earlier_call_says_nothing_of_a_later_one() -> None:
    server = _Server()
    patience = RetryingProvider(server, _options())
    earlier = asyncio.create_task(patience.ask(_question("earlier")))
    await server.arrived.wait()
    later = asyncio.create_task(patience.ask(_question("later")))
    while "later" not in server.came:
        await asyncio.sleep(0)
    server.may_answer["earlier"].set()
    await earlier
    await asyncio.sleep(0.05)
    assert not later.done()
    server.may_answer["later"].set()
    assert (await later).attempts == 1
    assert server.came["later"] == 1


async def test_a_call_that_is_never_answered_fails_after_the_seconds_of_all_attempts_and_is_sent_once() -> (
    None
):
    server = _Server()
    patience = RetryingProvider(server, _options(retry_seconds=0.05))
    with pytest.raises(ModelFailedError, match=r"no answer after 1 attempt; the last: no answer within"):
        await patience.ask(_question("lost"))
    assert server.came == {"lost": 1}


async def test_a_call_may_always_take_the_seconds_of_one_attempt() -> None:
    """Also where those of all attempts together are fewer."""
    server = _Server()
    patience = RetryingProvider(server, _options(call_seconds=3600.0, retry_seconds=0.001))
    call = asyncio.create_task(patience.ask(_question("slow")))
    await server.arrived.wait()
    await asyncio.sleep(0.02)
    server.may_answer["slow"].set()
    assert (await call).answer.text == "slow"


async def test_work_that_ends_when_nobody_waits_is_given_up_after_the_seconds_of_one_attempt() -> None:
    server = _Server()
    server.ends_when_left = True  # type: ignore[attr-defined]
    found = await RetryingProvider(server, _options()).ask(_question("lost"))
    assert (found.attempts, server.came["lost"]) == (2, 2)


QUESTION = read_text_and_image()
ANSWER = Answer("said", Finish.STOP)


class Scripted(ModelProvider):
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
    monkeypatch.setattr("i2s_sdk.models.retries.time.monotonic", lambda: now[0])

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
