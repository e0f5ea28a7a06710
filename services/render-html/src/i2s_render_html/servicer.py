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
from i2s_render_html.engine import HtmlEngine
from i2s_render_html.errors import SelectorError
from i2s_render_html.model import Job, Options, Rendering
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.wire import (
    engine_to_wire,
    files_from_wire,
    options_from_wire,
    options_to_wire,
    rendering_to_wire,
)

_MAX_ID_BYTES = 256
_log = logging.getLogger(__name__)


class HtmlServicer(RenderServiceServicer):
    """Answers render requests."""

    def __init__(self, engine: HtmlEngine, settings: HtmlSettings, chassis: Chassis) -> None:
        self._engine, self._settings, self._chassis = engine, settings, chassis
        self._limits = settings.limit_table()

    async def Render(  # noqa: N802 - the name on the wire
        self,
        request: pb.RenderRequest,
        context: grpc.aio.ServicerContext[pb.RenderRequest, pb.RenderResponse],
    ) -> pb.RenderResponse:
        """Render one site."""
        async with self._chassis.admission.slot(context.time_remaining()) as ticket:
            return await self._answer(request, ticket)

    async def RenderStream(  # noqa: N802
        self,
        request_iterator: AsyncIterator[pb.RenderRequest],
        context: grpc.aio.ServicerContext[pb.RenderRequest, pb.RenderStreamResponse],
    ) -> AsyncIterator[pb.RenderStreamResponse]:
        """Render sites in bulk."""
        async for item in answer_stream(self._chassis, request_iterator, self._item, _failed):
            yield item

    async def Describe(  # noqa: N802
        self,
        request: pb.DescribeRequest,
        context: grpc.aio.ServicerContext[pb.DescribeRequest, pb.DescribeResponse],
    ) -> pb.DescribeResponse:
        """Say what this service is."""
        engine, settings = self._engine, self._settings
        chromium = engine.chromium
        warm = [
            pb.WarmEngine(kind="browser", name=f"chromium {chromium.version}") for _ in range(engine.browsers)
        ]
        return pb.DescribeResponse(
            service=settings.service,
            version=version("i2s-render-html"),
            engine=engine_to_wire(chromium),
            versions=dict(chromium.versions),
            fonts_digest=chromium.fonts_digest,
            isolation=wire.isolation_to_wire(engine.isolation),
            default_limits=wire.limits_to_wire(self._limits.default),
            max_limits=wire.limits_to_wire(self._limits.maximum),
            defaults=options_to_wire(Options()),
            sources=["site"],
            max_request_bytes=settings.max_request_bytes,
            max_files=settings.site_files,
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
        with log_context(source_sha256=_digest(job)):
            try:
                rendering = await self._engine.render(job)
            except SelectorError as error:
                raise InvalidArgumentError("options.site.elements.css", str(error)) from None
            self._record(rendering, ticket)
        return rendering_to_wire(
            request.id,
            rendering,
            ticket.queue_seconds,
            job.limits,
            self._engine.isolation,
            self._engine.chromium,
        )

    def _job(self, request: pb.RenderRequest) -> Job:
        if len(request.id.encode()) > _MAX_ID_BYTES:
            raise InvalidArgumentError("id", f"is longer than {_MAX_ID_BYTES} bytes")
        if request.WhichOneof("source") != "site":
            raise InvalidArgumentError("source", "this service renders sites only")
        files, assets = files_from_wire(request.site)
        return Job(
            files,
            assets,
            request.site.entry_path,
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
        _log.info("rendered", extra={"fields": {"verdict": verdict, "jekyll": rendering.jekyll}})


def _digest(job: Job) -> str:
    digest = hashlib.sha256()
    for file in (*job.files, *job.assets):
        digest.update(f"{len(file.path)} {len(file.content)} {file.path}".encode(errors="replace"))
        digest.update(file.content)
    return digest.hexdigest()


def _failed(request: pb.RenderRequest, error: CallError) -> pb.RenderStreamResponse:
    failure = pb.Failure(code=error.status, message=error.message, retry_after_ms=error.retry_after_ms)
    return pb.RenderStreamResponse(id=request.id, failure=failure)


def registration(servicer: HtmlServicer) -> Register:
    """Return what adds a servicer to a server."""
    return lambda server: add_RenderServiceServicer_to_server(servicer, server)
