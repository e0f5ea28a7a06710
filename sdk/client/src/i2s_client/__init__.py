"""Clients of the services: render LaTeX, sites, scores and programs, compare images, convert documents.

Asynchronous and blocking clients have the same methods; deadlines and one retry policy hold for every call.
What an untrusted source did is in the answer, as its verdict; what the service could not do is an error of
:mod:`i2s_client.errors`.

Names are imported when they are used, so that importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from i2s_client.credentials import Token, read_token, tls_credentials
    from i2s_client.documents import AsyncDocumentsClient, DocumentsClient
    from i2s_client.errors import I2SError, ProtocolError, ServiceError
    from i2s_client.metrics import AsyncMetricsClient, MetricsClient
    from i2s_client.render import AsyncRenderClient, RenderClient
    from i2s_client.retry import RetryPolicy
    from i2s_client.streams import Streamed
    from i2s_wire.metrics.description import MetricDescription, MetricsDescription
    from i2s_wire.metrics.profile import Profile
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
    from i2s_wire.render.options import PageOptions, RenderOptions, SiteOptions, WindowOptions
    from i2s_wire.render.rendering import Rendering, Verdict
    from i2s_wire.render.request import (
        GenericSource,
        LatexSource,
        LilypondSource,
        PythonSource,
        RenderRequest,
        SiteSource,
    )
    from i2s_wire.render.resources import Limits

_HOMES = {
    "AsyncDocumentsClient": "i2s_client.documents",
    "AsyncMetricsClient": "i2s_client.metrics",
    "AsyncRenderClient": "i2s_client.render",
    "Direction": "i2s_wire.metrics.score",
    "DocumentsClient": "i2s_client.documents",
    "GenericSource": "i2s_wire.render.request",
    "I2SError": "i2s_client.errors",
    "LatexSource": "i2s_wire.render.request",
    "LilypondSource": "i2s_wire.render.request",
    "Limits": "i2s_wire.render.resources",
    "MetricDescription": "i2s_wire.metrics.description",
    "MetricFailure": "i2s_wire.metrics.score",
    "MetricFailureKind": "i2s_wire.metrics.score",
    "MetricResult": "i2s_wire.metrics.score",
    "MetricsClient": "i2s_client.metrics",
    "MetricsDescription": "i2s_wire.metrics.description",
    "PageOptions": "i2s_wire.render.options",
    "Profile": "i2s_wire.metrics.profile",
    "ProtocolError": "i2s_client.errors",
    "PythonSource": "i2s_wire.render.request",
    "RenderClient": "i2s_client.render",
    "RenderOptions": "i2s_wire.render.options",
    "RenderRequest": "i2s_wire.render.request",
    "RendererDescription": "i2s_wire.render.description",
    "Rendering": "i2s_wire.render.rendering",
    "RetryPolicy": "i2s_client.retry",
    "Score": "i2s_wire.metrics.score",
    "ScoreRequest": "i2s_wire.metrics.score",
    "ServiceError": "i2s_client.errors",
    "SiteOptions": "i2s_wire.render.options",
    "SiteSource": "i2s_wire.render.request",
    "SizePolicy": "i2s_wire.metrics.score",
    "Streamed": "i2s_client.streams",
    "Token": "i2s_client.credentials",
    "Verdict": "i2s_wire.render.rendering",
    "WindowOptions": "i2s_wire.render.options",
    "read_token": "i2s_client.credentials",
    "tls_credentials": "i2s_client.credentials",
}

__all__ = [
    "AsyncDocumentsClient",
    "AsyncMetricsClient",
    "AsyncRenderClient",
    "Direction",
    "DocumentsClient",
    "GenericSource",
    "I2SError",
    "LatexSource",
    "LilypondSource",
    "Limits",
    "MetricDescription",
    "MetricFailure",
    "MetricFailureKind",
    "MetricResult",
    "MetricsClient",
    "MetricsDescription",
    "PageOptions",
    "Profile",
    "ProtocolError",
    "PythonSource",
    "RenderClient",
    "RenderOptions",
    "RenderRequest",
    "RendererDescription",
    "Rendering",
    "RetryPolicy",
    "Score",
    "ScoreRequest",
    "ServiceError",
    "SiteOptions",
    "SiteSource",
    "SizePolicy",
    "Streamed",
    "Token",
    "Verdict",
    "WindowOptions",
    "read_token",
    "tls_credentials",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
