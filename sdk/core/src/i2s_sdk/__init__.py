"""Image2Struct: prompt, render, score, report.

Everything that the command ``i2s-sdk`` does is a function of the same name here (``render html`` is
``render_html``, and ``report`` is ``write_report``). Names are imported when they are used, so that importing
this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from i2s_client import (
        AsyncDocumentsClient,
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
    from i2s_sdk.report import PaperTable, Report, table, write_report
    from i2s_sdk.report.analyses import TwoRuns, compare_two, difficulty_tables, metric_correlations
    from i2s_sdk.run.evaluate import (
        RunResult,
        SeveralResult,
        evaluate,
        evaluate_predictions,
        evaluate_several,
    )
    from i2s_sdk.run.export import export
    from i2s_sdk.run.judge import human_scores, judge
    from i2s_sdk.run.ladder import Ladder, ladder
    from i2s_sdk.run.merge import MergeResult, merge
    from i2s_sdk.run.plan import DryRun, dry_run
    from i2s_sdk.run.stages import StageResult, generate, render_run, score_run
    from i2s_sdk.run.storage.folder import StoredRun, read_run
    from i2s_sdk.settings import Settings
    from i2s_sdk.single.languages.html import render_html
    from i2s_sdk.single.languages.latex import render_latex
    from i2s_sdk.single.languages.lilypond import render_lilypond
    from i2s_sdk.single.languages.python import render_python
    from i2s_sdk.single.lines import LineFault, LineScore, score_lines
    from i2s_sdk.single.render import (
        RenderedSource,
        render,
    )
    from i2s_sdk.single.score import FolderScore, metrics, score
    from i2s_sdk.stack.doctor import Finding, doctor
    from i2s_sdk.stats.ratings import SystemAgreement, agreement
    from i2s_wire.metrics.profile import Profile
    from i2s_wire.render.options import PageOptions, RenderOptions, SiteOptions, WindowOptions
    from i2s_wire.render.rendering import Rendering, Verdict
    from i2s_wire.render.request import RenderRequest
    from i2s_wire.render.resources import Limits

_HOMES = {
    "AsyncDocumentsClient": "i2s_client",
    "AsyncMetricsClient": "i2s_client",
    "AsyncRenderClient": "i2s_client",
    "DryRun": "i2s_sdk.run.plan",
    "Finding": "i2s_sdk.stack.doctor",
    "FolderScore": "i2s_sdk.single.score",
    "I2SError": "i2s_sdk.errors",
    "Ladder": "i2s_sdk.run.ladder",
    "Limits": "i2s_wire.render.resources",
    "LineFault": "i2s_sdk.single.lines",
    "LineScore": "i2s_sdk.single.lines",
    "MergeResult": "i2s_sdk.run.merge",
    "MetricsClient": "i2s_client",
    "PageOptions": "i2s_wire.render.options",
    "PaperTable": "i2s_sdk.report",
    "Profile": "i2s_wire.metrics.profile",
    "RenderClient": "i2s_client",
    "RenderOptions": "i2s_wire.render.options",
    "RenderRequest": "i2s_wire.render.request",
    "RenderedSource": "i2s_sdk.single.render",
    "Rendering": "i2s_wire.render.rendering",
    "Report": "i2s_sdk.report",
    "RetryPolicy": "i2s_client",
    "RunResult": "i2s_sdk.run.evaluate",
    "Score": "i2s_client",
    "ScoreRequest": "i2s_client",
    "Settings": "i2s_sdk.settings",
    "SeveralResult": "i2s_sdk.run.evaluate",
    "SiteOptions": "i2s_wire.render.options",
    "StageResult": "i2s_sdk.run.stages",
    "StoredRun": "i2s_sdk.run.storage.folder",
    "Streamed": "i2s_client",
    "SystemAgreement": "i2s_sdk.stats.ratings",
    "TwoRuns": "i2s_sdk.report.analyses",
    "Verdict": "i2s_wire.render.rendering",
    "WindowOptions": "i2s_wire.render.options",
    "agreement": "i2s_sdk.stats.ratings",
    "compare_two": "i2s_sdk.report.analyses",
    "difficulty_tables": "i2s_sdk.report.analyses",
    "doctor": "i2s_sdk.stack.doctor",
    "dry_run": "i2s_sdk.run.plan",
    "evaluate": "i2s_sdk.run.evaluate",
    "evaluate_predictions": "i2s_sdk.run.evaluate",
    "evaluate_several": "i2s_sdk.run.evaluate",
    "export": "i2s_sdk.run.export",
    "generate": "i2s_sdk.run.stages",
    "human_scores": "i2s_sdk.run.judge",
    "judge": "i2s_sdk.run.judge",
    "ladder": "i2s_sdk.run.ladder",
    "merge": "i2s_sdk.run.merge",
    "metric_correlations": "i2s_sdk.report.analyses",
    "metrics": "i2s_sdk.single.score",
    "read_run": "i2s_sdk.run.storage.folder",
    "render": "i2s_sdk.single.render",
    "render_html": "i2s_sdk.single.languages.html",
    "render_latex": "i2s_sdk.single.languages.latex",
    "render_lilypond": "i2s_sdk.single.languages.lilypond",
    "render_python": "i2s_sdk.single.languages.python",
    "render_run": "i2s_sdk.run.stages",
    "score": "i2s_sdk.single.score",
    "score_lines": "i2s_sdk.single.lines",
    "score_run": "i2s_sdk.run.stages",
    "table": "i2s_sdk.report",
    "write_report": "i2s_sdk.report",
}

__all__ = [
    "AsyncDocumentsClient",
    "AsyncMetricsClient",
    "AsyncRenderClient",
    "DryRun",
    "Finding",
    "FolderScore",
    "I2SError",
    "Ladder",
    "Limits",
    "LineFault",
    "LineScore",
    "MergeResult",
    "MetricsClient",
    "PageOptions",
    "PaperTable",
    "Profile",
    "RenderClient",
    "RenderOptions",
    "RenderRequest",
    "RenderedSource",
    "Rendering",
    "Report",
    "RetryPolicy",
    "RunResult",
    "Score",
    "ScoreRequest",
    "Settings",
    "SeveralResult",
    "SiteOptions",
    "StageResult",
    "StoredRun",
    "Streamed",
    "SystemAgreement",
    "TwoRuns",
    "Verdict",
    "WindowOptions",
    "agreement",
    "compare_two",
    "difficulty_tables",
    "doctor",
    "dry_run",
    "evaluate",
    "evaluate_predictions",
    "evaluate_several",
    "export",
    "generate",
    "human_scores",
    "judge",
    "ladder",
    "merge",
    "metric_correlations",
    "metrics",
    "read_run",
    "render",
    "render_html",
    "render_latex",
    "render_lilypond",
    "render_python",
    "render_run",
    "score",
    "score_lines",
    "score_run",
    "table",
    "write_report",
]


#: Names that are in the package i2s-training.
_IN_TRAINING = frozenset(
    {
        "OpenRLHFReward",
        "RoundTrip",
        "RoundTripRequest",
        "RoundTripResult",
        "RoundTripReward",
        "StructuredOutputReward",
        "VerlReward",
        "instance_floors",
        "task_floors",
    }
)


def __getattr__(name: str) -> object:
    if name in _IN_TRAINING:
        from i2s_wire.installation import install_command

        raise AttributeError(f"{name} is in the package i2s_training: {install_command('i2s-sdk[training]')}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
