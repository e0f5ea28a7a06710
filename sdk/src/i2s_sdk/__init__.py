"""Image2Struct: prompt, render, score, report.

Everything that the command ``i2s-sdk`` does is a function of the same name here. Names are imported when
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
    )
    from i2s_sdk.errors import I2SError
    from i2s_sdk.profile import Profile
    from i2s_sdk.render_types import Limits, PageOptions, Rendering, Verdict
    from i2s_sdk.runs.evaluate import RunResult, evaluate
    from i2s_sdk.runs.render import RenderedSource, render
    from i2s_sdk.runs.score import metrics, score
    from i2s_sdk.settings import Settings
    from i2s_sdk.stack.doctor import Finding, doctor

_HOMES = {
    "AsyncMetricsClient": "i2s_sdk.clients",
    "AsyncRenderClient": "i2s_sdk.clients",
    "Finding": "i2s_sdk.stack.doctor",
    "I2SError": "i2s_sdk.errors",
    "Limits": "i2s_sdk.render_types",
    "MetricsClient": "i2s_sdk.clients",
    "PageOptions": "i2s_sdk.render_types",
    "Profile": "i2s_sdk.profile",
    "RenderClient": "i2s_sdk.clients",
    "RenderedSource": "i2s_sdk.runs.render",
    "Rendering": "i2s_sdk.render_types",
    "RetryPolicy": "i2s_sdk.clients",
    "RunResult": "i2s_sdk.runs.evaluate",
    "Score": "i2s_sdk.clients",
    "Settings": "i2s_sdk.settings",
    "Verdict": "i2s_sdk.render_types",
    "doctor": "i2s_sdk.stack.doctor",
    "evaluate": "i2s_sdk.runs.evaluate",
    "metrics": "i2s_sdk.runs.score",
    "render": "i2s_sdk.runs.render",
    "score": "i2s_sdk.runs.score",
}

__all__ = [
    "AsyncMetricsClient",
    "AsyncRenderClient",
    "Finding",
    "I2SError",
    "Limits",
    "MetricsClient",
    "PageOptions",
    "Profile",
    "RenderClient",
    "RenderedSource",
    "Rendering",
    "RetryPolicy",
    "RunResult",
    "Score",
    "Settings",
    "Verdict",
    "doctor",
    "evaluate",
    "metrics",
    "render",
    "score",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
