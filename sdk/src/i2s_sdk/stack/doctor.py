"""What works on this machine, and what would mend the rest."""

from __future__ import annotations

import enum
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from i2s_sdk.clients.metrics import AsyncMetricsClient
from i2s_sdk.clients.render import AsyncRenderClient
from i2s_sdk.data import examples_folder, read_folder
from i2s_sdk.errors import I2SError
from i2s_sdk.profile import Profile
from i2s_sdk.render_types import IsolationTier
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.command import find_program
from i2s_sdk.stack.logs import passing_logs
from i2s_sdk.stack.services import METRICS, RENDER_LATEX, open_services
from i2s_sdk.tasks import Structure
from i2s_sdk.tasks.latex import LatexTask, preamble_files

_CANARY = r"\[ \int_0^1 x^2 \, dx = \frac{1}{3} \]"


class State(enum.StrEnum):
    """How something is. What is MISSING can be done without."""

    GOOD = "good"
    MISSING = "missing"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: What was looked at.
        state: How it is.
        detail: What was found, or what failed and what to do.
    """

    name: str
    state: State
    detail: str


def doctor(*, settings: Settings | None = None) -> tuple[Finding, ...]:
    """Look at everything that an evaluation needs; what does not work is returned and not raised.

    The services are started as every command starts them, a canary is rendered, and its picture is compared
    with itself.

    Raises:
        SettingsError: The settings themselves are wrong.
    """
    return run_blocking(_examine(settings or Settings.load()))


async def _examine(settings: Settings) -> tuple[Finding, ...]:
    findings = [
        Finding("i2s-sdk", State.GOOD, f"{version('i2s-sdk')}, Python {platform.python_version()}"),
        _look("examples", lambda: _examples(settings)),
        _look(RENDER_LATEX, lambda: settings.render_latex or str(find_program(RENDER_LATEX))),
        _look(METRICS, lambda: settings.metrics or str(find_program(METRICS))),
    ]
    task, picture = LatexTask(settings.profile), None
    with passing_logs() as logs:
        try:
            async with open_services(settings, logs, (RENDER_LATEX,), preamble_files()) as services:
                picture = await _examine_renderer(services.renderer, task, findings)
        except I2SError as error:
            findings.append(Finding("canary render", State.BAD, error.message))
        try:
            async with open_services(settings, logs, (METRICS,)) as services:
                await _examine_scorer(services.scorer, settings.profile, picture, findings)
        except I2SError as error:
            findings.append(Finding("canary score", State.BAD, error.message))
    return tuple(findings)


async def _examine_renderer(
    renderer: AsyncRenderClient, task: LatexTask, findings: list[Finding]
) -> bytes | None:
    """Render the canary and return its picture."""
    about = await renderer.describe()
    tier = about.isolation.tier
    findings += [
        Finding(
            "engine", State.GOOD, f"{about.engine.name} {about.engine.version} ({about.engine.digest[:16]})"
        ),
        Finding(
            "isolation",
            State.BAD if tier is IsolationTier.NONE else State.GOOD,
            f"{tier.name.lower()} ({', '.join(about.isolation.mechanisms)})",
        ),
    ]
    document = task.document(Structure(_CANARY)).source
    rendering = await renderer.render_latex(document, page=task.page())
    good = rendering.verdict.has_picture
    detail = f"{rendering.verdict.name}, {rendering.usage.cpu_seconds:.2f} s CPU"
    if not good:
        detail += f": {rendering.message}"
    findings.append(Finding("canary render", State.GOOD if good else State.BAD, detail))
    return rendering.pictures[0].png if good else None


async def _examine_scorer(
    scorer: AsyncMetricsClient, profile: Profile, picture: bytes | None, findings: list[Finding]
) -> None:
    """List the metrics and compare a picture with itself."""
    about = await scorer.describe()
    findings.append(Finding("device", State.GOOD, about.device))
    for metric in about.metrics:
        if profile in metric.profiles:
            detail = f"version {metric.version}" if metric.available else metric.unavailable_reason
            state = State.GOOD if metric.available else State.MISSING
            findings.append(Finding(f"metric {metric.name}", state, detail))
    if picture is not None:
        values = (await scorer.score(picture, picture, profile=profile)).values
        same = abs(values.get("ems", 0.0) - 1.0) < 1e-6
        shown = ", ".join(f"{name} {value:g}" for name, value in values.items())
        state = State.GOOD if same else State.BAD
        findings.append(Finding("canary score", state, f"a picture with itself: {shown}"))


def _look(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, State.GOOD, look())
    except I2SError as error:
        return Finding(name, State.BAD, error.message)


def _examples(settings: Settings) -> str:
    folder: Path = examples_folder(settings.examples)
    return f"{len(read_folder(folder).instances)} instances in {folder}"
