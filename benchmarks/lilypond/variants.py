"""The ways from a score to a picture that are compared, each a tree of processes with a meter."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.latex.meter import GroupMeter, Meter, open_meter
from benchmarks.latex.variants import Answer, Reference, Variant, VariantError
from benchmarks.lilypond import reference
from i2s_render_lilypond.installation import find_installation
from i2s_sdk.clients import AsyncRenderClient
from i2s_sdk.clients.render import SERVICE
from i2s_sdk.stack.child import Child
from i2s_sdk.stack.command import ServiceCommand
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.isolation import IsolationTier
from i2s_wire.render.options import LilypondBackend, LilypondOptions, RenderOptions
from i2s_wire.render.rendering import Verdict

_START_SECONDS = 120.0
_DEADLINE = 120.0
_LONGEST_LINE = 64 * 1024 * 1024


class Service(Variant):
    """The render service, asked over gRPC."""

    def __init__(
        self,
        name: str,
        meter: Meter,
        client: AsyncRenderClient,
        *,
        warm: bool,
        backend: LilypondBackend = LilypondBackend.GHOSTSCRIPT,
    ) -> None:
        self.name, self.meter, self.client = name, meter, client
        self.same_pixels = backend is LilypondBackend.GHOSTSCRIPT
        self._wanted, self._backend = "zygote" if warm else "cold", backend

    def with_cairo(self, name: str) -> Service:
        """Return the same service, asked to draw with cairo."""
        return Service(name, self.meter, self.client, warm=True, backend=LilypondBackend.CAIRO)

    async def render(self, document: str) -> Answer:  # noqa: D102 - inherited
        options = RenderOptions(lilypond=LilypondOptions(backend=self._backend))
        rendering = await self.client.render_lilypond(document, options=options)
        if rendering.verdict is not Verdict.RENDERED:
            raise VariantError(f"{self.name}: {rendering.verdict.name}: {rendering.message}")
        if rendering.lilypond_backend is not self._backend:
            raise VariantError(f"{self.name}: was drawn by {rendering.lilypond_backend}")
        compiled = {stage.detail for stage in rendering.stages if stage.name == "compile"}
        if compiled != {self._wanted}:
            raise VariantError(f"{self.name}: was to compile on {self._wanted!r}, not on {compiled}")
        stages = {stage.name: stage.usage.cpu_seconds for stage in rendering.stages if stage.name != "queue"}
        return Answer(rendering.pictures[0].png, stages, 1)


@contextlib.asynccontextmanager
async def open_reference(slots: int) -> AsyncIterator[Reference]:
    """Run ``slots`` workers of the reference as long as the block lasts."""
    meter = open_meter(Reference.name)
    programs = str(find_installation().lilypond.parent)
    workers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, reference.__file__, programs),
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


@contextlib.contextmanager
def _born_in(meter: Meter) -> Iterator[None]:
    """Have what is started in this block begin in the meter's control group, where it has one.

    The jail makes the groups of its cells below the one that its service began in, so it is too late
    to adopt a service that runs.
    """
    if not isinstance(meter, GroupMeter):
        yield
        return
    ours = str(os.getpid())
    lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    group = next(path for _, names, path in lines if names == "" or "cpuacct" in names.split(","))
    folder = meter._folder
    mount = next(parent for parent in folder.parents if parent.is_mount())
    (folder / "cgroup.procs").write_text(ours)
    try:
        yield
    finally:
        (mount / group.lstrip("/") / "cgroup.procs").write_text(ours)


@dataclass(frozen=True, slots=True)
class Running:
    """A service that runs here."""

    variant: Service
    description: RendererDescription


@contextlib.asynccontextmanager
async def open_service(
    name: str, tier: IsolationTier, slots: int, logs: Path, *, warm: bool, users: int
) -> AsyncIterator[Running]:
    """Run the service in a tier as long as the block lasts.

    Args:
        name: Of the variant.
        tier: Of its jails.
        slots: Jobs at once.
        logs: Folder for its log.
        warm: With zygotes, or every process started anew.
        users: The first of the user ids that its jobs run as.

    Raises:
        StackError: It does not start.
        VariantError: It serves in another tier.
    """
    arguments = ["--slots", str(slots), "--jail-tier", tier.name.lower(), "--jail-uid-base", str(users)]
    arguments += ["--warm", "zygote" if warm else "single-use"]
    child = Child(ServiceCommand("render-lilypond", SERVICE, tuple(arguments)), logs / name)
    meter = open_meter(name)
    try:
        with _born_in(meter):
            await child.start(_START_SECONDS)
        meter.adopt(child.pid)
        async with AsyncRenderClient(child.address, deadline=_DEADLINE) as client:
            description = await client.describe()
            if description.isolation.tier is not tier:
                raise VariantError(
                    f"{name}: serves in tier {description.isolation.tier.name}, not {tier.name}"
                )
            yield Running(Service(name, meter, client, warm=warm), description)
    finally:
        await child.stop()
        meter.close()
