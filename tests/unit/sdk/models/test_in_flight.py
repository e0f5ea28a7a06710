"""No server gets a call twice while it works on the first."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from i2s_sdk.models.errors import ModelFailedError
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import Answer, Provider
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.models.retrying import RetryingProvider
from questions import read_text_and_image


def _question(name: str) -> ReadQuestion:
    return read_text_and_image(name, content=b"\x89PNG" + name.encode())


def _options(**more: object) -> ModelOptions:
    given: dict[str, object] = {"call_seconds": 0.01, "retry_seconds": 3600.0, "first_pause": 0.0001}
    return ModelOptions(**{**given, "longest_pause": 0.0001, "cache": None, **more})  # type: ignore[arg-type]


class _Server(Provider):
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
    assert [one.answer.text for one in answers] == names
    assert [one.attempts for one in answers] == [1] * len(names)
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
