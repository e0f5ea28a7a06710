"""The check of this machine: the parts that work, and how to mend the rest."""

from __future__ import annotations

import enum
import platform
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from i2s_client.documents import AsyncDocumentsClient
from i2s_client.metrics import AsyncMetricsClient
from i2s_client.render import AsyncRenderClient
from i2s_client.service_table import (
    DOCUMENTS,
    METRICS,
    SERVICES,
    ServiceRow,
    packaged_renderers,
    sandboxed_services,
    service_row,
)
from i2s_sdk.data import examples_folder, read_folder
from i2s_sdk.errors import I2SError, PluginError
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.command import find_program, forbidden_here
from i2s_sdk.stack.services import Services, known_address, open_services, passing_logs
from i2s_wire.documents.conversion import Fragment, FragmentFormat
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.isolation import Isolation, IsolationTier
from i2s_wire.render.rendering import Engine
from i2s_wire.render.request import RenderRequest


def parts_missing(about: RendererDescription) -> str:
    """Return what is missing of an engine and the packages that have it; empty if it is complete.

    Args:
        about: What the renderer says of itself.
    """
    return f"not installed: {', '.join(about.missing)}" if about.missing else ""


class State(enum.StrEnum):
    """The state of a finding. What is MISSING can be done without."""

    GOOD = "good"
    MISSING = "missing"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    #: What was looked at.
    name: str
    #: How it is.
    state: State
    #: What was found, or what failed and what to do.
    detail: str


class _Findings:
    """What was found so far; each finding is told as soon as it is there."""

    def __init__(self, on_finding: Callable[[Finding], None] | None) -> None:
        self._on_finding = on_finding
        self.all: list[Finding] = []

    def add(self, finding: Finding) -> None:
        """Add a finding."""
        self.all.append(finding)
        if self._on_finding is not None:
            self._on_finding(finding)

    def names(self, state: State) -> set[str]:
        """Return the names of what has a state."""
        return {finding.name for finding in self.all if finding.state is state}


def doctor(
    *,
    settings: Settings | None = None,
    on_finding: Callable[[Finding], None] | None = None,
    services: Collection[str] = (),
) -> tuple[Finding, ...]:
    """Look at everything that an evaluation needs; what does not work is returned and not raised.

    The services are started as every command starts them, each renderer draws a canary, an image is compared
    with itself, and a table is converted. A service that is not installed and can be done without is missing,
    which is not a fault.

    Args:
        settings: Where services are; as in the environment by default.
        on_finding: Called with each finding as soon as it is there. What is found at once comes first.
        services: Names of the services that are looked at; all services if none is named.

    Raises:
        SettingsError: The settings themselves are wrong.
    """
    return run_blocking(_examine(settings or Settings.load(), _Findings(on_finding), services))


async def _examine(settings: Settings, findings: _Findings, services: Collection[str]) -> tuple[Finding, ...]:
    findings.add(Finding("i2s-sdk", State.GOOD, f"{version('i2s-sdk')}, Python {platform.python_version()}"))
    findings.add(_look("examples", lambda: _examples(settings)))
    rows = [row for row in _rows(findings) if not services or row.name in services]
    names = {row.name for row in rows}
    for one in rows:
        findings.add(_look_for(one, settings))
    installed, missing = findings.names(State.GOOD), findings.names(State.MISSING)
    here = [
        name for name in sandboxed_services() if name in installed and known_address(settings, name) is None
    ]
    if here:
        for about_host in await examine_host(here):
            findings.add(about_host)
    canary: bytes | None = None
    with passing_logs() as logs:
        for row in rows:
            name = row.name
            if row.renderer is not None and name not in missing:

                async def draw(opened: Services, row: ServiceRow = row) -> bytes | None:
                    return await _examine_renderer(row, opened.renderers[row.name], findings)

                drawn = await _with_service(name, f"{name} canary", settings, logs, findings, draw)
                canary = canary or drawn
        if METRICS in names:

            async def score(opened: Services) -> None:
                await _examine_scorer(opened.scorer, settings.profile, canary, findings)

            await _with_service(METRICS, "canary score", settings, logs, findings, score)
        if DOCUMENTS in names - missing:

            async def convert(opened: Services) -> None:
                await _examine_documents(opened.converter, findings)

            await _with_service(DOCUMENTS, f"{DOCUMENTS} canary", settings, logs, findings, convert)
    return tuple(findings.all)


async def _with_service(
    name: str,
    finding: str,
    settings: Settings,
    logs: Path,
    findings: _Findings,
    examine: Callable[[Services], Awaitable[bytes | None]],
) -> bytes | None:
    """Examine a service; if it cannot be had, or a call fails, that is the finding of the given name."""
    try:
        async with open_services(settings, logs, (name,)) as opened:
            return await examine(opened)
    except I2SError as error:
        findings.add(Finding(finding, State.BAD, error.message))
        return None


def _rows(findings: _Findings) -> list[ServiceRow]:
    """Return the rows of all services; renderers of other packages that cannot be used become findings."""
    rows = list(SERVICES)
    for name in packaged_renderers():
        try:
            rows.append(service_row(name))
        except PluginError as error:
            findings.add(Finding(name, State.MISSING, error.message))
    return rows


def _look_for(service: ServiceRow, settings: Settings) -> Finding:
    """Look where a service is. One task can be evaluated without the renderers of the others."""
    result = _look(
        service.name, lambda: known_address(settings, service.name) or str(find_program(service.name))
    )
    return replace(result, state=State.MISSING) if service.optional and result.state is State.BAD else result


async def examine_host(services: list[str]) -> list[Finding]:
    """Ask the renderers of this machine what it forbids to their sandboxes."""
    try:
        forbidden = await forbidden_here(services)
    except I2SError as error:
        return [Finding("host", State.MISSING, error.message)]
    if not forbidden:
        return [Finding("host", State.GOOD, "forbids nothing that the sandboxes are made of")]
    return [Finding("host", State.MISSING, line) for line in forbidden]


async def _examine_renderer(
    row: ServiceRow, renderer: AsyncRenderClient, findings: _Findings
) -> bytes | None:
    """Render the canary of a renderer and return its image."""
    name = row.name
    about = await renderer.describe()
    findings.add(Finding(f"{name} engine", State.GOOD, _named(about.engine)))
    findings.add(_isolation(name, about.isolation))
    if parts := parts_missing(about):
        findings.add(Finding(f"{name} parts", State.MISSING, parts))
    assert row.renderer is not None
    rendering = await renderer.render(RenderRequest(row.renderer.canary))
    good = rendering.verdict.has_picture
    detail = f"{rendering.verdict.name}, {rendering.usage.cpu_seconds:.2f} s CPU"
    if not good:
        detail += f": {rendering.message}"
    findings.add(Finding(f"{name} canary", State.GOOD if good else State.BAD, detail))
    return rendering.pictures[0].png if good else None


async def _examine_scorer(
    scorer: AsyncMetricsClient, profile: Profile, canary: bytes | None, findings: _Findings
) -> None:
    """List the metrics and compare an image with itself."""
    about = await scorer.describe()
    findings.add(Finding("device", State.GOOD, about.device))
    for metric in about.metrics:
        if profile in metric.profiles:
            detail = f"version {metric.version}" if metric.available else metric.unavailable_reason
            state = State.GOOD if metric.available else State.MISSING
            findings.add(Finding(f"metric {metric.name}", state, detail))
    if canary is not None:
        values = (await scorer.score(canary, canary, profile=profile)).values
        same = abs(values.get("ems", 0.0) - 1.0) < 1e-6
        shown = ", ".join(f"{name} {value:g}" for name, value in values.items())
        state = State.GOOD if same else State.BAD
        findings.add(Finding("canary score", state, f"an image with itself: {shown}"))


async def _examine_documents(client: AsyncDocumentsClient, findings: _Findings) -> None:
    """Convert a table."""
    about = await client.describe()
    findings.add(Finding(f"{DOCUMENTS} engines", State.GOOD, ", ".join(map(_named, about.engines))))
    findings.add(_isolation(DOCUMENTS, about.isolation))
    (table,) = await client.convert([Fragment("canary", FragmentFormat.MARKDOWN, "| a |\n|---|\n| b |\n")])
    good = table.html is not None and "<td>b</td>" in table.html
    detail = "a table became HTML" if good else table.reason or f"a table became {table.html!r:.200}"
    findings.add(Finding(f"{DOCUMENTS} canary", State.GOOD if good else State.BAD, detail))


def _named(engine: Engine) -> str:
    return f"{engine.name} {engine.version} ({engine.digest[:16]})"


def _isolation(name: str, isolation: Isolation) -> Finding:
    tier = isolation.tier
    detail = f"{tier.name.lower()} ({', '.join(isolation.mechanisms)})"
    return Finding(f"{name} isolation", State.BAD if tier is IsolationTier.NONE else State.GOOD, detail)


def _look(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, State.GOOD, look())
    except I2SError as error:
        return Finding(name, State.BAD, error.message)


def _examples(settings: Settings) -> str:
    folder: Path = examples_folder(settings.examples)
    return f"{len(read_folder(folder).instances)} instances in {folder}"
