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
from i2s_render_lilypond.engine import LilypondEngine
from i2s_render_lilypond.model import Job, Options, Rendering
from i2s_render_lilypond.settings import LilypondSettings
from i2s_render_lilypond.wire import (
    engine_to_wire,
    options_from_wire,
    options_to_wire,
    rendering_to_wire,
    version_from_wire,
)

_MAX_ID_BYTES = 256
_log = logging.getLogger(__name__)


class LilypondServicer(RenderServiceServicer):
    """Answers render requests."""

    def __init__(self, engine: LilypondEngine, settings: LilypondSettings, chassis: Chassis) -> None:
        self._engine, self._settings, self._chassis = engine, settings, chassis
        self._limits = settings.limit_table()
        self._jobs = 0

    async def Render(  # noqa: N802 - the name on the wire
        self,
        request: pb.RenderRequest,
        context: grpc.aio.ServicerContext[pb.RenderRequest, pb.RenderResponse],
    ) -> pb.RenderResponse:
        """Render one score."""
        async with self._chassis.admission.slot(context.time_remaining()) as ticket:
            return await self._answer(request, ticket)

    async def RenderStream(  # noqa: N802
        self,
        request_iterator: AsyncIterator[pb.RenderRequest],
        context: grpc.aio.ServicerContext[pb.RenderRequest, pb.RenderStreamResponse],
    ) -> AsyncIterator[pb.RenderStreamResponse]:
        """Render scores in bulk."""
        async for item in answer_stream(self._chassis, request_iterator, self._item, _failed):
            yield item

    async def Describe(  # noqa: N802
        self,
        request: pb.DescribeRequest,
        context: grpc.aio.ServicerContext[pb.DescribeRequest, pb.DescribeResponse],
    ) -> pb.DescribeResponse:
        """Say what this service is."""
        installation, settings = self._engine.installation, self._settings
        return pb.DescribeResponse(
            service=settings.service,
            version=version("i2s-render-lilypond"),
            engine=engine_to_wire(installation),
            versions=dict(installation.versions),
            fonts_digest=installation.fonts_digest,
            isolation=wire.isolation_to_wire(self._engine.isolation),
            default_limits=wire.limits_to_wire(self._limits.default),
            max_limits=wire.limits_to_wire(self._limits.maximum),
            defaults=options_to_wire(Options()),
            sources=["lilypond"],
            max_request_bytes=settings.max_request_bytes,
            slots=self._chassis.admission.slots,
            queue=self._chassis.admission.queue,
            warm=self._warm(),
        )

    def _warm(self) -> list[pb.WarmEngine]:
        engine, version_ = self._engine, self._engine.installation.version
        pools = [pool for pool in (engine.zygotes, engine.converters) if pool is not None]
        warm = [pb.WarmEngine(kind=pool.kind, name=version_, jobs=pool.jobs) for pool in pools]
        if engine.zygotes is None:
            warm.append(pb.WarmEngine(kind="single-use", name=version_, jobs=self._jobs))
        return warm

    async def _item(self, request: pb.RenderRequest, ticket: Ticket) -> pb.RenderStreamResponse:
        if not request.id:
            raise InvalidArgumentError("id", "is required in a stream; answers are told apart by it")
        return pb.RenderStreamResponse(id=request.id, response=await self._answer(request, ticket))

    async def _answer(self, request: pb.RenderRequest, ticket: Ticket) -> pb.RenderResponse:
        job = self._job(request)
        with log_context(source_sha256=hashlib.sha256(job.score).hexdigest()):
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
        if request.WhichOneof("source") != "lilypond":
            raise InvalidArgumentError("source", "this service renders lilypond only")
        return Job(
            request.lilypond.score,
            version_from_wire(request.lilypond.assume_version),
            options_from_wire(request.options),
            wire.limits_from_wire(request.limits, self._limits),
        )

    def _record(self, rendering: Rendering, ticket: Ticket) -> None:
        self._jobs += 1
        telemetry, verdict = self._chassis.telemetry, rendering.verdict.name.lower()
        telemetry.job(verdict, ticket.seconds())
        for stage in rendering.stages:
            telemetry.stage(stage.name, stage.usage.wall_seconds)
        for event in rendering.events:
            telemetry.policy_event(event.kind.name.lower(), event.count)
        _log.info("rendered", extra={"fields": {"verdict": verdict, "pages": rendering.total_pages}})


def _failed(request: pb.RenderRequest, error: CallError) -> pb.RenderStreamResponse:
    failure = pb.Failure(code=error.status, message=error.message, retry_after_ms=error.retry_after_ms)
    return pb.RenderStreamResponse(id=request.id, failure=failure)


def registration(servicer: LilypondServicer) -> Register:
    """Return what adds a servicer to a server."""
    return lambda server: add_RenderServiceServicer_to_server(servicer, server)
