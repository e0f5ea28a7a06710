"""Writes scores, and what the service is, to the wire."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_metrics import registry
from i2s_metrics.metrics.base import Metric
from i2s_metrics.model import Job, JobResult, Outcome, Value
from i2s_metrics.networks.files import LIBRARIES
from i2s_metrics.networks.messages import Description
from i2s_metrics.registry import Missing, reason_against
from i2s_metrics.sent_pictures import sha256
from i2s_metrics.settings import MetricsSettings
from i2s_wire.metrics import to_wire
from i2s_wire.metrics.score import MetricResult, Score

#: Libraries that can change a value.
_LIBRARIES = ("numpy", "scipy", "pillow", "numba")


def score_to_wire(request_id: str, job: Job, result: JobResult, wall_seconds: float) -> pb.ScoreResponse:
    """Return the answer to a request."""
    metrics = [registry.find(name, job.profile) for name in job.metrics]
    answer = Score(
        results=tuple(_result(metric, one) for metric, one in zip(metrics, result.outcomes, strict=True)),
        profile=job.profile,
        reference_sha256=sha256(job.reference),
        prediction_sha256=sha256(job.prediction),
        width=result.width,
        height=result.height,
        wall_seconds=wall_seconds,
        cpu_seconds=result.cpu_seconds,
    )
    return to_wire.score(answer, job.policy, request_id)


def describe(
    settings: MetricsSettings, missing: Missing, networks: Description | None
) -> pb.DescribeResponse:
    """Return what this service is; a name with two definitions is described once for each.

    Args:
        settings: Settings of the service.
        missing: Networks that cannot be run here.
        networks: What the others run on; None as long as none was needed.
    """
    return pb.DescribeResponse(
        service=settings.service,
        version=version("i2s-metrics"),
        metrics=[_description(metric, missing) for metric in registry.METRICS],
        versions=_versions(networks),
        device=networks.device if networks else "cpu",
        max_request_bytes=settings.max_request_bytes,
        max_image_pixels=settings.max_image_pixels,
        max_image_bytes=settings.max_image_bytes,
        slots=settings.slots,
        queue=settings.queue,
    )


def _versions(networks: Description | None) -> dict[str, str]:
    versions = {library: version(library) for library in _LIBRARIES}
    if networks is not None:
        versions |= {library: version(library) for library in LIBRARIES} | {"precision": networks.precision}
    return versions


def _result(metric: Metric, outcome: Outcome) -> MetricResult:
    result = MetricResult(
        name=metric.name,
        version=metric.version,
        direction=metric.direction,
        lower_bound=metric.lower_bound,
        upper_bound=metric.upper_bound,
    )
    if isinstance(outcome, Value):
        return replace(result, value=outcome.value, parts=outcome.parts)
    return replace(result, failure=outcome)


def _description(metric: Metric, missing: Missing) -> pb.MetricDescription:
    return pb.MetricDescription(
        name=metric.name,
        summary=metric.summary,
        source=metric.source,
        version=metric.version,
        direction=pb.Direction.ValueType(metric.direction),
        lower_bound=metric.lower_bound,
        upper_bound=metric.upper_bound,
        symmetric=metric.symmetric,
        parts=metric.parts,
        profiles=sorted(map(to_wire.profile, metric.profiles)),
        available=not reason_against(metric, missing),
        unavailable_reason=reason_against(metric, missing),
    )
