"""Requests to the metric service as messages."""

from __future__ import annotations

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_wire.metrics.score import ScoreRequest


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
        profile=pb.Profile.Value(f"PROFILE_{request.profile.name}"),
        metrics=request.metrics,
    )
