"""Pairs of images and their scores as messages of ``i2s.metrics.v1``."""

from __future__ import annotations

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricResult, Score, ScoreRequest, SizePolicy

_PROFILES = {Profile.PAPER: pb.PROFILE_PAPER, Profile.HELM: pb.PROFILE_HELM}


def profile(one: Profile) -> pb.Profile.ValueType:
    """Return the number of a profile."""
    return _PROFILES[one]


def score_request(request: ScoreRequest, reference_sha256: str = "") -> pb.ScoreRequest:
    """Return the request to compare two encoded images.

    Args:
        request: The pair, and how to compare it.
        reference_sha256: SHA-256 of a reference that the stream has; empty sends the reference itself.
    """
    reference = pb.Image(sha256=reference_sha256) if reference_sha256 else pb.Image(data=request.reference)
    return pb.ScoreRequest(
        id=request.id,
        reference=reference,
        prediction=pb.Image(data=request.prediction),
        size_policy=pb.SizePolicy.ValueType(request.size_policy),
        profile=profile(request.profile),
        metrics=request.metrics,
    )


def score(answer: Score, size_policy: SizePolicy, request_id: str = "") -> pb.ScoreResponse:
    """Return the answer to a request.

    Args:
        answer: The score of the pair.
        size_policy: The policy that gave both images one size.
        request_id: Identifier of the request.
    """
    return pb.ScoreResponse(
        id=request_id,
        results=[metric_result(one) for one in answer.results],
        profile=profile(answer.profile),
        size_policy=pb.SizePolicy.ValueType(size_policy),
        reference_sha256=answer.reference_sha256,
        prediction_sha256=answer.prediction_sha256,
        width=answer.width,
        height=answer.height,
        wall_seconds=answer.wall_seconds,
        cpu_seconds=answer.cpu_seconds,
    )


def metric_result(result: MetricResult) -> pb.MetricResult:
    """Return the outcome of one metric as the wire has it."""
    message = pb.MetricResult(
        name=result.name,
        parts=result.parts,
        version=result.version,
        direction=pb.Direction.ValueType(result.direction),
        lower_bound=result.lower_bound,
        upper_bound=result.upper_bound,
    )
    if result.value is not None:
        message.value = result.value
    elif result.failure is not None:
        message.failure.kind = pb.MetricFailureKind.ValueType(result.failure.kind)
        message.failure.message = result.failure.message
    return message
