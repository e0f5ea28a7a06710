"""Many samples at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.runs.outcome import Outcome
from i2s_sdk.runs.pipeline import run_samples
from i2s_sdk.runs.record import Record


def _instances(count: int) -> list[Instance]:
    return [Instance(str(number), "latex", "equation", Path("a.png")) for number in range(count)]


def _record(instance: Instance) -> Record:
    return Record(instance.id, "latex", "equation", "", Outcome.SCORED)


async def test_every_instance_is_sampled_once_and_no_more_than_jobs_at_a_time() -> None:
    running = most = 0
    kept: list[str] = []

    async def sample(instance: Instance) -> Record:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(int(instance.id) % 3):
            await asyncio.sleep(0)
        running -= 1
        return _record(instance)

    await run_samples(_instances(50), sample, lambda record: kept.append(record.id), 4)
    assert sorted(kept, key=int) == [str(number) for number in range(50)]
    assert most == 4


async def test_instances_are_taken_as_places_become_free() -> None:
    taken = kept = 0

    def source() -> Iterator[Instance]:
        nonlocal taken
        for instance in _instances(100):
            taken += 1
            assert taken - kept <= 3
            yield instance

    async def sample(instance: Instance) -> Record:
        await asyncio.sleep(0)
        return _record(instance)

    def keep(record: Record) -> None:
        nonlocal kept
        kept += 1

    await run_samples(source(), sample, keep, 3)
    assert kept == 100


async def test_a_fault_of_the_program_ends_everything() -> None:
    async def sample(instance: Instance) -> Record:
        if instance.id == "3":
            raise LookupError(instance.id)
        await asyncio.sleep(0)
        return _record(instance)

    with pytest.raises(LookupError):
        await run_samples(_instances(1000), sample, lambda record: None, 2)


async def test_cancelling_keeps_what_is_finished_and_gives_up_the_rest() -> None:
    kept: list[str] = []

    async def sample(instance: Instance) -> Record:
        if int(instance.id) >= 5:
            await asyncio.Event().wait()
        return _record(instance)

    work = asyncio.create_task(run_samples(_instances(10), sample, lambda one: kept.append(one.id), 2))
    while len(kept) < 5:
        await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert kept == ["0", "1", "2", "3", "4"]
