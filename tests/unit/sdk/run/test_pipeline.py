"""Samples on their way through stages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

import pytest

from i2s_sdk.run.pipeline import Stage, run_pipeline


@dataclass(frozen=True)
class Thing:
    number: int
    passed: tuple[str, ...] = ()
    ended: bool = False


def _things(count: int) -> list[Thing]:
    return [Thing(number) for number in range(count)]


def _passing(name: str, pauses: int = 0) -> Callable[[Thing], Awaitable[Thing]]:
    async def work(thing: Thing) -> Thing:
        for _ in range(pauses * (thing.number % 3)):
            await asyncio.sleep(0)
        return Thing(thing.number, (*thing.passed, name), thing.ended)

    return work


async def _conveyed(count: int, *stages: Stage[Thing]) -> list[Thing]:
    done: list[Thing] = []
    await run_pipeline(_things(count), stages, lambda thing: thing.ended, done.append)
    return done


@pytest.mark.parametrize("jobs", [(1, 1, 1), (3, 1, 2), (1, 7, 3), (8, 8, 8)])
async def test_every_sample_goes_through_every_stage_once_and_in_order(jobs: tuple[int, int, int]) -> None:
    stages = [Stage(_passing(name, 2), number, 2) for name, number in zip("abc", jobs, strict=True)]
    done = await _conveyed(50, *stages)
    assert sorted(thing.number for thing in done) == list(range(50))
    assert {thing.passed for thing in done} == {("a", "b", "c")}


async def test_no_more_than_jobs_are_in_a_stage() -> None:
    running = most = 0

    async def work(thing: Thing) -> Thing:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(thing.number % 5):
            await asyncio.sleep(0)
        running -= 1
        return thing

    await _conveyed(60, Stage(_passing("a"), 9), Stage(work, 4, 3))
    assert most == 4


async def test_a_sample_that_has_ended_skips_what_follows() -> None:
    async def ending(thing: Thing) -> Thing:
        return Thing(thing.number, (*thing.passed, "a"), ended=thing.number % 2 == 0)

    done = await _conveyed(20, Stage(ending, 3), Stage(_passing("b"), 2))
    assert {thing.passed for thing in done if thing.number % 2 == 0} == {("a",)}
    assert {thing.passed for thing in done if thing.number % 2} == {("a", "b")}
    assert len(done) == 20


async def test_a_slow_stage_makes_those_before_it_wait() -> None:
    """Under way are at most: those in both stages, those that wait, and those that wait to wait."""
    taken = done = most = 0
    gate = asyncio.Event()

    def source() -> Iterator[Thing]:
        nonlocal taken, most
        for thing in _things(200):
            taken += 1
            most = max(most, taken - done)
            yield thing

    async def slow(thing: Thing) -> Thing:
        if not gate.is_set():
            await gate.wait()
        return thing

    def count(thing: Thing) -> None:
        nonlocal done
        done += 1

    stages = [Stage(_passing("a"), 3), Stage(slow, 2, 4)]
    work = asyncio.create_task(run_pipeline(source(), stages, lambda thing: thing.ended, count))
    for _ in range(200):
        await asyncio.sleep(0)
    assert taken == 3 + 4 + 2  # and no more, however long the stage takes
    gate.set()
    await work
    assert done == 200
    assert most <= 3 + 4 + 2 + 1


async def test_a_slow_stage_does_not_keep_the_next_from_working() -> None:
    """The first stage never finishes one sample; the others go through all the same."""

    async def sticking(thing: Thing) -> Thing:
        if thing.number == 0:
            await asyncio.Event().wait()
        return thing

    done: list[Thing] = []
    stages = [Stage(sticking, 2), Stage(_passing("b"), 2)]
    work = asyncio.create_task(run_pipeline(_things(30), stages, lambda thing: thing.ended, done.append))
    while len(done) < 29:
        await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert sorted(thing.number for thing in done) == list(range(1, 30))


@pytest.mark.parametrize("where", [0, 1, 2])
async def test_a_fault_of_the_program_ends_everything(where: int) -> None:
    async def faulty(thing: Thing) -> Thing:
        if thing.number == 3:
            raise LookupError(thing.number)
        await asyncio.sleep(0)
        return thing

    stages = [Stage(faulty if number == where else _passing("x"), 2) for number in range(3)]
    with pytest.raises(LookupError):
        await _conveyed(1000, *stages)


async def test_nothing_is_done_with_nothing() -> None:
    assert await _conveyed(0, Stage(_passing("a"), 2), Stage(_passing("b"), 2)) == []


async def test_what_a_stage_ends_after_a_cancellation_is_not_interrupted() -> None:
    """An example is a program that has to be reaped."""
    ended: list[int] = []

    async def work(thing: Thing) -> Thing:
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5 * thing.number):
                await asyncio.sleep(0)
            ended.append(thing.number)
        return thing

    run = asyncio.create_task(_conveyed(3, Stage(work, 3)))
    for _ in range(5):
        await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert sorted(ended) == [0, 1, 2]
