"""The ways from a document to a picture that are compared, each a tree of processes with a meter."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.latex.meter import Meter, open_meter
from i2s_client import AsyncRenderClient
from i2s_client.service_table import RENDER_WIRE_NAME
from i2s_sdk.stack.child import Child
from i2s_sdk.stack.command import ServiceCommand
from i2s_wire.render.isolation import IsolationTier
from i2s_wire.render.options import PageOptions
from i2s_wire.render.rendering import Verdict

START_SECONDS = 600.0  # the first start on a machine builds an index and formats
_DEADLINE = 120.0
_LONGEST_LINE = 64 * 1024 * 1024


class VariantError(Exception):
    """A variant did not give what it was asked for; says which and why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A picture and what a variant itself says it cost.

    Attributes:
        png: The picture.
        stages: CPU seconds by stage: compile, inspect, raster, crop.
        runs: How often TeX ran.
    """

    png: bytes = field(repr=False)
    stages: dict[str, float]
    runs: int


class Variant(ABC):
    """One way, ready to be asked.

    Attributes:
        name: Short.
        meter: Counts its processes; two variants may be one service and share it.
        same_pixels: Whether its pictures must equal those of the others.
    """

    name: str
    meter: Meter
    same_pixels: bool = True

    @abstractmethod
    async def render(self, document: str) -> Answer:
        """Render a document.

        Raises:
            VariantError: There is no picture.
        """


class Reference(Variant):
    """Worker processes that run ``reference``, as many as jobs may run at once."""

    name = "reference"

    def __init__(self, meter: Meter, workers: Sequence[asyncio.subprocess.Process]) -> None:
        self.meter = meter
        self._idle: asyncio.Queue[asyncio.subprocess.Process] = asyncio.Queue()
        for worker in workers:
            self._idle.put_nowait(worker)

    async def render(self, document: str) -> Answer:  # noqa: D102 - inherited
        worker = await self._idle.get()
        try:
            answer = await self._ask(worker, document)
        finally:
            self._idle.put_nowait(worker)
        if "error" in answer:
            raise VariantError(f"{self.name}: {answer['error']}")
        return Answer(base64.b64decode(answer["png"]), answer["stages"], answer["runs"])

    async def _ask(self, worker: asyncio.subprocess.Process, document: str) -> dict[str, Any]:
        if worker.stdin is None or worker.stdout is None:
            raise VariantError(f"{self.name}: its worker has no pipes")
        worker.stdin.write(json.dumps({"document": document}).encode() + b"\n")
        await worker.stdin.drain()
        line = await worker.stdout.readline()
        if not line:
            raise VariantError(f"{self.name}: its worker ended; what it said is on standard error")
        answer: dict[str, Any] = json.loads(line)
        return answer


class Service(Variant):
    """The render service, asked over gRPC."""

    def __init__(
        self, name: str, meter: Meter, client: AsyncRenderClient, page: PageOptions, *, cold: bool
    ) -> None:
        self.name, self.meter = name, meter
        self._client, self._page, self._cold = client, page, cold

    async def render(self, document: str) -> Answer:  # noqa: D102 - inherited
        rendering = await self._client.render_latex(document, page=self._page, cold=self._cold)
        if rendering.verdict is not Verdict.RENDERED:
            raise VariantError(f"{self.name}: {rendering.verdict.name}: {rendering.message}")
        compiles = [stage for stage in rendering.stages if stage.name == "compile"]
        wanted = "cold" if self._cold else "format"
        if any(stage.detail != wanted for stage in compiles):
            raise VariantError(f"{self.name}: was to compile with {wanted!r} and did not")
        stages: dict[str, float] = {}
        for stage in rendering.stages:
            stages[stage.name] = stages.get(stage.name, 0.0) + stage.usage.cpu_seconds
        stages.pop("queue", None)
        return Answer(rendering.pictures[0].png, stages, len(compiles))


@contextlib.asynccontextmanager
async def open_reference(slots: int, *words: str) -> AsyncIterator[Reference]:
    """Run workers of the reference as long as the block lasts.

    Args:
        slots: Number of workers.
        words: The program of a worker in Python, and its arguments.
    """
    meter = open_meter(Reference.name)
    workers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, *words),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )
        for _ in range(slots)
    ]
    try:
        for worker in workers:
            meter.adopt(worker.pid)
        yield Reference(meter, workers)
    finally:
        for worker in workers:
            if worker.stdin is not None:
                worker.stdin.close()
            await worker.wait()
        meter.close()


@dataclass(frozen=True, slots=True)
class Running:
    """A service that runs here."""

    client: AsyncRenderClient
    meter: Meter


@contextlib.asynccontextmanager
async def open_service(tier: IsolationTier, slots: int, preamble: Path, logs: Path) -> AsyncIterator[Running]:
    """Run the service in a tier as long as the block lasts.

    Args:
        tier: Tier of its jails.
        slots: Jobs at once.
        preamble: Preamble of all documents; has its format from the start.
        logs: Folder for its log.

    Raises:
        StackError: It does not start.
        VariantError: It serves in another tier.
    """
    name = tier.name.lower()
    arguments = ["--slots", str(slots), "--preamble", str(preamble), "--jail-tier", name]
    arguments += ["--allow-unsandboxed"] if tier is IsolationTier.NONE else []
    child = Child(ServiceCommand("render-latex", RENDER_WIRE_NAME, tuple(arguments)), logs / name)
    meter = open_meter(name)
    try:
        with meter.starting():
            await child.start(START_SECONDS)
        meter.adopt(child.pid)
        async with AsyncRenderClient(child.address, deadline=_DEADLINE) as client:
            serving = (await client.describe()).isolation.tier
            if serving is not tier:
                raise VariantError(f"the service was to serve in tier {name} and serves in {serving.name}")
            yield Running(client, meter)
    finally:
        await child.stop()
        meter.close()
