"""RenderService over the engine of LilyPond."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.jail import Isolation
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.server.service import Chassis
from i2s_render_lilypond.engine import LilypondEngine
from i2s_render_lilypond.installation import Installation
from i2s_render_lilypond.model import Job, LilypondRendering, Options
from i2s_render_lilypond.settings import LilypondSettings
from i2s_render_lilypond.wire import options_from_wire, options_to_wire, refuse_missing, version_from_wire
from i2s_wire.render.options import LilypondBackend
from i2s_wire.render.rendering import Rendering


class LilypondServicer(RendererServicer[Job, LilypondRendering]):
    """Answers render requests."""

    def __init__(self, engine: LilypondEngine, settings: LilypondSettings, chassis: Chassis) -> None:
        identity = Identity("i2s-render-lilypond", "lilypond", "lilypond", options_to_wire(Options()))
        super().__init__(identity, settings, chassis)
        self._engine = engine
        self._jobs = 0

    @property
    def installation(self) -> Installation:  # noqa: D102 - see RendererServicer, as everything below
        return self._engine.installation

    @property
    def isolation(self) -> Isolation:  # noqa: D102
        return self._engine.isolation

    def job(self, request: pb.RenderRequest, limits: Limits) -> Job:  # noqa: D102
        version = version_from_wire(request.lilypond.assume_version)
        options = options_from_wire(request.options)
        refuse_missing(options.backend, self.installation.backends)
        return Job(request.lilypond.score, version, options, limits)

    @property
    def missing(self) -> Sequence[str]:  # noqa: D102
        absent = [one for one in LilypondBackend if one not in self.installation.backends]
        return [f"{one.name.lower()} (another build of lilypond)" for one in absent]

    def source_sha256(self, job: Job) -> str:  # noqa: D102
        return hashlib.sha256(job.score).hexdigest()

    async def render(self, job: Job) -> LilypondRendering:  # noqa: D102
        rendering = await self._engine.render(job)
        self._jobs += 1
        return rendering

    def complete(self, answer: Rendering, raw: LilypondRendering) -> Rendering:  # noqa: D102
        return replace(answer, lilypond_backend=raw.backend)

    def warm(self) -> list[pb.WarmEngine]:  # noqa: D102
        engine, version = self._engine, self._engine.installation.version
        pools = [pool for pool in (engine.zygotes, engine.converters) if pool is not None]
        warm = [pb.WarmEngine(kind=pool.kind, name=version, jobs=pool.jobs) for pool in pools]
        if engine.zygotes is None:
            warm.append(pb.WarmEngine(kind="single-use", name=version, jobs=self._jobs))
        return warm
