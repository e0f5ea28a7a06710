"""One sample at a time through the clients: how long it takes from the document to the scores."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from statistics import mean

from benchmarks.harness.command import say
from benchmarks.whole_run.figures import INSTANCES
from benchmarks.whole_run.samples import Sample
from benchmarks.whole_run.stack import Stack
from i2s_sdk.clients import AsyncMetricsClient, AsyncRenderClient
from i2s_sdk.service_table import RENDERERS, renderer_of
from i2s_wire.metrics.profile import Profile

METRICS = ("ems", "pixel", "ssim")
_DEADLINE = 120.0


class NotRenderedError(Exception):
    """An answer was not rendered, so there is nothing to time; says why."""


async def latencies(stack: Stack, samples: Sequence[Sample]) -> dict[str, float]:
    """Render and score the second model's answers one at a time; returns the mean seconds by task.

    Raises:
        NotRenderedError: An answer was not rendered.
        I2SError: A service does not answer.
    """
    times: dict[str, list[float]] = {task: [] for task in INSTANCES}
    async with AsyncExitStack() as opened:
        renderers = {
            name: await opened.enter_async_context(
                AsyncRenderClient(stack.addresses[name.replace("-", "_")], deadline=_DEADLINE)
            )
            for name in RENDERERS
            if name.replace("-", "_") in stack.addresses
        }
        metrics = await opened.enter_async_context(
            AsyncMetricsClient(stack.addresses["metrics"], deadline=_DEADLINE)
        )
        for number, sample in enumerate(samples, 1):
            say(f"one at a time: {number} of {len(samples)}, {sample.id}")
            await stack.rested()  # as between the jobs of a service with time to spare
            times[sample.task].append(await _one(renderers, metrics, sample))
    return {task: mean(of) for task, of in times.items() if of}


async def _one(renderers: dict[str, AsyncRenderClient], metrics: AsyncMetricsClient, sample: Sample) -> float:
    began = time.monotonic()
    answer = await renderers[renderer_of(sample.request.source)].render(sample.request)
    if not answer.pictures:
        raise NotRenderedError(f"{sample.id}: {answer.verdict.name}: {answer.message}")
    await metrics.score(
        sample.reference.read_bytes(),
        answer.pictures[0].png,
        size_policy=sample.size_policy,
        profile=Profile.PAPER,
        metrics=METRICS,
    )
    return time.monotonic() - began
