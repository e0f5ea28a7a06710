"""Values that are made once for all that ask at about the same time."""

from __future__ import annotations

import asyncio

import pytest

from i2s_training.shared import Shared


async def test_a_value_is_made_once_for_all_that_wait_for_it() -> None:
    made, go = 0, asyncio.Event()

    async def make() -> int:
        nonlocal made
        made += 1
        await go.wait()
        return made

    shared = Shared[int](2)
    asking = [asyncio.create_task(shared.value("key", make)) for _ in range(3)]
    await asyncio.sleep(0)
    go.set()
    assert await asyncio.gather(*asking) == [1, 1, 1]
    assert await shared.value("key", make) == 1


async def test_a_failure_and_a_cancellation_are_of_the_one_that_made_it_alone() -> None:
    begun, never = asyncio.Event(), asyncio.Event()

    async def waits() -> int:
        begun.set()
        await never.wait()
        return 0

    async def fails() -> int:
        raise ValueError("no")

    async def good() -> int:
        return 7

    shared = Shared[int](2)
    first = asyncio.create_task(shared.value("key", waits))
    await begun.wait()
    others = [asyncio.create_task(shared.value("key", make)) for make in (fails, good)]
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(ValueError, match="no"):
        await others[0]
    assert await others[1] == 7
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_the_latest_are_kept() -> None:
    made = list[int]()

    shared = Shared[int](2)
    for key in (1, 2, 1, 3, 1, 2):

        async def make(key: int = key) -> int:
            made.append(key)
            return key

        await shared.value(key, make)
    assert made == [1, 2, 3, 2]
