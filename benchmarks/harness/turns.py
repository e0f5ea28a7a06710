"""Measuring the sides of a comparison in turns, so that noise of the machine hits all alike."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple, TypeVar

from benchmarks.harness.command import say

T = TypeVar("T")
M = TypeVar("M")


class Spread(NamedTuple):
    """Values of repetitions: median, least and greatest."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Return that of some values."""
        known = list(values)
        return cls(median(known), min(known), max(known))

    def text(self, scale: float = 1.0, digits: int = 0) -> str:
        """Return it for people, each value multiplied by ``scale``."""
        middle, least, most = (
            f"{scale * one:.{digits}f}" for one in (self.median, self.least, self.greatest)
        )
        return f"{middle} ({least} to {most})"


async def in_turns(
    variants: Mapping[str, Callable[[T], Awaitable[M]]],
    tasks: Mapping[str, T],
    repeat: int,
    *,
    unmeasured: int = 1,
    check: Callable[[str, Mapping[str, M]], None] = lambda task, measured: None,
) -> dict[str, dict[str, list[M]]]:
    """Do every task by every variant, one at a time, each time beginning with another variant.

    Args:
        variants: Functions by the names of their sides; each does a task and returns its measurement.
        tasks: The tasks by name.
        repeat: Number of repetitions.
        unmeasured: Rounds at the beginning that are left out; they fill the caches of the machine.
        check: Called after each round of a task with its name and what each variant gave.

    Returns:
        What was measured, by variant and task.
    """
    kept: dict[str, dict[str, list[M]]] = {name: {task: [] for task in tasks} for name in variants}
    names = list(variants)
    for number in range(unmeasured + repeat):
        for place, (task, content) in enumerate(tasks.items()):
            say(f"round {number + 1 - unmeasured} of {repeat}: {task}")
            first = (number + place) % len(names)
            measured = {name: await variants[name](content) for name in (*names[first:], *names[:first])}
            check(task, measured)
            if number >= unmeasured:
                for name, one in measured.items():
                    kept[name][task].append(one)
    return kept


async def timed(work: Awaitable[T]) -> tuple[float, T]:
    """Return the seconds of wall time that some work takes, and its result."""
    began = time.monotonic()
    result = await work
    return time.monotonic() - began, result


async def at_once(work: Callable[[T], Awaitable[object]], tasks: Iterable[T], slots: int) -> None:
    """Do all tasks, so many at the same time."""
    waiting = iter(tasks)

    async def one_after_another() -> None:
        for task in waiting:
            await work(task)

    async with asyncio.TaskGroup() as group:
        for _ in range(slots):
            group.create_task(one_after_another())


def row(title: str, cells: Sequence[str], first: int, width: int) -> str:
    """Return a row of a table of fixed width: a title, and cells at the right of their columns."""
    return f"{title:<{first}}" + "".join(f"{cell:>{width}}" for cell in cells)
