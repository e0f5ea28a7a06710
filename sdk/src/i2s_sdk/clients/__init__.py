"""Typed clients of the services: deadlines, one retry policy, and no type of the wire beyond this package."""

from i2s_sdk.clients.bulk import Streamed
from i2s_sdk.clients.descriptions import MetricDescription, MetricsDescription, RendererDescription
from i2s_sdk.clients.metrics import AsyncMetricsClient, MetricsClient
from i2s_sdk.clients.render import AsyncRenderClient, RenderClient
from i2s_sdk.clients.retry import RetryPolicy
from i2s_sdk.score_types import (
    Direction,
    MetricFailure,
    MetricFailureKind,
    MetricResult,
    Score,
    ScoreRequest,
    SizePolicy,
)

__all__ = [
    "AsyncMetricsClient",
    "AsyncRenderClient",
    "Direction",
    "MetricDescription",
    "MetricFailure",
    "MetricFailureKind",
    "MetricResult",
    "MetricsClient",
    "MetricsDescription",
    "RenderClient",
    "RendererDescription",
    "RetryPolicy",
    "Score",
    "ScoreRequest",
    "SizePolicy",
    "Streamed",
]
