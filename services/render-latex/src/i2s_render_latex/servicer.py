"""RenderService over the engine of LaTeX."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.jail import Isolation
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import RawRendering
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.server.service import Chassis
from i2s_render_latex.engine import LatexEngine
from i2s_render_latex.model import Job, Options
from i2s_render_latex.programs import PROGRAMS
from i2s_render_latex.settings import LatexSettings
from i2s_render_latex.texlive import Installation
from i2s_render_latex.wire import files_from_wire, options_from_wire, options_to_wire, refuse_missing
from i2s_wire.render.rendering import Engine


class LatexServicer(RendererServicer[Job, RawRendering]):
    """Answers render requests."""

    def __init__(self, engine: LatexEngine, settings: LatexSettings, chassis: Chassis) -> None:
        options = options_to_wire(Options())
        identity = Identity("i2s-render-latex", "latex", "pdftex", options, settings.beside_files)
        super().__init__(identity, settings, chassis)
        self._engine = engine

    @property
    def installation(self) -> Installation:  # noqa: D102 - see RendererServicer, as everything below
        return self._engine.installation

    @property
    def isolation(self) -> Isolation:  # noqa: D102
        return self._engine.isolation

    def job(self, request: pb.RenderRequest, limits: Limits) -> Job:  # noqa: D102
        latex, options = request.latex, options_from_wire(request.options)
        refuse_missing(options.engine, self.installation.engines)
        return Job(latex.document, files_from_wire(latex), options, limits)

    @property
    def missing(self) -> Sequence[str]:  # noqa: D102
        installed = self.installation.engines
        return [
            f"{program.name} ({program.package})"
            for engine, program in PROGRAMS.items()
            if engine not in installed
        ]

    def engine_of(self, job: Job) -> Engine:  # noqa: D102
        name = PROGRAMS[job.options.engine].engine
        return Engine(name, self.installation.versions[name], self.installation.digest)

    def source_sha256(self, job: Job) -> str:  # noqa: D102
        return hashlib.sha256(job.document).hexdigest()

    async def render(self, job: Job) -> RawRendering:  # noqa: D102
        rendering = await self._engine.render(job)
        self.chassis.telemetry.warm("format", len(self._engine.formats))
        return rendering

    def warm(self) -> list[pb.WarmEngine]:  # noqa: D102
        return [pb.WarmEngine(kind="format", name=one.name, jobs=one.jobs) for one in self._engine.formats]
