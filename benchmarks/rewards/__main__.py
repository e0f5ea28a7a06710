"""Rewards for training: a batch through the reward function against the same calls of the services directly.

Compared, in one run, in turns, on the same completions and services, which are processes of their own:

  direct    AsyncRenderClient.render and AsyncMetricsClient.score for each completion, with the documents made
            before the clock starts; as many at once as the reward function has under way
  batch     RoundTripReward called with the whole batch, as TRL does
  each      VerlReward.compute_score awaited for each completion by itself, as verl does
  http      with --http: POST /v1/reward of the whole batch, to a gateway that is a process of its own; the
            references were uploaded before the clock starts

The completions are the bundled instances of the task latex, each changed so that no two are equal; every
eighth does not compile. The metric is EMS alone. Measured are wall time and the CPU time of this process,
which is what a trainer pays beside the services. The reward function repairs answers that do not compile,
which the direct calls do not, so it renders a little more. The exit code is 0 only if all give the same
rewards (else 2), a completion of the batch takes at most 5 ms of CPU time more than directly, on the
median, and by HTTP at most 3 ms of wall time more than in the batch (else 1). The CPU time of `http` is that
of this process and of the gateway together.

    python -m benchmarks.rewards                      # 512 completions a batch, three repetitions
    python -m benchmarks.rewards --completions 64 --repeat 1
    python -m benchmarks.rewards --http
    python -m benchmarks.rewards --json
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, cast

from benchmarks.harness.command import MeasurementError, Result, add_repeat, command_line, finish
from benchmarks.harness.machine import load, look
from benchmarks.harness.meter import own_seconds
from benchmarks.harness.turns import Spread, in_turns
from benchmarks.rewards.gateway import open_gateway
from i2s_sdk import Settings
from i2s_sdk.data import Instance, open_data
from i2s_sdk.data.folder import read_content
from i2s_sdk.stack.services import Services, open_services
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.task import RenderedTask
from i2s_training import RoundTripReward, VerlReward
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.request import RenderRequest

#: The most CPU time of this process that a completion may take more than by direct calls, in milliseconds.
MOST_MORE = 5.0
#: The most wall time that a completion may take more by HTTP than in a batch in Python, in milliseconds.
MOST_MORE_BY_HTTP = 3.0
TASK, METRIC = "latex", "ems"
#: One completion of so many does not compile.
BROKEN_EVERY = 8

Rewards: TypeAlias = list[float | None]


@dataclass(frozen=True, slots=True)
class Sample:
    """A completion and what it is compared with."""

    instance: Instance  #: The instance that all completions answer.
    completion: str  #: What a model might have said.
    request: RenderRequest  #: Request for the document that is made of it.
    reference: bytes  #: The image of the instance, encoded.


Way: TypeAlias = Callable[[list[Sample]], Awaitable[Rewards]]


@dataclass(frozen=True, slots=True)
class Taken:
    """What one repetition of a way takes, in seconds, and the rewards that it gives."""

    wall: float
    cpu: float  #: Of this process, and of the gateway if it works for it.
    rewards: Rewards


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
    """Return the values of completions by calls of the services; 0 if there is no image."""
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


@asynccontextmanager
async def by_http(
    addresses: Mapping[str, str], logs: Path, wanted: list[Sample]
) -> AsyncIterator[tuple[Way, int]]:
    """Have a way by an HTTP gateway in front of services as long as the block lasts, and its process."""
    async with open_gateway(addresses, logs) as gateway:
        await gateway.add([one.instance for one in wanted])

        async def way(some: list[Sample]) -> Rewards:
            said = await gateway.reward([(one.instance, one.completion) for one in some], {METRIC: 1.0})
            return [one["value"] for one in said]

        yield way, gateway.process.pid


async def run(logs: Path, number: int, repeat: int, http: bool = False) -> Result:
    """Reward all completions in each way in turns.

    Raises:
        MeasurementError: The ways do not give the same rewards.
    """
    before = load()
    wanted = samples(number)
    async with (
        open_services(Settings(), logs, ("metrics", "render-latex")) as services,
        AsyncExitStack() as stack,
    ):
        about = await services.renderers["render-latex"].describe()
        at_once = max(2, 2 * about.slots)
        named = {name.replace("-", "_"): client.address for name, client in services.clients.items()}
        settings = Settings(metrics=named["metrics"], render_latex=named["render_latex"])
        reward = RoundTripReward(weights={METRIC: 1.0}, settings=settings)
        ways: dict[str, Way] = {
            "direct": lambda some: directly(services, some, at_once),
            "batch": lambda some: in_a_batch(reward, some),
            "each": lambda some: each(VerlReward(reward), some),
        }
        gateways: dict[str, int] = {}
        if http:
            addresses = {name: client.address for name, client in services.clients.items()}
            ways["http"], gateways["http"] = await stack.enter_async_context(by_http(addresses, logs, wanted))
        try:
            for way in ways.values():  # connections and first jobs
                await way(wanted[:8])
            works = {name: partial(_taken, way, gateways.get(name)) for name, way in ways.items()}
            task = {"completions": wanted}
            taken = await in_turns(works, task, repeat, unmeasured=0, check=_require_same)
        finally:
            await asyncio.to_thread(reward.close)
    return _result({name: own["completions"] for name, own in taken.items()}, number, at_once, about, before)


async def _taken(way: Way, gateway: int | None, wanted: list[Sample]) -> Taken:
    def used() -> float:
        return time.process_time() + (own_seconds(gateway) if gateway is not None else 0.0)

    wall, cpu = time.perf_counter(), used()
    rewards = await way(wanted)
    return Taken(time.perf_counter() - wall, used() - cpu, rewards)


def _require_same(task: str, taken: Mapping[str, Taken]) -> None:
    for name, one in taken.items():
        for at, pair in enumerate(zip(one.rewards, taken["direct"].rewards, strict=True)):
            if pair[0] != pair[1]:
                raise MeasurementError(f"completion {at}: {name} gives {pair[0]!r}, direct {pair[1]!r}")


def _result(
    taken: Mapping[str, Sequence[Taken]],
    number: int,
    at_once: int,
    about: RendererDescription,
    before: float,
) -> Result:
    machine = list(look(dict(about.versions), {}, before).lines())
    wall = {name: Spread.of(one.wall for one in own) for name, own in taken.items()}
    each_ms = {name: Spread.of(1000 * one.cpu / number for one in own) for name, own in taken.items()}
    ratios = {name: wall[name].median / wall["direct"].median for name in taken}
    more = {name: each_ms[name].median - each_ms["direct"].median for name in taken if name != "direct"}
    by_http = 1000 * (wall["http"].median - wall["batch"].median) / number if "http" in wall else None
    ways = {
        name: {"wall": [one.wall for one in own], "cpu": [one.cpu for one in own]}
        for name, own in taken.items()
    }
    document = {
        "machine": machine,
        "ratio": {name: ratios[name] for name in more},
        "bar": MOST_MORE,
        "cpu_ms_more": more,
        "http_wall_ms_more": by_http,
        "ways": ways,
        "completions": number,
        "at_once": at_once,
    }
    lines = [
        *machine,
        f"{number} completions a batch, {at_once} at once",
        f"{'':8} {'wall s':>24} {'CPU ms a completion':>24} {'wall / direct':>14}",
        *(
            f"{name:8} {one.text(digits=1):>24} {each_ms[name].text(digits=2):>24} {ratios[name]:>14.2f}"
            for name, one in wall.items()
        ),
        f"\nbatch / direct: {ratios['batch']:.2f} times in wall time; "
        f"{more['batch']:.2f} ms of CPU more for each completion, bar {MOST_MORE:g}",
    ]
    if by_http is not None:
        lines.append(
            f"http less batch: {by_http:.2f} ms of wall time for each completion, bar {MOST_MORE_BY_HTTP:g}; "
            f"{more['http'] - more['batch']:.2f} ms of CPU, that of the gateway included"
        )
    holds = more["batch"] <= MOST_MORE and (by_http is None or by_http <= MOST_MORE_BY_HTTP)
    return Result(document, lines, 0 if holds else 1)


def main() -> int:
    """Return 0 if the claim holds, 1 if it does not, 2 if the ways differ."""
    parser = command_line("rewards", __doc__)
    parser.add_argument("--completions", type=int, default=512, metavar="N", help="in a batch (default: 512)")
    parser.add_argument("--http", action="store_true", help="the same batch by an HTTP gateway as well")
    add_repeat(parser, 3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="i2s-benchmark-") as logs:
        return finish(
            given, lambda: asyncio.run(run(Path(logs), max(8, given.completions), given.repeat, given.http))
        )


if __name__ == "__main__":
    raise SystemExit(main())
