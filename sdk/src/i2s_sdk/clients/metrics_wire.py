"""Scores on the wire: requests from our own words, answers into them."""

from __future__ import annotations

import math

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_sdk.clients.descriptions import MetricDescription, MetricsDescription
from i2s_sdk.clients.wire import member
from i2s_sdk.errors import ProtocolError
from i2s_sdk.profile import Profile
from i2s_sdk.score_types import (
    Direction,
    MetricFailure,
    MetricFailureKind,
    MetricResult,
    Score,
    ScoreRequest,
)

_TO_WIRE = {Profile.PAPER: pb.PROFILE_PAPER, Profile.HELM: pb.PROFILE_HELM}
_FROM_WIRE = {number: profile for profile, number in _TO_WIRE.items()}


def score_request(request: ScoreRequest, reference_sha256: str = "") -> pb.ScoreRequest:
    """Return the request to compare two encoded pictures.

    Args:
        request: In our own words.
        reference_sha256: Of a reference that the stream has; empty sends the reference itself.
    """
    reference = pb.Image(sha256=reference_sha256) if reference_sha256 else pb.Image(data=request.reference)
    return pb.ScoreRequest(
        id=request.id,
        reference=reference,
        prediction=pb.Image(data=request.prediction),
        size_policy=pb.SizePolicy.ValueType(request.size_policy),
        profile=_TO_WIRE[request.profile],
        metrics=request.metrics,
    )


def score(answer: pb.ScoreResponse) -> Score:
    """Return an answer in our own words.

    Raises:
        ProtocolError: It holds something that the contract does not have.
    """
    return Score(
        results=tuple(_result(one) for one in answer.results),
        profile=_profile(answer.profile),
        reference_sha256=answer.reference_sha256,
        prediction_sha256=answer.prediction_sha256,
        width=answer.width,
        height=answer.height,
        wall_seconds=answer.wall_seconds,
        cpu_seconds=answer.cpu_seconds,
    )


def description(answer: pb.DescribeResponse) -> MetricsDescription:
    """Return what a metric service says of itself in our own words.

    Raises:
        ProtocolError: It holds something that the contract does not have.
    """
    return MetricsDescription(
        service=answer.service,
        version=answer.version,
        metrics=tuple(_metric(one) for one in answer.metrics),
        versions=dict(sorted(answer.versions.items())),
        device=answer.device,
        max_request_bytes=answer.max_request_bytes,
        max_image_pixels=answer.max_image_pixels,
        slots=answer.slots,
        queue=answer.queue,
        max_image_bytes=answer.max_image_bytes,
    )


def _result(result: pb.MetricResult) -> MetricResult:
    outcome = result.WhichOneof("outcome")
    if outcome is None:
        raise ProtocolError(f"the metric service answered neither a value nor a reason for {result.name!r}")
    if outcome == "value" and not math.isfinite(result.value):
        raise ProtocolError(
            f"the metric service answered {result.value} for {result.name!r}, which is no value"
        )
    failure = None
    if outcome == "failure":
        kind = member(MetricFailureKind, result.failure.kind, "results.failure.kind")
        failure = MetricFailure(kind, result.failure.message)
    return MetricResult(
        name=result.name,
        value=result.value if outcome == "value" else None,
        failure=failure,
        parts=dict(sorted(result.parts.items())),
        version=result.version,
        direction=member(Direction, result.direction, "results.direction"),
        lower_bound=result.lower_bound,
        upper_bound=result.upper_bound,
    )


def _metric(metric: pb.MetricDescription) -> MetricDescription:
    return MetricDescription(
        name=metric.name,
        summary=metric.summary,
        source=metric.source,
        version=metric.version,
        direction=member(Direction, metric.direction, "metrics.direction"),
        lower_bound=metric.lower_bound,
        upper_bound=metric.upper_bound,
        symmetric=metric.symmetric,
        parts=tuple(metric.parts),
        profiles=tuple(_profile(one) for one in metric.profiles),
        available=metric.available,
        unavailable_reason=metric.unavailable_reason,
    )


def _profile(number: int) -> Profile:
    found = _FROM_WIRE.get(pb.Profile.ValueType(number))
    if found is None:
        raise ProtocolError(f"the metric service answered profile = {number}, which i2s-sdk does not know")
    return found
