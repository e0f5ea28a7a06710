"""Typed clients of the services: deadlines, one retry policy, and no type of the wire beyond this package."""

from i2s_client.documents import AsyncDocumentsClient
from i2s_client.metrics import AsyncMetricsClient, MetricsClient
from i2s_client.render import AsyncRenderClient, RenderClient
from i2s_client.retry import RetryPolicy
from i2s_client.streams import Streamed
from i2s_wire.metrics.description import MetricDescription, MetricsDescription
from i2s_wire.metrics.score import (
    Direction,
    MetricFailure,
    MetricFailureKind,
    MetricResult,
    Score,
    ScoreRequest,
    SizePolicy,
)
from i2s_wire.render.description import RendererDescription

__all__ = [
    "AsyncDocumentsClient",
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
