"""Facts about the start of a run that decide nothing: when, where, with what."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from i2s_sdk.data.locations import BUNDLED, data_name, is_bundled, read_origin
from i2s_sdk.models.options import MAX_TOKENS_FACT, OPTIONS_FACT
from i2s_sdk.report.published import DATA_SET
from i2s_sdk.run.plan import Plan
from i2s_sdk.stats.spending import FromCache
from i2s_sdk.tasks.task import ConfiguredTask, DocumentTask
from i2s_wire.documents import DocumentsDescription
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.render.description import RendererDescription

_GIT_SECONDS = 5.0

#: The fact that says whether answers of earlier runs were taken, and once the run has ended how many.
ANSWER_CACHE = "answer cache"


def facts(
    plan: Plan,
    engines: Sequence[RendererDescription],
    comparer: MetricsDescription | None,
    documents: DocumentsDescription | None = None,
    *,
    whole: bool = False,
    options: str = "",
    max_tokens: int | None = None,
    answer_cache: bool = False,
) -> dict[str, str]:
    """Return facts by name, as they are shown to people.

    Args:
        plan: Plan of the run.
        engines: Renderers that are there.
        comparer: The metric service, if it is there.
        documents: The documents service, if it is there.
        whole: Whether the model answers documents as a whole, so that settings of their pages mean nothing.
        options: Options that the model is asked with, as words of a command.
        max_tokens: The most tokens of a completion; None for a model that is not called.
        answer_cache: Whether answers of earlier runs are taken.
    """
    found = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": data_name(plan.data),
    }
    if is_bundled(plan.data.folder):
        found[BUNDLED] = f"those of i2s-sdk {version('i2s-sdk')}"
    if origin := read_origin(plan.data.folder):
        found[DATA_SET] = ", ".join(origin)
    for one in engines:
        isolation = f"{one.isolation.tier.name.lower()} ({', '.join(one.isolation.mechanisms)})"
        found[one.service] = f"{one.version}, {one.engine.name} {one.engine.version}, isolation {isolation}"
        found[f"{one.service} engine digest"] = one.engine.digest
        found[f"{one.service} fonts digest"] = one.fonts_digest
        if source := one.versions.get("font-source"):
            found[f"{one.service} fonts"] = source
    for task in plan.tasks.values():
        if isinstance(task, ConfiguredTask) and not (whole and isinstance(task, DocumentTask)):
            found |= task.facts()
    if comparer is not None:
        found[comparer.service] = f"{comparer.version}, device {comparer.device}"
    if documents is not None:
        programs = ", ".join(f"{one.name} {one.version}" for one in documents.engines)
        tier = documents.isolation.tier.name.lower()
        found[documents.service] = f"{documents.version}, {programs}, isolation {tier}"
    if options:
        found[OPTIONS_FACT] = options
    if max_tokens is not None:
        found[MAX_TOKENS_FACT] = str(max_tokens)
    if answer_cache:
        found[ANSWER_CACHE] = "on"
    state = _git_state()
    if state:
        found["git"] = state
    return {**found, "python": platform.python_version(), "platform": platform.platform()}


def with_taken_answers(about: Mapping[str, str], taken: FromCache) -> dict[str, str]:
    """Return the facts of a run that has ended, with the number and the dates of answers from the cache.

    Args:
        about: Its facts so far.
        taken: What came from the cache.
    """
    if taken.samples:
        return {**about, ANSWER_CACHE: f"on; samples: {taken}"}
    return dict(about)


def _git_state() -> str:
    """Return the commit of the repository that this package is run from, "-dirty" behind it if changed."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
