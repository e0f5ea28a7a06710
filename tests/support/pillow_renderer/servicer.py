"""RenderService over the engine."""

from __future__ import annotations

import hashlib

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import RawRendering
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.renderer.wire import page_from_wire, refuse_foreign
from i2s_chassis.server.service import Chassis
from i2s_wire.codec import encode
from i2s_wire.render.options import PageOptions
from pillow_renderer.engine import OPTIONS, Job, PillowEngine
from pillow_renderer.settings import PillowSettings


class PillowServicer(RendererServicer[Job, RawRendering]):
    """Answers render requests."""

    def __init__(self, engine: PillowEngine, settings: PillowSettings, chassis: Chassis) -> None:
        options = pb.RenderOptions(page=encode(OPTIONS, pb.PageOptions, PageOptions))
        super().__init__(Identity("i2s-chassis", "python", "pillow", options), engine, settings, chassis)

    def job(self, request: pb.RenderRequest, limits: Limits) -> Job:
        refuse_foreign(request.options, ("page",), "programs")
        options = page_from_wire(request.options.page, OPTIONS)
        return Job(request.python.program, options, limits)

    def source_sha256(self, job: Job) -> str:
        return hashlib.sha256(job.program).hexdigest()

    def warm(self) -> list[pb.WarmEngine]:
        return []
