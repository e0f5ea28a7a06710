"""The services that there are. Settings, options, doctor and the stack derive theirs from this table.

Renderers of other packages come after those of this table; see ``i2s_client.plugins``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from i2s_client.errors import PluginError
from i2s_client.plugins import PluginGroup, load_plugin, package_of, plugins_beside
from i2s_wire.render.request import LatexSource, LilypondSource, PythonSource, SiteSource, Source

RENDER_LATEX, RENDER_HTML, RENDER_LILYPOND = "render-latex", "render-html", "render-lilypond"
RENDER_PYTHON = "render-python"
METRICS = "metrics"
DOCUMENTS = "documents"

#: Full names of the gRPC services.
RENDER_WIRE_NAME = "i2s.render.v1.RenderService"
METRICS_WIRE_NAME = "i2s.metrics.v1.MetricsService"
DOCUMENTS_WIRE_NAME = "i2s.documents.v1.DocumentsService"
WIRE_NAMES = (RENDER_WIRE_NAME, METRICS_WIRE_NAME, DOCUMENTS_WIRE_NAME)

#: The HTTP gateway: in front of services, and none of them.
GATEWAY = "http"


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """A service as the SDK knows it."""

    #: Name of its command without the "i2s-" before it.
    name: str
    #: Title for people.
    title: str
    #: What it renders; None for a service that is not a renderer.
    source: type[Source] | None
    #: Whether something can be evaluated without it.
    optional: bool = True
    #: Port at which it listens by default; 0 for a service of another package.
    port: int = 0

    @property
    def is_renderer(self) -> bool:
        """Whether the service implements i2s.render.v1."""
        return self.source is not None

    @property
    def setting(self) -> str:
        """The setting that holds its address; with ``token_`` or ``token_file_`` before it, its access."""
        return self.name.replace("-", "_")

    @property
    def flag(self) -> str:
        """The command line option for the address of the service."""
        return f"--{self.name}-at"


SERVICES = (
    ServiceRow(RENDER_LATEX, "LaTeX renderer", LatexSource, optional=False, port=7710),
    ServiceRow(RENDER_HTML, "site renderer", SiteSource, port=7720),
    ServiceRow(RENDER_LILYPOND, "LilyPond renderer", LilypondSource, port=7730),
    ServiceRow(RENDER_PYTHON, "Python renderer", PythonSource, port=7750),
    ServiceRow(METRICS, "metric service", None, optional=False, port=7740),
    ServiceRow(DOCUMENTS, "documents service", None, port=7760),
)

#: Names of the renderers.
RENDERERS = tuple(one.name for one in SERVICES if one.is_renderer)

#: Names of the services of this package.
OWN_SERVICES = frozenset(one.name for one in SERVICES)
_ROWS = {one.name: one for one in SERVICES}
_RENDERER_OF = {one.source: one.name for one in SERVICES if one.source is not None}


def renderer_of(source: Source, services: Collection[str] = ()) -> str:
    """Return the name of the renderer that renders a source.

    Args:
        source: Source that is to be rendered.
        services: Names of the renderers of a task. The first one of another package that renders sources of
            this type precedes the renderer of this package.

    Raises:
        PluginError: A renderer of another package cannot be used.
    """
    for name in services:
        if name not in RENDERERS and packaged_renderer(name).source is type(source):
            return name
    return _RENDERER_OF[type(source)]


def wire_name(service: str) -> str:
    """Return the full name of a service of the table, or of a renderer of another package.

    Args:
        service: Name, such as "render-latex", which is an "i2s.render.v1.RenderService".
    """
    return {METRICS: METRICS_WIRE_NAME, DOCUMENTS: DOCUMENTS_WIRE_NAME}.get(service, RENDER_WIRE_NAME)


def service_row(name: str) -> ServiceRow:
    """Return the row of a service of this package.

    Raises:
        KeyError: There is none of this name.
    """
    return _ROWS[name]


def packaged_renderers() -> tuple[str, ...]:
    """Return the names of the renderers of other packages; imports nothing."""
    return tuple(plugins_beside(PluginGroup.RENDERERS, OWN_SERVICES))


def packaged_renderer(name: str) -> ServiceRow:
    """Return the row of a renderer of another package.

    Raises:
        PluginError: There is no such renderer, or its package cannot be used.
    """
    plugin = plugins_beside(PluginGroup.RENDERERS, OWN_SERVICES).get(name)
    if plugin is None:
        reason = "no installed package has an entry point of this name"
        raise PluginError(PluginGroup.RENDERERS, name, "(none)", reason)
    row = load_plugin(plugin)
    if not isinstance(row, ServiceRow) or row.name != name or row.source is None:
        reason = f"{plugin.value} is no ServiceRow of this name with the type of its sources"
        raise PluginError(plugin.group, name, package_of(plugin), reason)
    return row


#: Names of the services whose jobs run in sandboxes. Their programs have the subcommands "host" and "clean".
SANDBOXED = (*RENDERERS, DOCUMENTS)
