"""The way of this project: `evaluate` through running services, with everything counted, and its latency."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.harness.command import MeasurementError, say
from benchmarks.harness.meter import open_meter
from benchmarks.harness.programs import Program, running
from benchmarks.whole_run.evaluation import Options
from benchmarks.whole_run.report import INSTANCES, Cost, Costs
from benchmarks.whole_run.samples import Sample
from benchmarks.whole_run.stack import Stack
from i2s_client import AsyncMetricsClient, AsyncRenderClient
from i2s_client.service_table import METRICS, RENDERERS, renderer_of
from i2s_wire.metrics.profile import Profile
from i2s_wire.renderers import RENDER_HTML

#: The stage that is the evaluating process: model, wire, run folder.
EVALUATION = "evaluation"
#: The stages of the floor. What engines use a service charges its callers with: TeX, LilyPond, Ghostscript,
#: and the crop. Not so for web pages: a browser also closes and opens pages between two jobs, and Ruby loads
#: Jekyll for the next site. There it is what all processes of the renderer use less its server, Playwright's
#: driver and the supervisors; a supervisor that ended with its site is part of it. Metrics are what the
#: worker of the metric service used for the pairs. The remainder of a run is the overhead of this project:
#: servers, sandboxes, the wire, the run folder, the report.
ENGINE, SCORES = "engine", "metrics"
_PAGES = "webpage"
COMPARED = ("ems", "pixel", "ssim")
_DEADLINE = 120.0


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What an evaluation of a model took."""

    costs: Mapping[str, Cost]  #: Costs by task; the stages are the services and the evaluating process.
    #: CPU seconds of the evaluating process that do not grow with the samples: start, plan, worker processes
    #: of scorers, and that part of numbers and report.
    fixed: float
    floor: Costs  #: CPU seconds of engines and of metrics alone, by task; see ``ENGINE`` and ``SCORES``.
    #: What became of each sample, by id: "rendered", "values", "picture".
    outcomes: Mapping[str, Mapping[str, Any]]


async def evaluated(stack: Stack, folder: Path, model: str, profile: Profile, caches: Path) -> Evaluated:
    """Evaluate one of the models on all tasks.

    Args:
        stack: The services.
        folder: Holds the data set and the answers; see ``lay_down``.
        model: Name of the model.
        profile: Profile whose rules are followed.
        caches: Folder of the caches of the SDK. A second evaluation profits from those of the first.

    Raises:
        MeasurementError: The evaluation failed.
    """
    name = f"{profile}-{model}-{stack.workers}"
    options = Options(
        data=str(folder / "data"),
        answers=str(folder / f"{model}.jsonl"),
        out=str(folder / "runs" / name),
        profile=str(profile),
        tasks=list(INSTANCES),
        jobs=stack.workers,
        addresses=dict(stack.addresses),
    )
    meter = open_meter(EVALUATION)
    try:
        environment = {"XDG_CACHE_HOME": str(caches)}
        text = json.dumps(asdict(options))
        async with running(
            "whole_run.evaluation", text, counted=meter.starting(), environment=environment
        ) as program:
            meter.adopt(program.pid)
            title = f"{stack.workers} worker(s), profile {profile}, {model} model"
            following = _Following(program, stack, meter.settled, title)
            outcomes = await following.to_the_end()
            await program.end()
            fixed = meter.cpu_seconds() - following.inside
            return Evaluated(following.costs, fixed, following.floor, outcomes)
    finally:
        meter.close()


@dataclass(frozen=True, slots=True)
class _Look:
    """All meters at a moment when no sample is under way."""

    spent: Mapping[str, float]  #: CPU seconds so far of the services and the evaluating process, by name.
    charged: Mapping[str, float]  #: CPU seconds that the services have charged so far, by name.
    #: CPU seconds so far of each process of the renderer of pages that is no engine, by pid.
    beside: Mapping[int, float]


class _Following:
    """Reads the meters around the samples of each task of an evaluation."""

    def __init__(
        self, program: Program, stack: Stack, own: Callable[[], Awaitable[float]], title: str
    ) -> None:
        self.costs: dict[str, Cost] = {}
        self.floor: dict[str, Cost] = {}
        self.inside = 0.0
        self._program, self._stack, self._own = program, stack, own
        self._title = title
        self._single: dict[str, float] = {}

    async def to_the_end(self) -> dict[str, Mapping[str, Any]]:
        """Follow the evaluation, and return what became of each sample."""
        before = _Look({}, {}, {})
        while True:
            line = await self._program.read()
            match line["at"]:
                case "begin":
                    before = await self._look()
                    await self._program.write()
                case "single end":
                    self._end_single(line["task"], before, await self._look())
                    await self._program.write()
                case "end":
                    self._end(line, before, await self._look())
                    await self._program.write()
                case "sample":
                    say(f"{self._title}: {line['finished']} samples")
                case _:
                    return {outcome["id"]: outcome for outcome in line["outcomes"]}

    async def _look(self) -> _Look:
        spent = {**await self._stack.rested(), EVALUATION: await self._own()}
        return _Look(spent, self._stack.charged(), self._stack.beside_engines(RENDER_HTML.name))

    def _end_single(self, task: str, before: _Look, after: _Look) -> None:
        self._single[task] = _spent(before.spent, after.spent)[EVALUATION]
        self.inside += self._single[task]

    def _end(self, line: Mapping[str, Any], before: _Look, after: _Look) -> None:
        task, samples = line["task"], line["samples"]
        spent = _spent(before.spent, after.spent)
        own = of_samples(spent[EVALUATION], self._single[task], samples)
        self.costs[task] = Cost(samples, {**spent, EVALUATION: own}, line["wall"])
        self.inside += own
        charged = _spent(before.charged, after.charged)
        scores = charged.pop(METRICS)
        engine = sum(charged.values())
        if task == _PAGES:
            beside = sum(used - before.beside.get(pid, 0.0) for pid, used in after.beside.items())
            engine = spent[RENDER_HTML.name] - beside
        self.floor[task] = Cost(samples, {ENGINE: engine, SCORES: scores}, line["wall"])


def _spent(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {name: seconds - before[name] for name, seconds in after.items()}


def of_samples(all_of_them: float, single: float, samples: int) -> float:
    """Return the CPU seconds of the samples of an evaluation, without what it does once.

    Args:
        all_of_them: CPU seconds of an evaluation.
        single: CPU seconds of one with a single sample.
        samples: Number of samples of the former; of a single one, what it does once is not known.
    """
    if samples == 1:
        return all_of_them
    return max(0.0, all_of_them - single) * samples / (samples - 1)


async def latencies(stack: Stack, samples: Sequence[Sample]) -> dict[str, float]:
    """Render and score the second model's answers one at a time; returns the mean seconds by task.

    Raises:
        MeasurementError: An answer was not rendered.
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
        raise MeasurementError(f"{sample.id}: {answer.verdict.name}: {answer.message}")
    await metrics.score(
        sample.reference.read_bytes(),
        answer.pictures[0].png,
        size_policy=sample.size_policy,
        profile=Profile.PAPER,
        metrics=COMPARED,
    )
    return time.monotonic() - began
