"""Rewards a second and CPU a reward: isolated services against direct use in the process of a trainer.

Compared, in one run, in turns, on the same completions, for LaTeX, web pages and charts, by one worker and by
two (a worker is a processor: all processes of a side are restricted to as many):

  ours     RoundTripReward of a batch, through services in their sandboxes, which are processes of their own
  direct   ``direct.py``: pdflatex and pdftoppm, Playwright, a Python interpreter as subprocesses, no sandbox;
           a process for each worker, and the same score computed in it. Pages are measured twice: each in a
           fresh page of one browser, and each in a browser of its own

Completions are the ground truths of the examples with a comment that makes each another one, so nothing is
rendered once for two of them; references are decoded once on both sides. Only static sites are among the
pages. The score is EMS. CPU seconds are those of all processes of a side, its own one included. Both sides
have to give the same values (pages within 0.02, since Chromium draws them with other fonts and hinting).

Then the latency of single rewards of LaTeX under 64 callers, and a projection to 64 processors: it is no
measurement (see ``projection``).

SandboxFusion is left out: its server is not on a package index (``sandbox-fusion`` there is the client
alone), and it is started from an image of its own.

The exit code is 0 only if the values agree (else 2) and ours gives at least 4 (LaTeX), 3 (pages) and 6
(charts) times as many rewards for a CPU second as direct use, on the median (else 1: the aims for charts and
for pages in one browser are missed, see benchmarks/README.md).

    python -m benchmarks.rewards.throughput                       # 32 completions of each task; eight minutes
    python -m benchmarks.rewards.throughput --completions 8 --repeat 1 --callers 0
    python -m benchmarks.rewards.throughput --json
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import quantiles
from typing import Any, cast

from benchmarks.harness.command import (
    MeasurementError,
    Result,
    add_repeat,
    command_line,
    finish,
    positive,
    say,
)
from benchmarks.harness.machine import load, look
from benchmarks.harness.meter import Meter, open_meter
from benchmarks.harness.programs import Program, running
from benchmarks.harness.turns import Spread, in_turns
from benchmarks.rewards.kills import CHARTS, RENDERERS, Answer, numbered
from i2s_render_html.chromium import find_chromium
from i2s_sdk import Settings
from i2s_sdk.data import open_data
from i2s_sdk.data.folder import read_content
from i2s_sdk.stack.services import open_services
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import open_task, task_spec
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.task import RenderedTask
from i2s_training import RoundTripReward
from i2s_wire.render.request import SiteSource

#: Pages of which the direct way starts a browser for each, as released code does.
LAUNCHED = "page, browser"
TASKS = ("latex", "webpage", LAUNCHED, "chart")
#: Rewards for a CPU second, as multiples of those of direct use, that were aimed at.
BARS = {"latex": 4.0, "webpage": 3.0, LAUNCHED: 3.0, "chart": 6.0}
#: The most that values of the two sides may differ.
TOLERANCES = {"latex": 1e-9, "webpage": 0.02, LAUNCHED: 0.02, "chart": 1e-9}
METRIC = "ems"
STEP, PROCESSORS = 2048, 64


@dataclass(frozen=True, slots=True)
class Job:
    """A completion, and what the direct way is asked for it."""

    answer: Answer
    direct: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """What one repetition of a side takes, in seconds, and the values that it gives."""

    wall: float
    cpu: float
    values: Sequence[float | None]


def jobs(title: str, number: int) -> list[Job]:
    """Return so many completions of one of TASKS, no two of which are equal."""
    task = "webpage" if title == LAUNCHED else title
    data = open_data(CHARTS if task == "chart" else None)
    known = cast("RenderedTask[Any]", open_task(task))
    own = [(one, read_content(one)) for one in data.instances if one.task == task]
    own = [pair for pair in own if task != "webpage" or "_config.yml" not in (pair[1].site or {})]
    made = []
    for at in range(number):
        instance, content = own[at % len(own)]
        answer = Answer(instance, task_spec(task).answer(content, Question(())))
        answer = replace(answer, completion=numbered(answer, at))
        structure = known.structure_from(answer.completion, [asset.name for asset in instance.assets])
        assert not isinstance(structure, NoStructure), "the ground truth is a structure"
        document = known.document(structure, content.assets)
        request = known.request(document)
        direct: dict[str, Any] = {
            "task": task,
            "launch": title == LAUNCHED,
            "policy": known.size_policy.name,
            "reference": str(instance.image),
            "cut_bottom": request.options.page.cut_bottom if request.options.page else 0.0,
        }
        if isinstance(request.source, SiteSource):
            files = {**request.source.files, **request.source.assets}
            direct["files"] = {name: raw.hex() for name, raw in files.items()}
        else:
            direct["document"] = document.source
        made.append(Job(answer, direct))
    return made


@asynccontextmanager
async def ours(logs: Path) -> AsyncIterator[tuple[RoundTripReward, Meter]]:
    """Have a reward through services of its own, and the meter of their CPU time."""
    meter = open_meter("ours")
    async with AsyncExitStack() as stack:
        needed = ("metrics", *(RENDERERS[task] for task in ("latex", "webpage", "chart")))
        with meter.starting():
            services = await stack.enter_async_context(open_services(Settings(), logs, needed))
        stack.callback(meter.close)
        at = {name: client.address for name, client in services.clients.items()}
        settings = Settings(
            metrics=at["metrics"],
            render_latex=at["render-latex"],
            render_html=at["render-html"],
            render_python=at["render-python"],
        )
        names = ("latex", "webpage", "chart")
        reward = RoundTripReward(weights={METRIC: 1.0}, tasks=names, task="latex", settings=settings)
        try:
            yield reward, meter
        finally:
            await asyncio.to_thread(reward.close)


async def by_ours(reward: RoundTripReward, meter: Meter, wanted: Sequence[Job]) -> Taken:
    """Reward completions in one batch."""
    cpu, wall = await meter.settled() + time.process_time(), time.perf_counter()
    rewards = await reward.judged_async(
        [one.answer.completion for one in wanted], {"instance": [one.answer.instance for one in wanted]}
    )
    seconds = time.perf_counter() - wall
    for one in rewards:
        if one.error is not None:
            raise MeasurementError(one.error.message)
    values = [one.result.metrics[METRIC] if one.result is not None else None for one in rewards]
    return Taken(seconds, await meter.settled() + time.process_time() - cpu, values)


async def by_direct(programs: Sequence[Program], meter: Meter, wanted: Sequence[Job]) -> Taken:
    """Reward completions by programs that take one after the other."""
    values: list[float | None] = [None] * len(wanted)
    waiting = iter(range(len(wanted)))

    async def work(program: Program) -> None:
        for at in waiting:
            said = await program.ask(wanted[at].direct)
            if "error" in said:
                raise MeasurementError(f"{wanted[at].answer.instance.id}, direct: {said['error']}")
            values[at] = said["value"]

    cpu, wall = await meter.settled(), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for program in programs:
            group.create_task(work(program))
    seconds = time.perf_counter() - wall
    return Taken(seconds, await meter.settled() - cpu, values)


def require_same(task: str, taken: Mapping[str, Taken]) -> None:
    """Raise MeasurementError if the two sides do not give the same values."""
    pairs = zip(taken["ours"].values, taken["direct"].values, strict=True)
    for at, (mine, theirs) in enumerate(pairs):
        if mine is None or theirs is None or abs(mine - theirs) > TOLERANCES[task]:
            raise MeasurementError(f"{task} {at}: ours gives {mine!r}, direct use {theirs!r}")


async def measured(
    logs: Path, wanted: Mapping[str, Sequence[Job]], workers: int, repeat: int, callers: int
) -> tuple[dict[str, dict[str, list[Taken]]], list[float]]:
    """Return what both sides take with so many processors, and latencies of single rewards."""
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, processors[:workers])
    chromium = str(find_chromium(None).program)
    try:
        async with AsyncExitStack() as stack:
            reward, own = await stack.enter_async_context(ours(logs))
            meter, programs = open_meter("direct"), []
            stack.callback(meter.close)
            for _ in range(workers):
                direct = running("rewards.direct", chromium, counted=meter.starting())
                program = await stack.enter_async_context(direct)
                meter.adopt(program.pid)
                await program.read()
                programs.append(program)
            sides = {
                "ours": lambda some: by_ours(reward, own, some),
                "direct": lambda some: by_direct(programs, meter, some),
            }
            taken = await in_turns(sides, wanted, repeat, unmeasured=1, check=require_same)
            waits = await latencies(reward, wanted["latex"], callers) if callers and workers > 1 else []
    finally:
        os.sched_setaffinity(0, processors)
    return taken, waits


async def latencies(reward: RoundTripReward, wanted: Sequence[Job], callers: int) -> list[float]:
    """Return the seconds that single rewards take while so many callers ask for one after the other."""
    say(f"single rewards, {callers} callers")
    waits: list[float] = []

    async def caller(number: int) -> None:
        for round_ in range(2):
            job = wanted[(2 * number + round_) % len(wanted)]
            text = numbered(job.answer, 10_000 + 2 * number + round_)
            began = time.perf_counter()
            await reward.judged_async([text], {"instance": [job.answer.instance]})
            waits.append(time.perf_counter() - began)

    await asyncio.gather(*(caller(number) for number in range(callers)))
    return waits


@dataclass(frozen=True, slots=True)
class Projection:
    """What a step would take on many processors, if the measured scaling went on; not measured."""

    #: Rewards a second.
    rate: float
    #: Seconds for a step.
    step_seconds: float
    #: What bounds it: "services", or "the trainer's process".
    bottleneck: str


def projection(one: float, two: float, own_cpu: float) -> Projection:
    """Return the projection of a task to PROCESSORS processors.

    By Amdahl's law the part of the work that does not run at the same time is f = 2 / s - 1, where s is the
    rate with two workers by that with one, and the rate with n is r / (f + (1 - f) / n). The trainer's
    process is one: it gives at most 1 / c rewards a second if a reward takes it c CPU seconds.

    Args:
        one: Rewards a second with one worker.
        two: Rewards a second with two workers.
        own_cpu: CPU seconds that a reward takes the trainer's process.
    """
    serial = min(1.0, max(0.0, 2 * one / two - 1))
    rates = {
        "services": one / (serial + (1 - serial) / PROCESSORS),
        "the trainer's process": 1 / own_cpu if own_cpu else float("inf"),
    }
    name = min(rates, key=lambda each: rates[each])
    return Projection(rates[name], STEP / rates[name], name)


async def own_seconds(logs: Path, wanted: Sequence[Job]) -> float:
    """Return the CPU seconds that a reward takes the trainer's process."""
    async with ours(logs) as (reward, _):
        before = time.process_time()
        await reward.judged_async(
            [one.answer.completion for one in wanted], {"instance": [one.answer.instance for one in wanted]}
        )
        return (time.process_time() - before) / len(wanted)


async def run(logs: Path, number: int, repeat: int, callers: int) -> Result:
    """Measure both sides.

    Raises:
        MeasurementError: They do not give the same values.
    """
    before = load()
    wanted = {task: jobs(task, number) for task in TASKS}
    by_workers, waits = {}, []
    for workers in (1, 2):
        say(f"{workers} of 2 workers")
        by_workers[workers], more = await measured(logs, wanted, workers, repeat, callers)
        waits += more
    own = {task: await own_seconds(logs, wanted[task]) for task in TASKS}
    return _result(by_workers, own, waits, number, before)


def _result(
    by_workers: Mapping[int, Mapping[str, Mapping[str, Sequence[Taken]]]],
    own: Mapping[str, float],
    waits: Sequence[float],
    number: int,
    before: float,
) -> Result:
    machine = list(look({}, {}, before).lines())
    lines = [
        *machine,
        f"{number} completions a batch",
        _row("", "workers", "ours /s", "direct /s", "ours CPU s", "direct CPU s", "times"),
    ]
    document: dict[str, Any] = {"machine": machine, "completions": number, "bars": BARS, "tasks": {}}
    holds = True
    for task in TASKS:
        rates, ratios = {}, {}
        for workers, taken in by_workers.items():
            rate = {side: Spread.of(number / one.wall for one in taken[side][task]) for side in taken}
            cpu = {side: Spread.of(one.cpu / number for one in taken[side][task]) for side in taken}
            rates[workers] = rate["ours"].median
            ratios[workers] = cpu["direct"].median / cpu["ours"].median
            lines.append(
                _row(
                    task,
                    str(workers),
                    rate["ours"].text(digits=1),
                    rate["direct"].text(digits=1),
                    cpu["ours"].text(digits=3),
                    cpu["direct"].text(digits=3),
                    f"{ratios[workers]:.1f}",
                )
            )
            document["tasks"].setdefault(task, {})[workers] = {
                "rate": {side: one._asdict() for side, one in rate.items()},
                "cpu": {side: one._asdict() for side, one in cpu.items()},
                "times": ratios[workers],
            }
        made = projection(rates[1], rates[2], own[task])
        document["tasks"][task] |= {"own_cpu": own[task], "projection": asdict(made)}
        holds = holds and min(ratios.values()) >= BARS[task]
        lines.append(
            f"  bar {BARS[task]:g}; projected, not measured: {STEP} rewards on {PROCESSORS} processors in "
            f"{made.step_seconds:.0f} s, bounded by {made.bottleneck}"
        )
    if waits:
        cuts = quantiles(waits, n=100)
        document["latency"] = {"p50": cuts[49], "p99": cuts[98], "n": len(waits)}
        shown = f"p50 {cuts[49]:.2f} s, p99 {cuts[98]:.2f} s, n={len(waits)}"
        lines.append(f"single rewards of LaTeX, two workers: {shown}")
    return Result(document, lines, 0 if holds else 1)


def _row(*cells: str) -> str:
    return f"{cells[0]:14}" + "".join(f"{cell:>24}" for cell in cells[1:])


def main() -> int:
    """Return 0 if the claims hold, 1 if they do not, 2 if the sides differ."""
    parser = command_line("rewards.throughput", __doc__)
    add = parser.add_argument
    add("--completions", type=positive, default=32, metavar="N", help="of each task (default: 32)")
    add("--callers", type=int, default=64, metavar="N", help="of single rewards; 0 for none (default: 64)")
    add_repeat(parser, 3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="i2s-benchmark-") as logs:
        return finish(
            given, lambda: asyncio.run(run(Path(logs), given.completions, given.repeat, given.callers))
        )


if __name__ == "__main__":
    raise SystemExit(main())
