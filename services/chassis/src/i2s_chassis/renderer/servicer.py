"""RenderService over an engine: wire to domain and back, the same for every renderer."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Generic, Protocol, TypeVar

import grpc.aio

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceServicer, add_RenderServiceServicer_to_server
from i2s_chassis.callers.audit import current_entry
from i2s_chassis.errors import CallError, InvalidArgumentError
from i2s_chassis.jail import Isolation
from i2s_chassis.limits import Limits
from i2s_chassis.renderer import wire
from i2s_chassis.renderer.bounds import shown
from i2s_chassis.renderer.job import record_job, run_with_rerun
from i2s_chassis.renderer.model import EngineInstallation, RawRendering
from i2s_chassis.renderer.settings import RendererSettings
from i2s_chassis.renderer.verdict import within_limits
from i2s_chassis.renderer.wire import answer_of
from i2s_chassis.server.admission import Ticket
from i2s_chassis.server.logs import log_context
from i2s_chassis.server.service import Chassis, Register
from i2s_chassis.server.spans import current_span
from i2s_chassis.server.streaming import answer_stream
from i2s_wire.codec import encode
from i2s_wire.render.rendering import Engine, Rendering, Verdict

_log = logging.getLogger(__name__)


class LimitedJob(Protocol):
    """The fields that every job has."""

    @property
    def limits(self) -> Limits:
        """The limits of the job."""
        ...


J = TypeVar("J", bound=LimitedJob)
R = TypeVar("R", bound=RawRendering)
J_contra = TypeVar("J_contra", bound=LimitedJob, contravariant=True)
R_co = TypeVar("R_co", bound=RawRendering, covariant=True)


class RenderEngine(Protocol[J_contra, R_co]):
    """The engine behind a renderer."""

    @property
    def installation(self) -> EngineInstallation:
        """The installation of the engine."""
        ...

    @property
    def isolation(self) -> Isolation:
        """The isolation that jobs run in."""
        ...

    async def render(self, job: J_contra) -> R_co:
        """Do a job.

        Raises:
            RendererError: A fault of the engine.
            JailError: A fault of the jail.
        """
        ...


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a renderer."""

    #: Its distribution.
    package: str
    #: What it takes: a field of the oneof ``source`` of requests.
    source: str
    #: What makes its images.
    engine: str
    #: The defaults.
    options: pb.RenderOptions
    #: Maximum number of files of a request; 0 if it can have none.
    max_files: int = 0
    #: Languages of the generic sources that it takes.
    languages: tuple[str, ...] = ()


class RendererServicer(RenderServiceServicer, ABC, Generic[J, R]):
    """Answers render requests. A renderer says what is its own."""

    def __init__(
        self, identity: Identity, engine: RenderEngine[J, R], settings: RendererSettings, chassis: Chassis
    ) -> None:
        self.chassis = chassis
        self._identity, self._settings = identity, settings
        self._engine: RenderEngine[J, R] = engine
        self._limits = settings.limit_table()
        self._jobs = 0

    @property
    def missing(self) -> Sequence[str]:
        """Optional parts of the engine that are not installed, each with the package that has it."""
        return ()

    @abstractmethod
    def job(self, request: pb.RenderRequest, limits: Limits) -> J:
        """Return what a request asks for.

        Raises:
            InvalidArgumentError: A value has no meaning; names the field.
        """

    @abstractmethod
    def source_sha256(self, job: J) -> str:
        """Return what identifies the source of a job in the log."""

    async def render(self, job: J) -> R:
        """Do a job.

        Raises:
            InvalidArgumentError: The engine found that an option has no meaning.
        """
        rendering = await self._engine.render(job)
        self._jobs += 1
        return rendering

    @abstractmethod
    def warm(self) -> list[pb.WarmEngine]:
        """Return what stands ready."""

    def engine_of(self, job: J) -> Engine:
        """Return what makes the images of a job; for renderers with several engines."""
        return self._named_engine()

    def complete(self, answer: Rendering, raw: R) -> Rendering:
        """Return an answer with what only this renderer has."""
        return answer

    def notes(self, raw: R) -> dict[str, object]:
        """Return fields for the log."""
        return {"pages": raw.total_pages}

    async def Render(  # noqa: N802 - the name on the wire
        self,
        request: pb.RenderRequest,
        context: grpc.aio.ServicerContext[pb.RenderRequest, pb.RenderResponse],
    ) -> pb.RenderResponse:
        """Render one source."""
        async with self.chassis.admission.slot(context.time_remaining()) as ticket:
            return await self._answer(request, ticket)

    async def RenderStream(  # noqa: N802
        self,
        request_iterator: AsyncIterator[pb.RenderRequest],
        context: grpc.aio.ServicerContext[pb.RenderRequest, pb.RenderStreamResponse],
    ) -> AsyncIterator[pb.RenderStreamResponse]:
        """Render the sources of a stream."""
        async for item in answer_stream(self.chassis, request_iterator, self._item, _failed):
            yield item

    async def Describe(  # noqa: N802
        self,
        request: pb.DescribeRequest,
        context: grpc.aio.ServicerContext[pb.DescribeRequest, pb.DescribeResponse],
    ) -> pb.DescribeResponse:
        """Say what this service is."""
        identity, installation = self._identity, self._engine.installation
        return pb.DescribeResponse(
            service=self._settings.service,
            version=version(identity.package),
            engine=encode(self._named_engine(), pb.Engine),
            versions=dict(installation.versions),
            fonts_digest=installation.fonts_digest,
            isolation=encode(wire.wire_isolation(self._engine.isolation), pb.Isolation),
            default_limits=encode(wire.wire_limits(self._limits.default), pb.Limits),
            max_limits=encode(wire.wire_limits(self._limits.maximum), pb.Limits),
            defaults=identity.options,
            sources=[identity.source],
            max_request_bytes=self._settings.max_request_bytes,
            max_files=identity.max_files,
            slots=self.chassis.admission.slots,
            queue=self.chassis.admission.queue,
            warm=self.warm(),
            missing=self.missing,
            languages=identity.languages,
        )

    def _named_engine(self) -> Engine:
        installation = self._engine.installation
        return Engine(self._identity.engine, installation.version, installation.digest)

    async def _item(self, request: pb.RenderRequest, ticket: Ticket) -> pb.RenderStreamResponse:
        if not request.id:
            raise InvalidArgumentError("id", "is required in a stream, where it identifies the responses")
        return pb.RenderStreamResponse(id=request.id, response=await self._answer(request, ticket))

    async def _answer(self, request: pb.RenderRequest, ticket: Ticket) -> pb.RenderResponse:
        wire.check_id(request.id)
        self._check_kind(request)
        limits = wire.limits_from_wire(request.limits, self._limits)
        job = self.job(request, limits)
        current_entry().source_sha256 = digest = self.source_sha256(job)
        with log_context(source_sha256=digest):
            raw = within_limits(await self._render_surely(job), limits)
            engine = self.engine_of(job)
            current_span().set({"i2s.source.sha256": digest, "i2s.engine.digest": engine.digest})
            answer = answer_of(
                raw,
                ticket.queue_seconds,
                limits=limits,
                isolation=self._engine.isolation,
                engine=engine,
            )
            message = encode(self.complete(answer, raw), pb.RenderResponse, id=request.id)
            self._record(raw, ticket)
        return message

    def _check_kind(self, request: pb.RenderRequest) -> None:
        """Refuse a kind of source, or a language, that is not served here.

        Raises:
            InvalidArgumentError: It is not; names the field.
        """
        source, languages = self._identity.source, self._identity.languages
        if request.WhichOneof("source") != source:
            raise InvalidArgumentError("source", f"this service renders {source} only")
        if source == "generic" and request.generic.language not in languages:
            asked, served = shown(request.generic.language), ", ".join(languages)
            raise InvalidArgumentError("generic.language", f'is "{asked}"; this service renders {served}')

    async def _render_surely(self, job: J) -> R:
        """Render, once more if something outside may have ended the job.

        Raises:
            UnavailableError: The sandbox of the job was lost or could not be made.
        """
        attempts = self._settings.jail_attempts
        return await run_with_rerun(lambda: self.render(job), self._doubt, self.chassis.telemetry, attempts)

    def _doubt(self, rendering: R) -> str | None:
        """Return why the end of a job may not be its own doing, None if it surely is."""
        if rendering.interrupted or rendering.verdict is Verdict.CRASHED:
            return f"{rendering.verdict.name.lower()}: {rendering.message}"
        return None

    def _record(self, rendering: R, ticket: Ticket) -> None:
        verdict = rendering.verdict.name.lower()
        record_job(
            self.chassis.telemetry, ticket, verdict=verdict, stages=rendering.stages, events=rendering.events
        )
        _log.info("rendered", extra={"fields": {"verdict": verdict, **self.notes(rendering)}})

    def registration(self) -> Register:
        """Return what adds this to a server."""
        return lambda server: add_RenderServiceServicer_to_server(self, server)


def _failed(request: pb.RenderRequest, error: CallError) -> pb.RenderStreamResponse:
    failure = pb.Failure(code=error.status, message=error.message, retry_after_ms=error.retry_after_ms)
    return pb.RenderStreamResponse(id=request.id, failure=failure)
