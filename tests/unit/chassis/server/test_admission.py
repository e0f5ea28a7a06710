import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.callers.fair_queue import Pushback
from i2s_chassis.callers.shares import Flow, coming_from
from i2s_chassis.errors import DeadlineExceededError, ResourceExhaustedError
from i2s_chassis.server.admission import Admission
from i2s_chassis.server.telemetry import Telemetry


def admission(slots: int, queue: int, clock=lambda: 0.0, **options) -> Admission:
    return Admission(slots, queue, Telemetry("test"), clock, jitter=lambda low, high: 1.0, **options)


class Job:
    """A job that holds its slot until it is told to end."""

    def __init__(self, admission: Admission, remaining: float | None = None) -> None:
        self.end = asyncio.Event()
        self.began = False
        self.task = asyncio.create_task(self._run(admission, remaining))

    async def _run(self, admission: Admission, remaining: float | None) -> float:
        async with admission.slot(remaining) as ticket:
            self.began = True
            await self.end.wait()
            return ticket.queue_seconds


async def test_slots_are_given_in_the_order_of_asking(settle):
    jobs_of = admission(1, 10)
    jobs = [Job(jobs_of) for _ in range(4)]
    for number, job in enumerate(jobs):
        await settle()
        assert [other.began for other in jobs] == [True] * (number + 1) + [False] * (3 - number)
        job.end.set()
    await asyncio.gather(*(job.task for job in jobs))
    assert (jobs_of.running, jobs_of.inside) == (0, 0)


async def test_full_queue_sends_away_with_pushback(settle):
    full = admission(2, 1)
    jobs = [Job(full) for _ in range(3)]
    await settle()
    assert (full.running, full.waiting) == (2, 1)
    with pytest.raises(ResourceExhaustedError) as sent_away:
        async with full.slot():
            pass
    assert sent_away.value.retry_after_ms == 500  # two in line, two slots, half a second each at first
    for job in jobs:
        job.end.set()
        await job.task


async def test_pushback_follows_the_recent_job_time(settle, clock):
    async def asked_to_come_back_after(line: Admission) -> int:
        running = Job(line)
        await settle()
        with pytest.raises(ResourceExhaustedError) as sent_away:
            async with line.slot():
                pass
        running.end.set()
        await running.task
        return sent_away.value.retry_after_ms

    patient = Pushback(first_seconds=30.0, memory_seconds=0.0)
    busy = admission(1, 0, clock, pushback=patient)
    assert await asked_to_come_back_after(busy) == 500
    clock.now += 60.0
    for _ in range(40):
        async with busy.slot():
            clock.now += 4.0
    clock.now += 60.0
    assert 3900 < await asked_to_come_back_after(busy) <= 4000


async def test_it_is_idle_while_a_slot_is_free_and_nobody_waits(settle):
    line = admission(2, 2)
    assert line.is_idle
    first = Job(line)
    await settle()
    assert line.is_idle
    second = Job(line)
    await settle()
    assert (line.running, line.is_idle) == (2, False)
    third = Job(line)
    await settle()
    assert (line.waiting, line.is_idle) == (1, False)
    first.end.set()
    await settle()
    assert (line.running, line.waiting, line.is_idle) == (2, 0, False)
    second.end.set()
    await settle()
    assert (line.running, line.is_idle) == (1, True)
    third.end.set()
    await asyncio.gather(first.task, second.task, third.task)
    assert line.is_idle
    place = await line.place_for_stream()
    assert (line.running, line.waiting, line.is_idle) == (0, 1, False)
    place.leave()
    assert line.is_idle


async def test_wait_for_the_slot_is_measured(settle, clock):
    line = admission(1, 1, clock)
    first, second = Job(line), Job(line)
    await settle()
    clock.now += 2.5
    first.end.set()
    second.end.set()
    assert (await first.task, await second.task) == (0.0, 2.5)


async def test_deadline_ends_the_waiting(settle):
    line = admission(1, 1)
    running = Job(line)
    await settle()
    with pytest.raises(DeadlineExceededError):
        async with line.slot(remaining=0.001):
            pass
    assert line.inside == 1
    running.end.set()
    await running.task


async def test_cancelled_waiter_leaves_no_trace(settle):
    line = admission(1, 2)
    first, second, third = Job(line), Job(line), Job(line)
    await settle()
    second.task.cancel()
    await settle()
    first.end.set()
    third.end.set()
    await asyncio.gather(first.task, third.task)
    assert (line.running, line.inside) == (0, 0)


async def test_slot_that_comes_together_with_a_cancellation_goes_to_the_next(settle):
    line = admission(1, 2)
    async with line.slot():
        second, third = Job(line), Job(line)
        await settle()
    second.task.cancel()  # it has been given the slot but has not run since
    await settle()
    assert (second.began, third.began) == (False, True)
    third.end.set()
    await third.task
    assert (line.running, line.inside) == (0, 0)


async def test_failed_job_gives_its_slot_back():
    line = admission(1, 0)
    for _ in range(3):
        with pytest.raises(KeyError):
            async with line.slot():
                raise KeyError
    assert line.inside == 0


async def test_item_of_a_stream_waits_where_a_call_is_sent_away(settle):
    line = admission(1, 0)
    running = Job(line)
    await settle()
    item = asyncio.create_task(line.place_for_stream())
    await settle()
    assert not item.done()
    running.end.set()
    await settle()
    async with (await item).enter() as ticket:
        assert ticket.queue_seconds == 0
    assert line.inside == 0


async def test_streams_leave_half_of_the_queue_to_calls(settle):
    line = admission(2, 4)
    items = [asyncio.create_task(line.place_for_stream()) for _ in range(10)]
    await settle()
    assert sum(item.done() for item in items) == 4
    calls = [Job(line), Job(line)]
    await settle()
    assert line.inside == 6
    for call in calls:
        call.end.set()
        await call.task
    for item in items:
        (await item).leave()
    assert line.inside == 0


async def test_next_place_for_streams_goes_to_the_connection_that_has_fewest(settle):
    async def place(connection: str):
        with coming_from(Flow("host", connection)):
            return await line.place_for_stream()

    line = admission(1, 2)
    many = [asyncio.create_task(place("many")) for _ in range(6)]
    await settle()
    one = asyncio.create_task(place("one"))
    await settle()
    assert [item.done() for item in many] == [True, True, False, False, False, False]
    (await many[0]).leave()
    await settle()
    assert one.done()
    for item in [one, *many[1:]]:
        (await item).leave()


async def test_place_is_given_back_once():
    line = admission(1, 0)
    place = await line.place_for_stream()
    place.leave()
    place.leave()
    assert line.inside == 0


steps = st.lists(
    st.tuples(st.sampled_from(["call", "item", "end", "cancel", "tick"]), st.integers(0, 30)), max_size=60
)


@given(st.integers(1, 3), st.integers(0, 4), steps)
def test_nothing_is_leaked_or_exceeded_whatever_happens(slots, queue, steps):
    async def play() -> None:
        line = admission(slots, queue)
        ends: list[asyncio.Event] = []
        tasks: list[asyncio.Task] = []

        async def call(end: asyncio.Event) -> None:
            async with line.slot():
                assert line.running <= slots
                await end.wait()

        async def item(end: asyncio.Event) -> None:
            async with (await line.place_for_stream()).enter():
                assert line.running <= slots
                await end.wait()

        for step, number in steps:
            if step in {"call", "item"}:
                ends.append(asyncio.Event())
                tasks.append(asyncio.create_task((call if step == "call" else item)(ends[-1])))
            elif step == "tick":
                await asyncio.sleep(0)
            elif tasks and step == "end":
                ends[number % len(ends)].set()
            elif tasks:
                tasks[number % len(tasks)].cancel()
            assert line.running <= slots
            assert line.inside <= slots + queue
        for end in ends:
            end.set()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            assert outcome is None or isinstance(outcome, asyncio.CancelledError | ResourceExhaustedError)
        assert (line.running, line.inside) == (0, 0)
        async with line.slot():
            assert line.running == 1

    asyncio.run(play())
