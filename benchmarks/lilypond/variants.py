"""The ways from a score to a picture that are compared, each a tree of processes with a meter."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.latex.meter import Meter, open_meter
from benchmarks.latex.variants import Answer, Variant, VariantError
from i2s_client import AsyncRenderClient
from i2s_client.service_table import RENDER_WIRE_NAME
from i2s_sdk.stack.child import Child
from i2s_sdk.stack.command import ServiceCommand
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.isolation import IsolationTier
from i2s_wire.render.options import LilypondBackend, LilypondOptions, RenderOptions
from i2s_wire.render.rendering import Verdict

_START_SECONDS = 120.0
_DEADLINE = 120.0


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
        name: Name of the variant.
        tier: Tier of its jails.
        slots: Jobs at once.
        logs: Folder for its log.
        warm: Whether it has zygotes, or every process is started anew.
        users: The first of the user ids that its jobs run as.

    Raises:
        StackError: It does not start.
        VariantError: It serves in another tier.
    """
    arguments = ["--slots", str(slots), "--jail-tier", tier.name.lower(), "--jail-uid-base", str(users)]
    arguments += ["--warm", "zygote" if warm else "single-use"]
    child = Child(ServiceCommand("render-lilypond", RENDER_WIRE_NAME, tuple(arguments)), logs / name)
    meter = open_meter(name)
    try:
        with meter.starting():
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
