"""The ways from a document to an image, each a tree of processes with a meter, and the costs of a job."""

from __future__ import annotations

import asyncio
import base64
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.harness.command import MeasurementError
from benchmarks.harness.images import image_difference
from benchmarks.harness.meter import Meter, open_meter
from benchmarks.harness.programs import Program, running
from benchmarks.harness.services import serving
from benchmarks.harness.turns import at_once, in_turns, timed
from i2s_client import AsyncRenderClient
from i2s_client.service_table import RENDER_WIRE_NAME
from i2s_sdk.data import read_folder
from i2s_sdk.stack.command import ServiceCommand
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.isolation import IsolationTier
from i2s_wire.render.rendering import Rendering, Verdict

_DEADLINE = 120.0


@dataclass(frozen=True, slots=True)
class Answer:
    """An image, and what a variant itself says of its cost."""

    png: bytes = field(repr=False)
    stages: dict[str, float]  #: CPU seconds by stage, such as "compile" and "crop".
    runs: int  #: How often the engine compiled.


class Variant(ABC):
    """One way, ready to be asked."""

    name: str
    meter: Meter  #: Counts its processes; two variants may be one service and share it.
    same_pixels: bool = True  #: Whether its images must equal those of the others.

    @abstractmethod
    async def render(self, document: str) -> Answer:
        """Render a document.

        Raises:
            MeasurementError: There is no image.
        """


class Reference(Variant):
    """Worker processes that draw the plain way, as many as jobs may run at once."""

    name = "reference"

    def __init__(self, meter: Meter, workers: Sequence[Program]) -> None:
        self.meter = meter
        self._idle: asyncio.Queue[Program] = asyncio.Queue()
        for worker in workers:
            self._idle.put_nowait(worker)

    async def render(self, document: str) -> Answer:  # noqa: D102 - inherited
        worker = await self._idle.get()
        try:
            answer = await worker.ask({"document": document})
        finally:
            self._idle.put_nowait(worker)
        if "error" in answer:
            raise MeasurementError(f"{self.name}: {answer['error']}")
        return Answer(base64.b64decode(answer["png"]), answer["stages"], answer["runs"])


@asynccontextmanager
async def open_reference(slots: int, module: str, *arguments: str) -> AsyncIterator[Reference]:
    """Run workers of the reference as long as the block lasts.

    Args:
        slots: Number of workers.
        module: The program of a worker, a module below ``benchmarks``.
        arguments: Its arguments.
    """
    meter = open_meter(Reference.name)
    try:
        async with AsyncExitStack() as stack:
            workers = [await stack.enter_async_context(running(module, *arguments)) for _ in range(slots)]
            for worker in workers:
                meter.adopt(worker.pid)
            yield Reference(meter, workers)
            for worker in workers:
                await worker.end()
    finally:
        meter.close()


@dataclass(frozen=True, slots=True)
class Running:
    """A render service that runs here."""

    client: AsyncRenderClient
    meter: Meter
    description: RendererDescription


@asynccontextmanager
async def open_service(
    name: str, title: str, tier: IsolationTier, arguments: Sequence[str], logs: Path
) -> AsyncIterator[Running]:
    """Run a render service in a tier as long as the block lasts.

    Args:
        name: Name of the service.
        title: Name for messages and for the folder of its log.
        tier: Tier of its jails.
        arguments: Further arguments.
        logs: Folder for its log.

    Raises:
        StackError: It does not start.
        MeasurementError: It serves in another tier.
    """
    command = ServiceCommand(name, RENDER_WIRE_NAME, (*arguments, "--jail-tier", tier.name.lower()))
    async with (
        serving(command, logs / title, title) as served,
        AsyncRenderClient(served.child.address, deadline=_DEADLINE) as client,
    ):
        description = await client.describe()
        actual = description.isolation.tier
        if actual is not tier:
            raise MeasurementError(f"{title}: serves in tier {actual.name}, not {tier.name}")
        yield Running(client, served.meter, description)


class Service(Variant):
    """A render service, asked over gRPC.

    Args:
        name: Name of the variant.
        service: The service.
        render: Renders a document with its client.
        compiles: How the service must say that it compiled.
        same_pixels: Whether its images must equal those of the others.
    """

    def __init__(
        self,
        name: str,
        service: Running,
        render: Callable[[AsyncRenderClient, str], Awaitable[Rendering]],
        compiles: str,
        *,
        same_pixels: bool = True,
    ) -> None:
        self.name, self.meter, self.same_pixels = name, service.meter, same_pixels
        self._render, self._compiles = partial(render, service.client), compiles

    async def render(self, document: str) -> Answer:  # noqa: D102 - inherited
        rendering = await self._render(document)
        if rendering.verdict is not Verdict.RENDERED:
            raise MeasurementError(f"{self.name}: {rendering.verdict.name}: {rendering.message}")
        compiles = [stage.detail for stage in rendering.stages if stage.name == "compile"]
        if set(compiles) != {self._compiles}:
            raise MeasurementError(f"{self.name}: was to compile by {self._compiles!r}, not by {compiles}")
        stages: dict[str, float] = {}
        for stage in rendering.stages:
            stages[stage.name] = stages.get(stage.name, 0.0) + stage.usage.cpu_seconds
        stages.pop("queue", None)
        return Answer(rendering.pictures[0].png, stages, len(compiles))


def structures(data: Path, task: str) -> dict[str, str]:
    """Return the ground truths of a task of a data set, by the id of the instance."""
    return {
        instance.id: instance.structure.read_text(encoding="utf-8")
        for instance in read_folder(data).instances
        if instance.task == task and instance.structure is not None
    }


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians over the repetitions of one variant, in seconds."""

    cpu: float  #: CPU seconds of all processes, clean-up after the answer included.
    compile_cpu: float  #: CPU seconds of all runs of the engine together, as the variant counts them.
    rest_cpu: float  #: What is in no stage: server, sandbox, clean-up.
    wall: float  #: Latency, nothing else running in the processes of the variant.
    spread: float  #: (greatest - least) / median of ``cpu``.
    stages: dict[str, float]  #: CPU seconds by stage.
    runs: int  #: Number of runs of the engine.


#: Figures by variant and document.
Table = Mapping[str, Mapping[str, Figures]]


@dataclass(frozen=True, slots=True)
class _Sample:
    """One job of one variant."""

    cpu: float
    wall: float
    answer: Answer


async def measure(variants: Sequence[Variant], documents: Mapping[str, str], repeat: int) -> Table:
    """Render every document ``repeat`` times by every variant, one job at a time.

    Raises:
        MeasurementError: A document was not rendered, or two variants drew different images.
    """
    same = {variant.name for variant in variants if variant.same_pixels}

    def check(document: str, samples: Mapping[str, _Sample]) -> None:
        (first, png), *others = (
            (name, sample.answer.png) for name, sample in samples.items() if name in same
        )
        for other, image in others:
            if image_difference(png, image) != 0.0:
                raise MeasurementError(f"{document}: the images of {first} and {other} differ")

    works = {variant.name: partial(_sample, variant) for variant in variants}
    samples = await in_turns(works, documents, repeat, check=check)
    return {name: {one: _figures(of) for one, of in own.items()} for name, own in samples.items()}


async def throughput(
    variants: Sequence[Variant], documents: Mapping[str, str], slots: int, rounds: int
) -> dict[str, float]:
    """Return jobs a second by variant with ``slots`` at once: all documents, ``rounds`` times in turns."""
    if not rounds:
        return {}

    async def burst(variant: Variant, slots: int) -> float:
        await variant.meter.settled()
        seconds, _ = await timed(at_once(variant.render, documents.values(), slots))
        await variant.meter.settled()
        return len(documents) / seconds

    bursts = {one.name: partial(burst, one) for one in variants}
    rates = await in_turns(bursts, {f"{slots} at once": slots}, rounds, unmeasured=0)
    return {name: median(own[f"{slots} at once"]) for name, own in rates.items()}


async def _sample(variant: Variant, document: str) -> _Sample:
    before = await variant.meter.settled()
    wall, answer = await timed(variant.render(document))
    return _Sample(await variant.meter.settled() - before, wall, answer)


def _figures(samples: Sequence[_Sample]) -> Figures:
    cpu = [sample.cpu for sample in samples]
    stages = _medians([sample.answer.stages for sample in samples])
    middle = median(cpu)
    return Figures(
        cpu=middle,
        compile_cpu=stages.get("compile", 0.0),
        rest_cpu=median(sample.cpu - sum(sample.answer.stages.values()) for sample in samples),
        wall=median(sample.wall for sample in samples),
        spread=(max(cpu) - min(cpu)) / middle,
        stages=stages,
        runs=max(sample.answer.runs for sample in samples),
    )


def over_documents(figures: Mapping[str, Figures]) -> Figures:
    """Return the median document, each figure for itself."""
    known = list(figures.values())
    return Figures(
        cpu=median(one.cpu for one in known),
        compile_cpu=median(one.compile_cpu for one in known),
        rest_cpu=median(one.rest_cpu for one in known),
        wall=median(one.wall for one in known),
        spread=median(one.spread for one in known),
        stages=_medians([one.stages for one in known]),
        runs=max(one.runs for one in known),
    )


def _medians(stages: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for stage in stages for name in stage)
    return {name: median(stage.get(name, 0.0) for stage in stages) for name in names}
