"""RenderService over the engine: wire to domain and back."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import AsyncIterator
from importlib.metadata import version

import grpc.aio

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceServicer, add_RenderServiceServicer_to_server
from i2s_chassis import wire
from i2s_chassis.admission import Ticket
from i2s_chassis.bulk import answer_stream
from i2s_chassis.errors import CallError, InvalidArgumentError
from i2s_chassis.logs import log_context
from i2s_chassis.service import Chassis, Register
from i2s_render_latex.engine import LatexEngine
from i2s_render_latex.model import Job, Options, Rendering
from i2s_render_latex.settings import LatexSettings
from i2s_render_latex.wire import (
    engine_to_wire,
    files_from_wire,
    options_from_wire,
    options_to_wire,
    rendering_to_wire,
)

_MAX_ID_BYTES = 256
_log = logging.getLogger(__name__)


class LatexServicer(RenderServiceServicer):
    """Answers render requests."""

    def __init__(self, engine: LatexEngine, settings: LatexSettings, chassis: Chassis) -> None:
        self._engine, self._settings, self._chassis = engine, settings, chassis
        self._limits = settings.limit_table()

    async def Render(  # noqa: N802 - the name on the wire
        self,
        request: pb.RenderRequest,
        context: grpc.aio.ServicerContext[pb.RenderRequest, pb.RenderResponse],
    ) -> pb.RenderResponse:
        """Render one document."""
        async with self._chassis.admission.slot(context.time_remaining()) as ticket:
            return await self._answer(request, ticket)

    async def RenderStream(  # noqa: N802
        self,
        request_iterator: AsyncIterator[pb.RenderRequest],
        context: grpc.aio.ServicerContext[pb.RenderRequest, pb.RenderStreamResponse],
    ) -> AsyncIterator[pb.RenderStreamResponse]:
        """Render documents in bulk."""
        async for item in answer_stream(self._chassis, request_iterator, self._item, _failed):
            yield item

    async def Describe(  # noqa: N802
        self,
        request: pb.DescribeRequest,
        context: grpc.aio.ServicerContext[pb.DescribeRequest, pb.DescribeResponse],
    ) -> pb.DescribeResponse:
        """Say what this service is."""
        installation, settings = self._engine.installation, self._settings
        warm = [pb.WarmEngine(kind="format", name=one.name, jobs=one.jobs) for one in self._engine.formats]
        return pb.DescribeResponse(
            service=settings.service,
            version=version("i2s-render-latex"),
            engine=engine_to_wire(installation),
            versions=dict(installation.versions),
            fonts_digest=installation.fonts_digest,
            isolation=wire.isolation_to_wire(self._engine.isolation),
            default_limits=wire.limits_to_wire(self._limits.default),
            max_limits=wire.limits_to_wire(self._limits.maximum),
            defaults=options_to_wire(Options()),
            sources=["latex"],
            max_request_bytes=settings.max_request_bytes,
            max_files=settings.beside_files,
            slots=self._chassis.admission.slots,
            queue=self._chassis.admission.queue,
            warm=warm,
        )

    async def _item(self, request: pb.RenderRequest, ticket: Ticket) -> pb.RenderStreamResponse:
        if not request.id:
            raise InvalidArgumentError("id", "is required in a stream; answers are told apart by it")
        return pb.RenderStreamResponse(id=request.id, response=await self._answer(request, ticket))

    async def _answer(self, request: pb.RenderRequest, ticket: Ticket) -> pb.RenderResponse:
        job = self._job(request)
        with log_context(source_sha256=hashlib.sha256(job.document).hexdigest()):
            rendering = await self._engine.render(job)
            self._record(rendering, ticket)
        return rendering_to_wire(
            request.id,
            rendering,
            ticket.queue_seconds,
            job.limits,
            self._engine.isolation,
            self._engine.installation,
        )

    def _job(self, request: pb.RenderRequest) -> Job:
        if len(request.id.encode()) > _MAX_ID_BYTES:
            raise InvalidArgumentError("id", f"is longer than {_MAX_ID_BYTES} bytes")
        if request.WhichOneof("source") != "latex":
            raise InvalidArgumentError("source", "this service renders latex only")
        return Job(
            request.latex.document,
            files_from_wire(request.latex),
            options_from_wire(request.options),
            wire.limits_from_wire(request.limits, self._limits),
        )

    def _record(self, rendering: Rendering, ticket: Ticket) -> None:
        telemetry, verdict = self._chassis.telemetry, rendering.verdict.name.lower()
        telemetry.job(verdict, ticket.seconds())
        for stage in rendering.stages:
            telemetry.stage(stage.name, stage.usage.wall_seconds)
        for event in rendering.events:
            telemetry.policy_event(event.kind.name.lower(), event.count)
        telemetry.warm("format", len(self._engine.formats))
        _log.info("rendered", extra={"fields": {"verdict": verdict, "pages": rendering.total_pages}})


def _failed(request: pb.RenderRequest, error: CallError) -> pb.RenderStreamResponse:
    failure = pb.Failure(code=error.status, message=error.message, retry_after_ms=error.retry_after_ms)
    return pb.RenderStreamResponse(id=request.id, failure=failure)


def registration(servicer: LatexServicer) -> Register:
    """Return what adds a servicer to a server."""
    return lambda server: add_RenderServiceServicer_to_server(servicer, server)
