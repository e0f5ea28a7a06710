"""The wire of the metric service: from messages to jobs and back, nothing else."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import grpc

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceServicer, add_MetricsServiceServicer_to_server
from i2s_chassis.callers.audit import current_entry
from i2s_chassis.errors import CallError
from i2s_chassis.server.admission import Ticket
from i2s_chassis.server.logs import log_context
from i2s_chassis.server.service import Chassis
from i2s_chassis.server.spans import current_span
from i2s_chassis.server.streaming import answer_stream
from i2s_metrics.engine import MetricsEngine
from i2s_metrics.model import Job
from i2s_metrics.networks.networks import Networks
from i2s_metrics.registry import Missing
from i2s_metrics.settings import MetricsSettings
from i2s_metrics.wire import SentImages, describe, job_from_wire, score_to_wire

__all__ = ["MetricsServicer", "add_MetricsServiceServicer_to_server"]


@dataclass(frozen=True, slots=True)
class _Item:
    """A request of a stream with its images found, or why it cannot be done."""

    id: str
    job: Job | CallError


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

    async def _items(self, requests: AsyncIterator[pb.ScoreRequest]) -> AsyncIterator[_Item]:
        # Digests are looked up in the order of sending, before items overtake each other.
        sent = SentImages(self._settings.stream_memory)
        async for request in requests:
            try:
                job = job_from_wire(request, self._settings.max_image_bytes, self._missing, sent)
                yield _Item(request.id, job)
            except CallError as error:
                yield _Item(request.id, error)

    async def _answer(self, item: _Item, ticket: Ticket) -> pb.ScoreStreamResponse:
        if isinstance(item.job, CallError):
            raise item.job
        return pb.ScoreStreamResponse(id=item.id, response=await self._score(item.id, item.job, ticket))

    async def _score(self, request_id: str, job: Job, ticket: Ticket) -> pb.ScoreResponse:
        started = time.perf_counter()
        entry = current_entry()
        entry.source_sha256 = await asyncio.to_thread(_digest, job)
        with log_context(id=request_id):
            score = await self._engine.score(job)
        ticket.cpu_seconds = score.cpu_seconds
        entry.verdict = "scored"
        current_span().set({"i2s.source.sha256": entry.source_sha256, "i2s.verdict": entry.verdict})
        self._chassis.telemetry.job("scored", ticket.seconds())
        return score_to_wire(request_id, job, score, time.perf_counter() - started)


def _digest(job: Job) -> str:
    """Return the digest of the prediction; the reference is the benchmark's."""
    return hashlib.sha256(job.prediction).hexdigest()


def _failed(item: _Item, error: CallError) -> pb.ScoreStreamResponse:
    failure = pb.Failure(code=error.status, message=error.message, retry_after_ms=error.retry_after_ms)
    return pb.ScoreStreamResponse(id=item.id, failure=failure)
