"""The order in which the sides of a comparison are measured."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import pytest

from benchmarks.harness.command import MeasurementError
from benchmarks.harness.turns import Spread, in_turns


def recorder(order: list[str], name: str) -> Callable[[int], Awaitable[int]]:
    async def measure(task: int) -> int:
        order.append(f"{name}{task}")
        return task

    return measure


def test_each_time_another_side_begins_and_the_first_round_is_left_out() -> None:
    order: list[str] = []
    ways = {name: recorder(order, name) for name in ("a", "b")}
    measured = asyncio.run(in_turns(ways, {"one": 1}, 2))
    assert order == ["a1", "b1", "b1", "a1", "a1", "b1"]
    assert measured == {"a": {"one": [1, 1]}, "b": {"one": [1, 1]}}


def test_sides_that_differ_end_the_measurement() -> None:
    async def plain(task: int) -> int:
        return task

    async def wrong(task: int) -> int:
        return task + 1

    def check(task: str, values: Mapping[str, int]) -> None:
        if len(set(values.values())) > 1:
            raise MeasurementError(f"{task}: the values differ")

    with pytest.raises(MeasurementError, match="one: the values differ"):
        asyncio.run(in_turns({"plain": plain, "wrong": wrong}, {"one": 1}, 1, check=check))


def test_a_spread_has_median_least_and_greatest() -> None:
    assert Spread.of([3.0, 1.0, 2.0]) == (2.0, 1.0, 3.0)
    assert Spread.of([0.0124, 0.01]).text(1000, 1) == "11.2 (10.0 to 12.4)"
