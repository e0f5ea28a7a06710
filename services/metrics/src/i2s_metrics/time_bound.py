"""Bounds in time of what a process does for us, which a machine with too much to do does not use up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from i2s_chassis.jail.clock import Clock

T = TypeVar("T")

LOOK_SECONDS = 0.5
_LEAST_SECONDS = 0.02  # between two looks, where next to nothing of the bound is left


class ProcessClock:
    """Time of a process, without that in which the machine kept it waiting for a processor."""

    def __init__(self, pid: int) -> None:
        """Begin at 0."""
        self._pid = pid
        self.restart()

    def restart(self) -> None:
        """Begin at 0 again."""
        self._clock = Clock(started := time.monotonic())
        self._clock.look([self._pid], started, at_once=True)  # what it waited before does not count

    def seconds(self) -> float:
        """Return the time since it was started, as for jobs of renderers."""
        self._clock.look([self._pid], now := time.monotonic(), at_once=True)
        return self._clock.seconds(now)


async def within(seconds: float, pid: int, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work that a process does for us.

    Args:
        seconds: Time that the work may take, by the clock of the process.
        pid: The process.
        work: Cancelled if it takes longer, or if this call is cancelled.

    Raises:
        TimeoutError: It took longer.
    """
    clock = ProcessClock(pid)
    task = asyncio.ensure_future(work)
    try:
        left = seconds
        while left > 0:
            await asyncio.wait({task}, timeout=max(_LEAST_SECONDS, min(LOOK_SECONDS, left)))
            if task.done():
                return task.result()
            left = seconds - clock.seconds()
        raise TimeoutError
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
