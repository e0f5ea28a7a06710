"""Many samples at once, a bounded number in flight."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from i2s_sdk.data.instance import Instance
from i2s_sdk.runs.record import Record


async def run_samples(
    instances: Iterable[Instance],
    sample: Callable[[Instance], Awaitable[Record]],
    keep: Callable[[Record], None],
    jobs: int,
) -> None:
    """Take instances through ``sample`` and hand every record to ``keep`` as soon as it is there.

    What is in flight when this is cancelled, or when something is raised, is given up and not kept.

    Args:
        instances: Taken one by one as places become free.
        sample: Takes one instance through all stages.
        keep: Called once for each sample, in order of completion.
        jobs: Samples in flight, at least 1.

    Raises:
        Exception: What ``sample`` or ``keep`` raised first.
    """
    waiting = iter(instances)

    async def work() -> None:
        for instance in waiting:
            keep(await sample(instance))

    workers = [asyncio.create_task(work()) for _ in range(jobs)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
