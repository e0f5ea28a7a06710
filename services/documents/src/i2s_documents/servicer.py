"""DocumentsService over pandoc and PDFium: messages to jobs, results to messages."""

from __future__ import annotations

import hashlib
import logging
import math
from importlib.metadata import version

import grpc.aio

from i2s.documents.v1 import documents_pb2 as pb
from i2s.documents.v1.documents_pb2_grpc import (
    DocumentsServiceServicer,
    add_DocumentsServiceServicer_to_server,
)
from i2s_chassis.callers.audit import current_entry
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail import Jail
from i2s_chassis.limits import Limits
from i2s_chassis.renderer import wire
from i2s_chassis.renderer.job import record_job, run_with_rerun, sandbox_required
from i2s_chassis.renderer.model import RawStage
from i2s_chassis.renderer.wire import check_id, chosen, whole_number
from i2s_chassis.server.admission import Ticket
from i2s_chassis.server.logs import log_context
from i2s_chassis.server.service import Chassis, Register
from i2s_chassis.server.spans import current_span
from i2s_documents.conversion import Converter
from i2s_documents.installation import DocumentsInstallation
from i2s_documents.model import ConvertJob, DrawJob, RawConversions, RawFragment, RawPages
from i2s_documents.pages import DocumentDrawing
from i2s_documents.settings import DocumentsSettings
from i2s_wire.codec import encode
from i2s_wire.documents.conversion import Conversions, FragmentFormat
from i2s_wire.documents.description import DocumentsDescription
from i2s_wire.documents.drawing import ImageFormat, PageDrawing, PageImages
from i2s_wire.render import rendering
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.resources import Usage

_DEFAULT = PageDrawing()
_MAX_DPI = 2400.0
_MAX_PAGE = 2**31
_MAX_QUALITY = 100


def convert_job(request: pb.ConvertRequest, limits: Limits, max_fragments: int) -> ConvertJob:
    """Return the fragments that a request asks to convert.

    Raises:
        InvalidArgumentError: There are too many, or a value has no meaning; names the field.
    """
    number = len(request.fragments)
    if number > max_fragments:
        raise InvalidArgumentError("fragments", f"has {number} of them, at most {max_fragments} are taken")
    return ConvertJob(tuple(_fragment(fragment, at) for at, fragment in enumerate(request.fragments)), limits)


def _fragment(fragment: pb.Fragment, at: int) -> RawFragment:
    check_id(fragment.id, f"fragments[{at}].id")
    try:
        source = FragmentFormat(fragment.format)
    except ValueError:
        reason = f"{fragment.format} is neither Markdown nor LaTeX"
        raise InvalidArgumentError(f"fragments[{at}].format", reason) from None
    return RawFragment(fragment.id, source, fragment.text)


def draw_job(request: pb.DrawPagesRequest, limits: Limits) -> DrawJob:
    """Return the pages that a request asks to draw.

    Raises:
        InvalidArgumentError: A value has no meaning; names the field.
    """
    dpi = request.dpi if request.HasField("dpi") else _DEFAULT.dpi
    if not (math.isfinite(dpi) and 0 < dpi <= _MAX_DPI):
        raise InvalidArgumentError("dpi", f"{dpi} is not above 0 and at most {_MAX_DPI:g}")
    drawing = PageDrawing(
        dpi=dpi,
        format=ImageFormat(chosen(request.format, _DEFAULT.format, "format")),
        quality=whole_number(request, "jpeg_quality", "", _DEFAULT.quality, _MAX_QUALITY),
    )
    first = whole_number(request, "first_page", "", 1, _MAX_PAGE)
    count = whole_number(request, "page_count", "", 1, _MAX_PAGE) if request.HasField("page_count") else None
    return DrawJob(request.pdf, drawing, first, count, limits)


_log = logging.getLogger(__name__)


class DocumentsServicer(DocumentsServiceServicer):
    """Answers requests to convert fragments and to draw pages."""

    def __init__(
        self,
        converter: Converter,
        page_renderer: DocumentDrawing,
        installation: DocumentsInstallation,
        jail: Jail,
        settings: DocumentsSettings,
        chassis: Chassis,
    ) -> None:
        self._converter, self._page_renderer, self._installation = converter, page_renderer, installation
        self._jail, self._settings, self._chassis = jail, settings, chassis
        self._limits = settings.limit_table()

    async def Convert(  # noqa: N802 - the name on the wire
        self,
        request: pb.ConvertRequest,
        context: grpc.aio.ServicerContext[pb.ConvertRequest, pb.ConvertResponse],
    ) -> pb.ConvertResponse:
        """Convert fragments to HTML."""
        async with self._chassis.admission.slot(context.time_remaining()) as ticket:
            wire.check_id(request.id)
            limits = wire.limits_from_wire(request.limits, self._limits)
            job = convert_job(request, limits, self._settings.max_fragments)
            current_entry().source_sha256 = digest = _digest_of_fragments(job)
            with log_context(source_sha256=digest):
                with sandbox_required():
                    raw = await self._converter.convert(job)
                self._record(ticket, _verdict_of(raw), [RawStage("convert", raw.usage)], raw)
            return encode(
                Conversions(
                    tuple(raw.converted),
                    wire.wire_usage(raw.usage),
                    wire.wire_limits(limits),
                    wire.wire_isolation(self._jail.isolation),
                    self._installation.converter,
                    wire.wire_policy_events(raw.events),
                ),
                pb.ConvertResponse,
                id=request.id,
            )

    async def DrawPages(  # noqa: N802
        self,
        request: pb.DrawPagesRequest,
        context: grpc.aio.ServicerContext[pb.DrawPagesRequest, pb.DrawPagesResponse],
    ) -> pb.DrawPagesResponse:
        """Draw pages of a PDF document."""
        async with self._chassis.admission.slot(context.time_remaining()) as ticket:
            wire.check_id(request.id)
            job = draw_job(request, wire.limits_from_wire(request.limits, self._limits))
            current_entry().source_sha256 = digest = hashlib.sha256(job.pdf).hexdigest()
            with log_context(source_sha256=digest):
                raw = await run_with_rerun(
                    lambda: self._page_renderer.draw(job),
                    _doubt,
                    self._chassis.telemetry,
                    self._settings.jail_attempts,
                )
                self._record(ticket, raw.verdict, raw.stages, raw)
            return encode(self._page_images(raw, job, ticket), pb.DrawPagesResponse, id=request.id)

    async def Describe(  # noqa: N802
        self,
        request: pb.DescribeRequest,
        context: grpc.aio.ServicerContext[pb.DescribeRequest, pb.DescribeResponse],
    ) -> pb.DescribeResponse:
        """Say what this service is."""
        installed, settings, admission = self._installation, self._settings, self._chassis.admission
        return encode(
            DocumentsDescription(
                service=settings.service,
                version=version("i2s-documents"),
                engines=(installed.converter, installed.rasteriser),
                versions=installed.versions,
                fonts_digest=installed.fonts_digest,
                isolation=wire.wire_isolation(self._jail.isolation),
                default_limits=wire.wire_limits(self._limits.default),
                max_limits=wire.wire_limits(self._limits.maximum),
                max_request_bytes=settings.max_request_bytes,
                max_fragments=settings.max_fragments,
                max_fragment_bytes=settings.max_fragment_bytes,
                max_pages_drawn=settings.max_pages_drawn,
                slots=admission.slots,
                queue=admission.queue,
            ),
            pb.DescribeResponse,
        )

    def registration(self) -> Register:
        """Return what adds this to a server."""
        return lambda server: add_DocumentsServiceServicer_to_server(self, server)

    def _page_images(self, raw: RawPages, job: DrawJob, ticket: Ticket) -> PageImages:
        queued = rendering.Stage("queue", Usage(wall_seconds=ticket.queue_seconds))
        stages = (
            rendering.Stage(stage.name, wire.wire_usage(stage.usage), stage.detail) for stage in raw.stages
        )
        return PageImages(
            verdict=raw.verdict,
            message=wire.printable(raw.message)[: wire.MAX_TEXT],
            pages=tuple(raw.pages),
            total_pages=raw.total_pages,
            defect=raw.defect,
            stages=(queued, *stages),
            usage=wire.wire_usage(raw.usage),
            limits=wire.wire_limits(job.limits),
            isolation=wire.wire_isolation(self._jail.isolation),
            engine=self._installation.rasteriser,
            policy_events=wire.wire_policy_events(raw.events),
        )

    def _record(
        self, ticket: Ticket, verdict: Verdict, stages: list[RawStage], raw: RawConversions | RawPages
    ) -> None:
        name = verdict.name.lower()
        installed = self._installation
        engine = installed.converter if isinstance(raw, RawConversions) else installed.rasteriser
        digests = {"i2s.source.sha256": current_entry().source_sha256, "i2s.engine.digest": engine.digest}
        current_span().set(digests)
        record_job(self._chassis.telemetry, ticket, verdict=name, stages=stages, events=raw.events)
        number = len(raw.converted) if isinstance(raw, RawConversions) else len(raw.pages)
        _log.info("done", extra={"fields": {"verdict": name, "parts": number}})


def _digest_of_fragments(job: ConvertJob) -> str:
    digest = hashlib.sha256()
    for fragment in job.fragments:
        digest.update(b"%d %d\n" % (fragment.format, len(fragment.content)))
        digest.update(fragment.content)
    return digest.hexdigest()


def _verdict_of(raw: RawConversions) -> Verdict:
    """Return how a request for conversions counts: RENDERED, or the verdict of its first failure."""
    return next((item.verdict for item in raw.converted if item.verdict is not None), Verdict.RENDERED)


def _doubt(raw: RawPages) -> str | None:
    return f"crashed: {raw.message}" if raw.verdict is Verdict.CRASHED else None
