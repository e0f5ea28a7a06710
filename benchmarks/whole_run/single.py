"""One sample at a time through the clients: latency, and the floor.

The floor is the time of engines and metrics alone. An engine's time is what the stages of a rendering used
(TeX, LilyPond, Ghostscript, the crop), as the renderer reports it; that of the metrics is what the worker of
the metric service used for the pair. The remainder of a run is the overhead of this project: servers,
sandboxes, the wire, the run folder.

A browser also works between two jobs: it closes a page and opens the next one, and Ruby loads Jekyll for the
next site. No stage contains that, so the engine of web pages is measured in the run itself
(``ours.Evaluated.engines``).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from benchmarks.whole_run.figures import INSTANCES, Cost, Costs
from benchmarks.whole_run.ours import Say
from benchmarks.whole_run.samples import Sample
from benchmarks.whole_run.stack import Stack
from i2s_sdk.clients import AsyncMetricsClient, AsyncRenderClient
from i2s_sdk.service_table import RENDERERS, renderer_of
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import RenderRequest

METRICS = ("ems", "pixel", "ssim")
#: The stages of the floor.
ENGINE, SCORES = "engine", "metrics"
_DEADLINE = 120.0


class NotRenderedError(Exception):
    """An answer was not rendered, so there is nothing to time; says why."""


@dataclass(frozen=True, slots=True)
class Times:
    """What one sample takes.

    Attributes:
        engine: CPU seconds of the engine for the answer.
        metrics: CPU seconds of the metrics.
        wall: Seconds from the document to the scores.
    """

    engine: float
    metrics: float
    wall: float


async def one_at_a_time(stack: Stack, samples: Sequence[Sample], say: Say) -> Costs:
    """Render and score the second model's answers one at a time; returns the floor and the latency by task.

    Raises:
        NotRenderedError: An answer was not rendered.
        I2SError: A service does not answer.
    """
    times: dict[str, list[Times]] = {task: [] for task in INSTANCES}
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
    return {task: _cost(of) for task, of in times.items() if of}


async def _one(renderers: dict[str, AsyncRenderClient], metrics: AsyncMetricsClient, sample: Sample) -> Times:
    async def render(request: RenderRequest) -> Rendering:
        rendering = await renderers[renderer_of(request.source)].render(request)
        if not rendering.pictures:
            raise NotRenderedError(f"{sample.id}: {rendering.verdict.name}: {rendering.message}")
        return rendering

    began = time.monotonic()
    answer = await render(sample.request)
    score = await metrics.score(
        sample.reference.read_bytes(),
        answer.pictures[0].png,
        size_policy=sample.size_policy,
        profile=Profile.PAPER,
        metrics=METRICS,
    )
    wall = time.monotonic() - began
    return Times(_engine(answer), score.cpu_seconds, wall)


def _engine(rendering: Rendering) -> float:
    return sum(stage.usage.cpu_seconds for stage in rendering.stages if stage.name != "queue")


def _cost(times: Sequence[Times]) -> Cost:
    stages = {ENGINE: sum(one.engine for one in times), SCORES: sum(one.metrics for one in times)}
    return Cost(len(times), stages, sum(one.wall for one in times))


def with_engines(costs: Costs, engines: Mapping[str, float]) -> dict[str, Cost]:
    """Return the floor with engines that were measured in a run of the same samples.

    Args:
        costs: Result of ``one_at_a_time``.
        engines: CPU seconds of the engine for all samples of a task, by task; other tasks stay as they are.
    """
    found = {}
    for task, cost in costs.items():
        engine = engines.get(task, cost.cpu_seconds[ENGINE])
        found[task] = replace(cost, cpu_seconds={**cost.cpu_seconds, ENGINE: engine})
    return found
