"""Callers take slots in turn, and have places no further than they leave some to others."""

from __future__ import annotations

import asyncio

import pytest

from i2s_gateway.callers import Caller
from i2s_gateway.fair_slots import FairSlots, Places
from i2s_gateway.guard import GatewayError


async def test_a_caller_that_comes_late_is_served_in_turn() -> None:
    slots, order = FairSlots(1), list[str]()

    async def work(caller: str, name: str) -> None:
        async with slots.of(caller):
            order.append(name)
            await asyncio.sleep(0)

    many = [asyncio.create_task(work("many", f"m{at}")) for at in range(4)]
    await asyncio.sleep(0)
    few = [asyncio.create_task(work("few", f"f{at}")) for at in range(2)]
    await asyncio.gather(*many, *few)
    assert order == ["m0", "m1", "f0", "m2", "f1", "m3"]


async def test_a_slot_is_not_lost_with_a_caller_that_goes_away() -> None:
    slots = FairSlots(1)
    await slots.take("a")
    waiting = [asyncio.create_task(slots.take(name)) for name in ("b", "b", "c")]
    await asyncio.sleep(0)
    waiting[0].cancel()
    slots.give_back("a")
    waiting[1].cancel()  # it was given the slot and has not run since
    done, _ = await asyncio.wait(waiting, timeout=1)
    assert done == set(waiting)
    assert [one.cancelled() for one in waiting] == [True, True, False]
    slots.give_back("c")
    await asyncio.wait_for(slots.take("d"), 1)


async def test_while_others_wait_a_caller_that_keeps_its_slots_gets_no_more_than_its_share() -> None:
    """One over its quota keeps each slot for minutes, in the pauses between attempts."""
    slots, kept = FairSlots(4), list[str]()

    async def keep() -> None:
        await slots.take("over its quota")
        kept.append("slot")

    async def work() -> None:
        async with slots.of("quick"):
            await asyncio.sleep(0)

    quick = [asyncio.create_task(work()) for _ in range(40)]
    await asyncio.sleep(0)
    keeping = [asyncio.create_task(keep()) for _ in range(10)]
    while not all(one.done() for one in quick[:30]):
        await asyncio.sleep(0)
        assert len(kept) <= 2
    await asyncio.gather(*quick)
    assert len(kept) == 4  # nobody else waits
    for one in keeping:
        one.cancel()
    await asyncio.gather(*keeping, return_exceptions=True)


async def test_more_slots_serve_those_that_wait_and_fewer_nobody_until_enough_are_back() -> None:
    slots = FairSlots(1)
    waiting = [asyncio.create_task(slots.take("a")) for _ in range(4)]
    await asyncio.sleep(0)
    slots.resize(3)
    await asyncio.sleep(0)
    assert [one.done() for one in waiting] == [True, True, True, False]
    slots.resize(2)
    slots.give_back("a")
    await asyncio.sleep(0)
    assert not waiting[3].done()
    slots.give_back("a")
    await asyncio.wait_for(waiting[3], 1)


def test_a_caller_leaves_as_many_places_as_it_takes() -> None:
    places = Places(8, 100)
    with places.held(Caller("a", "a"), 4, 10):
        with pytest.raises(GatewayError) as sent_away, places.held(Caller("a", "a"), 1, 10):
            pass
        assert (sent_away.value.http, sent_away.value.retry_after_seconds) == (429, 1.0)
        with places.held(Caller("b", "b"), 2, 10):
            assert places.taken == 6
        with (
            pytest.raises(GatewayError) as large,
            places.held(Caller("b", "b"), 1, 50),
            places.held(Caller("c", "c"), 1, 50),
        ):
            pass
        assert large.value.http == 429
    assert places.taken == 0
    with pytest.raises(GatewayError) as never, places.held(Caller("a", "a"), 5, 10):
        pass
    assert never.value.http == 413


def test_the_time_to_come_back_is_that_of_the_items_that_wait() -> None:
    places = Places(100, 100)
    for second in range(200):
        places.note_done(1.0 + second / 2)
    with (
        places.held(Caller("a", "a"), 50, 1),
        pytest.raises(GatewayError) as sent_away,
        places.held(Caller("a", "a"), 50, 1),
    ):
        pass
    assert sent_away.value.retry_after_seconds == pytest.approx(25.0, rel=0.01)
