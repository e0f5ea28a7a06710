"""The bound of a comparison in time, which a machine with too much to do does not use up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from i2s_chassis.jail.clock import Clock

T = TypeVar("T")

_LOOK_SECONDS = 0.5
_LEAST_SECONDS = 0.02  # between two looks, where next to nothing of the bound is left


async def within(seconds: float, pid: int, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work that a process does for us.

    Time in which the process was ready to compute and the machine kept it waiting for a processor does not
    count, as for jobs of renderers.

    Args:
        seconds: Time that the work may take.
        pid: The process.
        work: Cancelled if it takes longer, or if this call is cancelled.

    Raises:
        TimeoutError: It took longer.
    """
    clock = Clock(started := time.monotonic())
    clock.look([pid], started, at_once=True)  # what it waited before does not count
    task = asyncio.ensure_future(work)
    try:
        left = seconds
        while left > 0:
            await asyncio.wait({task}, timeout=max(_LEAST_SECONDS, min(_LOOK_SECONDS, left)))
            if task.done():
                return task.result()
            clock.look([pid], now := time.monotonic(), at_once=True)
            left = seconds - clock.seconds(now)
        raise TimeoutError
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
