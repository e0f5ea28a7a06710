"""MetricsService over the engine: requests to jobs, scores and the description of the service to messages."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from importlib.metadata import version

import grpc

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceServicer, add_MetricsServiceServicer_to_server
from i2s_chassis.callers.audit import current_entry
from i2s_chassis.errors import CallError, InvalidArgumentError, NotFoundError
from i2s_chassis.server.admission import Ticket
from i2s_chassis.server.logs import log_context
from i2s_chassis.server.service import Chassis
from i2s_chassis.server.spans import current_span
from i2s_chassis.server.streaming import answer_stream
from i2s_metrics import registry
from i2s_metrics.bounded_cache import BoundedCache
from i2s_metrics.engine import MetricsEngine
from i2s_metrics.errors import UnknownMetricError
from i2s_metrics.model import ComparisonJob, JobResult, MetricValue, Outcome
from i2s_metrics.networks.files import LIBRARIES
from i2s_metrics.networks.messages import Description
from i2s_metrics.networks.networks import Networks
from i2s_metrics.registry import ImageMetric, Missing, reason_against
from i2s_metrics.settings import MetricsSettings
from i2s_wire.codec import encode
from i2s_wire.metrics.description import MetricDescription, MetricsDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricResult, Score, SizePolicy


class SentImages:
    """Keeps the images used last, bounded in bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._cache = BoundedCache(most_bytes)

    def add(self, data: bytes) -> None:
        """Keep an image; those unused for longest go. One larger than the bound is not kept."""
        self._cache.get(sha256(data), lambda: memoryview(data))

    def find(self, digest: str) -> bytes | None:
        """Return the image of this digest, if it is still kept."""
        kept = self._cache.find(digest)
        return kept.obj if isinstance(kept, memoryview) and isinstance(kept.obj, bytes) else None


def sha256(data: bytes) -> str:
    """Return the digest that names an image: SHA-256, lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


_MOST_ID_BYTES = 256
_SHA256 = re.compile(r"[0-9a-f]{64}")


def job_from_wire(
    request: pb.ScoreRequest, most_bytes: int, missing: Missing, sent: SentImages | None = None
) -> ComparisonJob:
    """Return what a request asks for.

    Args:
        request: Request as received.
        most_bytes: Maximum size of each encoded image.
        missing: Networks that cannot be run here; their metrics are computed only if named.
        sent: What the stream has sent before, to which this request's images are added; None
            for a single call.

    Raises:
        InvalidArgumentError: A field is missing or makes no sense.
        NotFoundError: A digest that the stream does not hold.
    """
    if len(request.id.encode()) > _MOST_ID_BYTES:
        raise InvalidArgumentError("id", f"longer than {_MOST_ID_BYTES} bytes")
    if sent is not None and not request.id:
        raise InvalidArgumentError("id", "empty; it alone identifies the responses of a stream")
    # Both images are kept before anything else can fail: the caller has sent them, and may
    # name them from now on.
    reference = _picture("reference", request.reference, most_bytes, sent)
    prediction = _picture("prediction", request.prediction, most_bytes, sent)
    profile = _profile(request.profile)
    return ComparisonJob(
        reference, prediction, _policy(request.size_policy), profile, _metrics(request, profile, missing)
    )


def _picture(field: str, image: pb.Image, most_bytes: int, sent: SentImages | None) -> bytes:
    kind = image.WhichOneof("image")
    if kind == "sha256":
        return _named(f"{field}.sha256", image.sha256, sent)
    if kind is None or not image.data:
        raise InvalidArgumentError(f"{field}.data", "empty; send a PNG, JPEG or WebP file")
    if len(image.data) > most_bytes:
        raise InvalidArgumentError(
            f"{field}.data", f"{len(image.data)} bytes, more than {most_bytes} (--max-image-bytes)"
        )
    if sent is not None:
        sent.add(image.data)
    return image.data


def _named(field: str, digest: str, sent: SentImages | None) -> bytes:
    if sent is None:
        raise InvalidArgumentError(field, "only ScoreStream keeps pictures; send the data")
    if not _SHA256.fullmatch(digest):
        raise InvalidArgumentError(field, "not 64 lower-case hexadecimal digits")
    data = sent.find(digest)
    if data is None:
        raise NotFoundError(f"{field}: the stream does not hold {digest}; send the data again")
    return data


def _profile(value: int) -> Profile:
    if value == pb.PROFILE_UNSPECIFIED:
        return Profile.PAPER
    try:
        return Profile[pb.Profile.Name(pb.Profile.ValueType(value)).removeprefix("PROFILE_")]
    except ValueError:
        raise InvalidArgumentError("profile", f"{value} is no profile; 1 is paper, 2 is helm") from None


def _policy(value: int) -> SizePolicy:
    if value == pb.SIZE_POLICY_UNSPECIFIED:
        return SizePolicy.PAD
    try:
        return SizePolicy(value)
    except ValueError:
        raise InvalidArgumentError("size_policy", f"{value} is no policy; 1 is pad, 2 is resize") from None


def _metrics(request: pb.ScoreRequest, profile: Profile, missing: Missing) -> tuple[str, ...]:
    try:
        return registry.choose(request.metrics, profile, missing)
    except UnknownMetricError as error:
        raise InvalidArgumentError("metrics", str(error)) from None


#: Libraries that can change a value.
_LIBRARIES = ("numpy", "scipy", "pillow", "numba")


def score_to_wire(
    request_id: str, job: ComparisonJob, result: JobResult, wall_seconds: float
) -> pb.ScoreResponse:
    """Return the answer to a request."""
    metrics = [registry.find(name, job.profile) for name in job.metrics]
    answer = Score(
        results=tuple(
            _result(metric, metric_value)
            for metric, metric_value in zip(metrics, result.outcomes, strict=True)
        ),
        profile=job.profile,
        reference_sha256=sha256(job.reference),
        prediction_sha256=sha256(job.prediction),
        width=result.width,
        height=result.height,
        wall_seconds=wall_seconds,
        cpu_seconds=result.cpu_seconds,
    )
    return encode(answer, pb.ScoreResponse, id=request_id, size_policy=job.policy)


def describe(
    settings: MetricsSettings, missing: Missing, networks: Description | None
) -> pb.DescribeResponse:
    """Return what this service is; a name with two definitions is described once for each.

    Args:
        settings: Settings of the service.
        missing: Networks that cannot be run here.
        networks: What the others run on; None as long as none was needed.
    """
    description = MetricsDescription(
        service=settings.service,
        version=version("i2s-metrics"),
        metrics=tuple(_description(metric, missing) for metric in registry.METRICS),
        versions=_versions(networks),
        device=networks.device if networks else "cpu",
        max_request_bytes=settings.max_request_bytes,
        max_image_pixels=settings.max_image_pixels,
        max_image_bytes=settings.max_image_bytes,
        slots=settings.slots,
        queue=settings.queue,
    )
    return encode(description, pb.DescribeResponse)


def _versions(networks: Description | None) -> dict[str, str]:
    versions = {library: version(library) for library in _LIBRARIES}
    if networks is not None:
        versions |= {library: version(library) for library in LIBRARIES} | {"precision": networks.precision}
    return versions


def _result(metric: ImageMetric, outcome: Outcome) -> MetricResult:
    result = MetricResult(
        name=metric.name,
        version=metric.version,
        direction=metric.direction,
        lower_bound=metric.lower_bound,
        upper_bound=metric.upper_bound,
    )
    if isinstance(outcome, MetricValue):
        return replace(result, value=outcome.value, parts=outcome.parts)
    return replace(result, failure=outcome)


def _description(metric: ImageMetric, missing: Missing) -> MetricDescription:
    return MetricDescription(
        name=metric.name,
        summary=metric.summary,
        source=metric.source,
        version=metric.version,
        direction=metric.direction,
        lower_bound=metric.lower_bound,
        upper_bound=metric.upper_bound,
        symmetric=metric.symmetric,
        parts=metric.parts,
        profiles=tuple(profile for profile in Profile if profile in metric.profiles),
        available=not reason_against(metric, missing),
        unavailable_reason=reason_against(metric, missing),
    )


__all__ = ["MetricsServicer", "add_MetricsServiceServicer_to_server"]


@dataclass(frozen=True, slots=True)
class _ScoreItem:
    """A request of a stream with its images found, or why it cannot be done."""

    id: str
    job: ComparisonJob | CallError


class MetricsServicer(MetricsServiceServicer):
    """Answers Score, ScoreStream and Describe."""

    def __init__(
        self,
        settings: MetricsSettings,
        engine: MetricsEngine,
        networks: Networks,
        missing: Missing,
        chassis: Chassis,
    ) -> None:
        self._settings, self._engine, self._chassis = settings, engine, chassis
        self._networks, self._missing = networks, missing

    async def Score(  # noqa: N802
        self, request: pb.ScoreRequest, context: grpc.aio.ServicerContext[pb.ScoreRequest, pb.ScoreResponse]
    ) -> pb.ScoreResponse:
        """Compare one pair."""
        job = job_from_wire(request, self._settings.max_image_bytes, self._missing)
        async with self._chassis.admission.slot(context.time_remaining()) as ticket:
            return await self._score(request.id, job, ticket)

    async def ScoreStream(  # noqa: N802
        self,
        request_iterator: AsyncIterator[pb.ScoreRequest],
        context: grpc.aio.ServicerContext[pb.ScoreRequest, pb.ScoreStreamResponse],
    ) -> AsyncIterator[pb.ScoreStreamResponse]:
        """Compare many pairs."""
        items = self._items(request_iterator)
        async for response in answer_stream(self._chassis, items, self._answer, _failed):
            yield response

    async def Describe(  # noqa: N802
        self,
        request: pb.DescribeRequest,
        context: grpc.aio.ServicerContext[pb.DescribeRequest, pb.DescribeResponse],
    ) -> pb.DescribeResponse:
        """Say what this service is."""
        return describe(self._settings, self._missing, self._networks.description)

    async def _items(self, requests: AsyncIterator[pb.ScoreRequest]) -> AsyncIterator[_ScoreItem]:
        # Digests are looked up in the order of sending, before items overtake each other.
        sent = SentImages(self._settings.stream_memory)
        async for request in requests:
            try:
                job = job_from_wire(request, self._settings.max_image_bytes, self._missing, sent)
                yield _ScoreItem(request.id, job)
            except CallError as error:
                yield _ScoreItem(request.id, error)

    async def _answer(self, item: _ScoreItem, ticket: Ticket) -> pb.ScoreStreamResponse:
        if isinstance(item.job, CallError):
            raise item.job
        return pb.ScoreStreamResponse(id=item.id, response=await self._score(item.id, item.job, ticket))

    async def _score(self, request_id: str, job: ComparisonJob, ticket: Ticket) -> pb.ScoreResponse:
        started = time.perf_counter()
        entry = current_entry()
        entry.source_sha256 = await asyncio.to_thread(_prediction_digest, job)
        with log_context(id=request_id):
            score = await self._engine.score(job)
        ticket.cpu_seconds = score.cpu_seconds
        entry.verdict = "scored"
        current_span().set({"i2s.source.sha256": entry.source_sha256, "i2s.verdict": entry.verdict})
        self._chassis.telemetry.job("scored", ticket.seconds())
        return score_to_wire(request_id, job, score, time.perf_counter() - started)


def _prediction_digest(job: ComparisonJob) -> str:
    """Return the digest of the prediction; the reference is the benchmark's."""
    return hashlib.sha256(job.prediction).hexdigest()


def _failed(item: _ScoreItem, error: CallError) -> pb.ScoreStreamResponse:
    failure = pb.Failure(code=error.status, message=error.message, retry_after_ms=error.retry_after_ms)
    return pb.ScoreStreamResponse(id=item.id, failure=failure)
