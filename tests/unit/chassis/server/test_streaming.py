import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from i2s_chassis.errors import CallError, InvalidArgumentError, UnavailableError
from i2s_chassis.server.admission import Admission
from i2s_chassis.server.service import Chassis
from i2s_chassis.server.streaming import answer_stream
from i2s_chassis.server.telemetry import Telemetry


def make_chassis(slots: int = 2, queue: int = 4) -> Chassis:
    async def ignored(_: bool) -> None: ...

    telemetry = Telemetry("test")
    return Chassis(Admission(slots, queue, telemetry), telemetry, asyncio.Event(), ignored)


def failed(request: str, error: CallError) -> str:
    return f"{request} {error.status.name}"


class Sender:
    """Requests that are there at once; counts how many were read."""

    def __init__(self, *requests: str, endless: bool = False) -> None:
        self.read = 0
        self._requests, self._endless = requests, endless

    async def __aiter__(self) -> AsyncIterator[str]:
        for request in self._requests:
            self.read += 1
            yield request
        if self._endless:
            await asyncio.Event().wait()


class Work:
    """Answers when released; notes what was begun and what was cancelled."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self._gates: dict[str, asyncio.Event] = {}

    def release(self, *requests: str) -> None:
        for request in requests:
            self._gates.setdefault(request, asyncio.Event()).set()

    async def __call__(self, request: str, _) -> str:
        self.begun.append(request)
        try:
            await self._gates.setdefault(request, asyncio.Event()).wait()
        except asyncio.CancelledError:
            self.cancelled.append(request)
            raise
        return request.upper()


async def at_once(request: str, _) -> str:
    if request == "bad":
        raise InvalidArgumentError("request", "is bad")
    if request == "bug":
        raise ZeroDivisionError
    return request.upper()


async def test_answers_come_in_completion_order():
    work = Work()
    stream = answer_stream(make_chassis(), aiter(Sender("a", "b", "c")), work, failed)
    first = asyncio.ensure_future(anext(stream))
    work.release("b")
    assert await first == "B"
    work.release("c")
    assert await anext(stream) == "C"
    work.release("a")
    assert [answer async for answer in stream] == ["A"]


async def test_failed_item_does_not_end_the_stream():
    requests = aiter(Sender("a", "bad", "bug", "b"))
    answers = {answer async for answer in answer_stream(make_chassis(), requests, at_once, failed)}
    assert answers == {"A", "bad INVALID_ARGUMENT", "bug INTERNAL", "B"}


async def test_empty_stream_has_no_answers():
    assert [answer async for answer in answer_stream(make_chassis(), aiter(Sender()), at_once, failed)] == []


async def test_next_request_is_read_only_when_the_last_has_a_place(settle):
    chassis, work = make_chassis(slots=1, queue=2), Work()
    sender = Sender(*"abcdefgh")
    async with aclosing(answer_stream(chassis, aiter(sender), work, failed, window=100)) as stream:
        first = asyncio.ensure_future(anext(stream))
        await settle()
        assert work.begun == ["a"]
        assert chassis.admission.inside == 2  # one slot, and half of the queue
        assert sender.read == 3
        work.release("a")
        await first
        await settle()
        assert sender.read == 4


async def test_slow_reader_holds_the_sender_back(settle):
    sender = Sender(*"abcdefgh")
    chassis = make_chassis(slots=4, queue=100)
    async with aclosing(answer_stream(chassis, aiter(sender), at_once, failed, window=2)) as stream:
        await anext(stream)
        await settle()
        assert sender.read == 3  # two answers under way or unread, and a request in hand
        await anext(stream)
        await settle()
        assert sender.read == 4


async def test_closing_cancels_every_item_and_frees_its_place(settle):
    chassis, work = make_chassis(slots=2, queue=4), Work()
    stream = answer_stream(chassis, aiter(Sender(*"abcdef", endless=True)), work, failed)
    reading = asyncio.ensure_future(anext(stream))
    await settle()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await stream.aclose()
    await settle()
    assert work.begun == ["a", "b"]
    assert sorted(work.cancelled) == ["a", "b"]
    assert (chassis.admission.running, chassis.admission.inside) == (0, 0)


async def test_closing_before_an_item_began_frees_its_place(settle):
    chassis = make_chassis()
    sender = Sender("a")
    stream = answer_stream(chassis, aiter(sender), Work(), failed)
    reading = asyncio.ensure_future(anext(stream))
    while chassis.admission.inside == 0:
        await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait({reading})
    await settle()
    assert chassis.admission.inside == 0


async def test_draining_answers_what_was_read_and_then_ends_unavailable(settle):
    chassis, work = make_chassis(), Work()
    stream = answer_stream(chassis, aiter(Sender("a", endless=True)), work, failed)
    first = asyncio.ensure_future(anext(stream))
    await settle()
    chassis.draining.set()
    await settle()
    work.release("a")
    assert await first == "A"
    with pytest.raises(UnavailableError):
        await anext(stream)


async def test_failure_of_reading_ends_the_stream_after_the_answers():
    async def broken() -> AsyncIterator[str]:
        yield "a"
        raise InvalidArgumentError("request", "does not parse")

    stream = answer_stream(make_chassis(), broken(), at_once, failed)
    assert await anext(stream) == "A"
    with pytest.raises(InvalidArgumentError):
        await anext(stream)
