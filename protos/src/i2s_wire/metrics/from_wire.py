"""Answers of the metric service, read from messages of ``i2s.metrics.v1``."""

from __future__ import annotations

import math

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_wire.errors import ContractError, UnknownValueError, member
from i2s_wire.metrics import to_wire
from i2s_wire.metrics.description import MetricDescription, MetricsDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Direction, MetricFailure, MetricFailureKind, MetricResult, Score

_PROFILES: dict[int, Profile] = {to_wire.profile(one): one for one in Profile}


def profile(number: int, field: str = "profile") -> Profile:
    """Return the profile with this number.

    Raises:
        UnknownValueError: There is none.
    """
    try:
        return _PROFILES[number]
    except KeyError:
        raise UnknownValueError(field, number) from None


def score(answer: pb.ScoreResponse) -> Score:
    """Return the score of a pair.

    Raises:
        ContractError: The message holds something that the contract does not allow.
    """
    return Score(
        results=tuple(metric_result(one) for one in answer.results),
        profile=profile(answer.profile),
        reference_sha256=answer.reference_sha256,
        prediction_sha256=answer.prediction_sha256,
        width=answer.width,
        height=answer.height,
        wall_seconds=answer.wall_seconds,
        cpu_seconds=answer.cpu_seconds,
    )


def description(answer: pb.DescribeResponse) -> MetricsDescription:
    """Return what a metric service says of itself.

    Raises:
        ContractError: The message holds something that the contract does not allow.
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


def metric_result(result: pb.MetricResult) -> MetricResult:
    """Return the outcome of one metric.

    Raises:
        ContractError: The message holds something that the contract does not allow.
    """
    outcome = result.WhichOneof("outcome")
    if outcome is None:
        raise ContractError(f"neither a value nor a reason for {result.name!r}")
    if outcome == "value" and not math.isfinite(result.value):
        raise ContractError(f"{result.value} for {result.name!r}, which is no value")
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
        profiles=tuple(profile(one, "metrics.profiles") for one in metric.profiles),
        available=metric.available,
        unavailable_reason=metric.unavailable_reason,
    )
