"""RenderService over the engine of Python."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.jail import Isolation
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.server.service import Chassis
from i2s_render_python.engine import PythonEngine
from i2s_render_python.installation import PythonInstallation
from i2s_render_python.model import DrawnProgram, Job, Options
from i2s_render_python.settings import PythonSettings
from i2s_render_python.wire import files_from_wire, options_from_wire, options_to_wire
from i2s_wire.render.rendering import Rendering


class PythonServicer(RendererServicer[Job, DrawnProgram]):
    """Answers render requests."""

    def __init__(self, engine: PythonEngine, settings: PythonSettings, chassis: Chassis) -> None:
        options = options_to_wire(Options())
        identity = Identity("i2s-render-python", "python", "cpython", options, settings.beside_files)
        super().__init__(identity, settings, chassis)
        self._engine = engine
        self._jobs = 0

    @property
    def installation(self) -> PythonInstallation:  # noqa: D102 - see RendererServicer, as everything below
        return self._engine.installation

    @property
    def isolation(self) -> Isolation:  # noqa: D102
        return self._engine.isolation

    def job(self, request: pb.RenderRequest, limits: Limits) -> Job:  # noqa: D102
        source = request.python
        return Job(source.program, files_from_wire(source), options_from_wire(request.options), limits)

    def source_sha256(self, job: Job) -> str:  # noqa: D102
        return hashlib.sha256(job.program).hexdigest()

    async def render(self, job: Job) -> DrawnProgram:  # noqa: D102
        drawn = await self._engine.render(job)
        self._jobs += 1
        return drawn

    def complete(self, answer: Rendering, raw: DrawnProgram) -> Rendering:  # noqa: D102
        return replace(answer, figures=raw.figures)

    def warm(self) -> list[pb.WarmEngine]:  # noqa: D102
        zygotes, version = self._engine.zygotes, self.installation.version
        if zygotes is None:
            return [pb.WarmEngine(kind="single-use", name=version, jobs=self._jobs)]
        return [pb.WarmEngine(kind=zygotes.kind, name=version, jobs=zygotes.jobs)]
