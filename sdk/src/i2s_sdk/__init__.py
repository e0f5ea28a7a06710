"""Image2Struct: prompt, render, score, report.

Everything that the command ``i2s-sdk`` does is a function of the same name here (``render html`` is
``render_html``). Names are imported when
they are used, so that importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from i2s_sdk.clients import (
        AsyncMetricsClient,
        AsyncRenderClient,
        MetricsClient,
        RenderClient,
        RetryPolicy,
        Score,
        ScoreRequest,
        Streamed,
    )
    from i2s_sdk.errors import I2SError
    from i2s_sdk.profile import Profile
    from i2s_sdk.render_requests import RenderOptions, RenderRequest, SiteOptions, WindowOptions
    from i2s_sdk.render_types import Limits, PageOptions, Rendering, Verdict
    from i2s_sdk.runs.evaluate import RunResult, evaluate
    from i2s_sdk.runs.render import RenderedSource, render_html, render_latex, render_lilypond
    from i2s_sdk.runs.score import FolderScore, metrics, score
    from i2s_sdk.settings import Settings
    from i2s_sdk.stack.doctor import Finding, doctor

_HOMES = {
    "AsyncMetricsClient": "i2s_sdk.clients",
    "AsyncRenderClient": "i2s_sdk.clients",
    "Finding": "i2s_sdk.stack.doctor",
    "FolderScore": "i2s_sdk.runs.score",
    "I2SError": "i2s_sdk.errors",
    "Limits": "i2s_sdk.render_types",
    "MetricsClient": "i2s_sdk.clients",
    "PageOptions": "i2s_sdk.render_types",
    "Profile": "i2s_sdk.profile",
    "RenderClient": "i2s_sdk.clients",
    "RenderOptions": "i2s_sdk.render_requests",
    "RenderRequest": "i2s_sdk.render_requests",
    "RenderedSource": "i2s_sdk.runs.render",
    "Rendering": "i2s_sdk.render_types",
    "RetryPolicy": "i2s_sdk.clients",
    "RunResult": "i2s_sdk.runs.evaluate",
    "Score": "i2s_sdk.clients",
    "ScoreRequest": "i2s_sdk.clients",
    "Settings": "i2s_sdk.settings",
    "SiteOptions": "i2s_sdk.render_requests",
    "Streamed": "i2s_sdk.clients",
    "Verdict": "i2s_sdk.render_types",
    "WindowOptions": "i2s_sdk.render_requests",
    "doctor": "i2s_sdk.stack.doctor",
    "evaluate": "i2s_sdk.runs.evaluate",
    "metrics": "i2s_sdk.runs.score",
    "render_html": "i2s_sdk.runs.render",
    "render_latex": "i2s_sdk.runs.render",
    "render_lilypond": "i2s_sdk.runs.render",
    "score": "i2s_sdk.runs.score",
}

__all__ = [
    "AsyncMetricsClient",
    "AsyncRenderClient",
    "Finding",
    "FolderScore",
    "I2SError",
    "Limits",
    "MetricsClient",
    "PageOptions",
    "Profile",
    "RenderClient",
    "RenderOptions",
    "RenderRequest",
    "RenderedSource",
    "Rendering",
    "RetryPolicy",
    "RunResult",
    "Score",
    "ScoreRequest",
    "Settings",
    "SiteOptions",
    "Streamed",
    "Verdict",
    "WindowOptions",
    "doctor",
    "evaluate",
    "metrics",
    "render_html",
    "render_latex",
    "render_lilypond",
    "score",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
