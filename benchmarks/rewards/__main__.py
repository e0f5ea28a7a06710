"""Rewards for training: a batch through the reward function against the same calls of the services directly.

Compared, in one run, in turns, on the same completions and services, which are processes of their own:

  direct    AsyncRenderClient.render and AsyncMetricsClient.score for each completion, with the documents made
            before the clock starts; as many at once as the reward function has under way
  batch     RoundTripReward called with the whole batch, as TRL does
  each      VerlReward.compute_score awaited for each completion by itself, as verl does

The completions are the bundled instances of the task latex, each changed so that no two are equal; every
eighth does not compile. The metric is EMS alone. Measured are wall time and the CPU time of this process,
which is what a trainer pays beside the services. The reward function repairs answers that do not compile,
which the direct calls do not, so it renders a little more. The exit code is 0 only if all give the same
rewards (else 2) and a completion of the batch takes at most 5 ms of CPU time more than directly, on the
median (else 1).

    python -m benchmarks.rewards                      # 512 completions a batch, three repetitions
    python -m benchmarks.rewards --completions 64 --repeat 1
    python -m benchmarks.rewards --json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from benchmarks.harness.machine import load, look
from i2s_sdk import RoundTripReward, Settings, VerlReward
from i2s_sdk.data import Instance, open_data
from i2s_sdk.data.content import read_content
from i2s_sdk.stack.services import Services, open_services
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.render.request import RenderRequest

#: The most CPU time of this process that a completion may take more than by direct calls, in milliseconds.
MOST_MORE = 5.0
TASK, METRIC = "latex", "ems"
Rewards = list[float | None]
#: One completion of so many does not compile.
BROKEN_EVERY = 8


class DifferentError(Exception):
    """The ways do not give the same rewards."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A completion and what it is compared with."""

    instance: Instance  #: The instance that all completions answer.
    completion: str  #: What a model might have said.
    request: RenderRequest  #: Request for the document that is made of it.
    reference: bytes  #: The picture of the instance, encoded.


@dataclass(frozen=True, slots=True)
class Way:
    """What one way of a reward takes, for each repetition."""

    wall: list[float]  #: Wall time of each repetition, in seconds.
    cpu: list[float]  #: Seconds of this process.


@dataclass(frozen=True, slots=True)
class Figures:
    """What all ways take."""

    ways: dict[str, Way]  #: Ways by name.
    completions: int  #: Completions in a batch.
    at_once: int  #: Completions under way.

    def ratio(self, name: str) -> float:
        """Return how many times longer a way takes than the direct calls, on the medians of wall time."""
        return statistics.median(self.ways[name].wall) / statistics.median(self.ways["direct"].wall)

    def overhead(self, name: str) -> float:
        """Return milliseconds of CPU time of this process that a completion takes more than directly."""
        more = statistics.median(self.ways[name].cpu) - statistics.median(self.ways["direct"].cpu)
        return 1000 * more / self.completions


def samples(number: int) -> list[Sample]:
    """Return so many completions, no two of which are equal."""
    task = cast("RenderedTask[Any]", open_task(TASK))
    own = [one for one in open_data(None).instances if one.task == TASK and one.structure is not None]
    made = []
    for at in range(number):
        instance = own[at % len(own)]
        content = read_content(instance)
        code = (content.structure or "") + f"\n% {at}\n"
        if at % BROKEN_EVERY == BROKEN_EVERY - 1:
            code = f"\\begin{{equation}} x_{{{at}}} = \\frac{{1}}{{ \\end{{equation}}"
        completion = f"```latex\n{code}\n```"
        structure = task.structure_from(completion, ())
        assert not isinstance(structure, NoStructure), "a fenced block is a structure"
        request = task.request(task.document(structure, {}))
        made.append(Sample(instance, completion, replace(request, id=str(at)), content.reference))
    return made


async def directly(services: Services, wanted: list[Sample], at_once: int) -> Rewards:
    """Return the values of completions by calls of the services; 0 if there is no picture."""
    slots = asyncio.Semaphore(at_once)
    task = cast("RenderedTask[Any]", open_task(TASK))
    renderer, comparer = services.renderers["render-latex"], services.metrics
    assert comparer is not None, "it was asked for"

    async def one(sample: Sample) -> float | None:
        async with slots:
            rendering = await renderer.render(sample.request)
            if not rendering.verdict.has_picture:
                return 0.0
            score = await comparer.score(
                sample.reference,
                rendering.pictures[0].png,
                size_policy=task.size_policy,
                profile=task.profile,
                metrics=(METRIC,),
            )
            return float(score.values[METRIC])

    return list(await asyncio.gather(*(one(sample) for sample in wanted)))


async def in_a_batch(reward: RoundTripReward, wanted: list[Sample]) -> Rewards:
    """Return the rewards of completions by one call."""
    return await reward.call_async(
        None, [one.completion for one in wanted], instance=[one.instance for one in wanted]
    )


async def each(reward: VerlReward, wanted: list[Sample]) -> Rewards:
    """Return the rewards of completions by a call for each."""
    calls = (reward.compute_score("", one.completion, "", {"instance": one.instance.id}) for one in wanted)
    return [float(found["score"]) for found in await asyncio.gather(*calls)]


async def measure(logs: Path, number: int, repeat: int) -> tuple[Figures, dict[str, str]]:
    """Reward all completions in each way in turns.

    Raises:
        DifferentError: They do not agree.
    """
    wanted = samples(number)
    async with open_services(Settings(), logs, ("metrics", "render-latex")) as services:
        about = await services.renderers["render-latex"].describe()
        at_once = max(2, 2 * about.slots)
        named = {name.replace("-", "_"): client.address for name, client in services.clients.items()}
        settings = Settings(metrics=named["metrics"], render_latex=named["render_latex"])
        reward = RoundTripReward(weights={METRIC: 1.0}, settings=settings)
        ways: dict[str, Callable[[], Awaitable[Rewards]]] = {
            "direct": lambda: directly(services, wanted, at_once),
            "batch": lambda: in_a_batch(reward, wanted),
            "each": lambda: each(VerlReward(reward), wanted),
        }
        taken = {name: Way([], []) for name in ways}
        try:
            for way in ways.values():  # connections and first jobs
                await _first(way, wanted)
            for _ in range(repeat):
                found = {}
                for name, way in ways.items():
                    wall, cpu = time.perf_counter(), time.process_time()
                    found[name] = await way()
                    taken[name].wall.append(time.perf_counter() - wall)
                    taken[name].cpu.append(time.process_time() - cpu)
                _require_same(found)
        finally:
            await asyncio.to_thread(reward.close)
        return Figures(taken, number, at_once), dict(about.versions)


async def _first(way: Callable[[], Awaitable[Rewards]], wanted: list[Sample]) -> None:
    kept, wanted[:] = list(wanted), wanted[:8]
    try:
        await way()
    finally:
        wanted[:] = kept


def _require_same(found: dict[str, Rewards]) -> None:
    for name, values in found.items():
        for at, pair in enumerate(zip(values, found["direct"], strict=True)):
            if pair[0] != pair[1]:
                raise DifferentError(f"completion {at}: {name} gives {pair[0]!r}, direct {pair[1]!r}")


def shown(figures: Figures) -> str:
    """Return the figures for people."""
    lines = [
        f"{figures.completions} completions a batch, {figures.at_once} at once",
        f"{'':8} {'wall s':>24} {'CPU ms a completion':>24} {'wall / direct':>14}",
    ]
    for name, way in figures.ways.items():
        wall = f"{statistics.median(way.wall):.1f} ({min(way.wall):.1f} to {max(way.wall):.1f})"
        each_ms = [1000 * one / figures.completions for one in way.cpu]
        cpu = f"{statistics.median(each_ms):.2f} ({min(each_ms):.2f} to {max(each_ms):.2f})"
        lines.append(f"{name:8} {wall:>24} {cpu:>24} {figures.ratio(name):>14.2f}")
    return "\n".join(lines)


def main() -> int:
    """Return 0 if the claim holds, 1 if it does not, 2 if the ways differ."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rewards",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--completions", type=int, default=512, metavar="N", help="in a batch (default: 512)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="repetitions (default: 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args()
    before = load()
    try:
        with tempfile.TemporaryDirectory(prefix="i2s-benchmark-") as logs:
            number, repeat = max(8, options.completions), max(1, options.repeat)
            figures, versions = asyncio.run(measure(Path(logs), number, repeat))
    except DifferentError as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    machine = list(look(versions, {}, before).lines())
    if options.json:
        more = {name: figures.overhead(name) for name in ("batch", "each")}
        ratios = {name: figures.ratio(name) for name in ("batch", "each")}
        document = {"machine": machine, "ratio": ratios, "bar": MOST_MORE, "cpu_ms_more": more}
        print(json.dumps({**document, **asdict(figures)}, indent=1))
    else:
        print(*machine, shown(figures), sep="\n")
        print(
            f"\nbatch / direct: {figures.ratio('batch'):.2f} times in wall time; "
            f"{figures.overhead('batch'):.2f} ms of CPU more for each completion, bar {MOST_MORE:g}"
        )
    return 0 if figures.overhead("batch") <= MOST_MORE else 1


if __name__ == "__main__":
    sys.exit(main())
