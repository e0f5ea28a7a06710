"""One sample at a time through the clients: latency, and the floor.

The floor is the time of engines and metrics alone. An engine's time is what the stages of a rendering used
(TeX, LilyPond, Ghostscript, the browser, the crop), as the renderer reports it; that of the metrics is what
the worker of the metric service used for the pair. The remainder of a run is the overhead of this project:
servers, sandboxes, the wire, the run folder.

A browser also works between two jobs: it closes a page and opens the next one, and Ruby loads Jekyll for the
next site. No stage contains that, so the engine of web pages is what all processes of its renderer use, less
its server, Playwright's driver and the supervisors (``Stack.beside_engines``).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from benchmarks.whole_run.figures import INSTANCES, Cost, Costs
from benchmarks.whole_run.ours import Say
from benchmarks.whole_run.samples import Sample
from benchmarks.whole_run.stack import Stack
from i2s_sdk.clients import AsyncMetricsClient, AsyncRenderClient
from i2s_sdk.service_table import RENDER_HTML, RENDERERS, renderer_of
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import RenderRequest

METRICS = ("ems", "pixel", "ssim")
#: The stages of the floor. A second model does not need ``TRUTH``, the rendering of the ground truth.
ENGINE, TRUTH, SCORES = "engine", "engine, ground truth", "metrics"
_DEADLINE = 120.0


class NotRenderedError(Exception):
    """An answer was not rendered, so there is nothing to time; says why."""


@dataclass(frozen=True, slots=True)
class Times:
    """What one sample takes.

    Attributes:
        engine: CPU seconds of the engine for the answer.
        truth: CPU seconds of the engine for the ground truth; 0 if it is not rendered.
        metrics: CPU seconds of the metrics.
        wall: Seconds from the document to the scores.
    """

    engine: float
    truth: float
    metrics: float
    wall: float

    def with_engines(self, seconds: float) -> Times:
        """Return the same with so many CPU seconds of engines, shared in the same proportion."""
        reported = self.engine + self.truth
        if not reported:
            return self
        return replace(self, engine=seconds * self.engine / reported, truth=seconds * self.truth / reported)


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
            before = await stack.rested()  # as between the jobs of a service with time to spare
            beside = stack.beside_engines(RENDER_HTML)
            one = await _one(renderers, metrics, sample)
            if sample.task == "webpage":
                spent = (await stack.rested())[RENDER_HTML] - before[RENDER_HTML]
                now = stack.beside_engines(RENDER_HTML)
                one = one.with_engines(spent - sum(used - beside.get(pid, 0.0) for pid, used in now.items()))
            times[sample.task].append(one)
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
    truth = await render(sample.truth) if sample.truth is not None else None
    return Times(_engine(answer), _engine(truth) if truth else 0.0, score.cpu_seconds, wall)


def _engine(rendering: Rendering) -> float:
    return sum(stage.usage.cpu_seconds for stage in rendering.stages if stage.name != "queue")


def _cost(times: Sequence[Times]) -> Cost:
    stages = {
        ENGINE: sum(one.engine for one in times),
        TRUTH: sum(one.truth for one in times),
        SCORES: sum(one.metrics for one in times),
    }
    return Cost(len(times), stages, sum(one.wall for one in times))


def without_truth(costs: Costs) -> dict[str, Cost]:
    """Return the floor of a second model on known data: the ground truth was rendered for the first one."""
    return {
        task: Cost(
            cost.samples,
            {name: seconds for name, seconds in cost.cpu_seconds.items() if name != TRUTH},
            cost.wall_seconds,
        )
        for task, cost in costs.items()
    }
