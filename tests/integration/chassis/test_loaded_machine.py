"""Limits of time on a machine with far more to do than it has processors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from busy_machine import BUSY, busy_machine
from i2s_chassis.jail import Cause, Jail, JailSettings, StarvedError
from i2s_chassis.limits import DEFAULT_LIMITS

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]


@pytest.fixture
def load() -> Iterator[None]:
    with busy_machine():
        yield


@pytest.fixture(params=[True, False], ids=["control group", "no control group"])
async def jail(request: pytest.FixtureRequest) -> AsyncIterator[Jail]:
    jail = await Jail.start(JailSettings(control_groups=request.param, patience=100))
    yield jail
    await jail.close()


async def test_a_busy_loop_ends_by_its_cpu_seconds(jail: Jail, load: None) -> None:
    limits = replace(DEFAULT_LIMITS, cpu_seconds=1, wall_seconds=3)
    async with jail.cell(limits) as cell:
        ended = await cell.run(list(BUSY))
    assert ended.cause is Cause.CPU_LIMIT, ended
    assert ended.usage.clock_seconds <= ended.usage.wall_seconds
    assert ended.usage.waited_seconds > 0


async def test_a_job_that_sleeps_ends_by_the_clock(jail: Jail, load: None) -> None:
    limits = replace(DEFAULT_LIMITS, cpu_seconds=1, wall_seconds=2)
    async with jail.cell(limits) as cell:
        ended = await cell.run(["sleep", "100000"])
    assert ended.cause is Cause.WALL_LIMIT, ended


async def test_a_job_that_is_kept_waiting_without_end_is_nobodys_fault(load: None) -> None:
    jail = await Jail.start(JailSettings(patience=1))
    try:
        async with jail.cell(replace(DEFAULT_LIMITS, cpu_seconds=60, wall_seconds=1)) as cell:
            with pytest.raises(StarvedError):
                await cell.run(list(BUSY))
    finally:
        await jail.close()
