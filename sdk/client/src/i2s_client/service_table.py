"""The services that there are. Settings, options, doctor and the stack derive theirs from this table.

Its renderers are those of ``i2s_wire.renderers``. Renderers of other packages come after them; see
``i2s_client.plugins``.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint

from i2s_client.errors import PluginError, UsageError
from i2s_client.plugins import PluginGroup, load_plugin, package_of, plugins_beside, warn_of
from i2s_wire.render.request import GenericSource, Source
from i2s_wire.renderer import RENDERER_NAME, RendererSpec
from i2s_wire.renderers import BY_LANGUAGE, RENDERER_SPECS

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
    #: Port at which it listens by default.
    port: int
    #: Whether something can be evaluated without it.
    optional: bool = True
    #: Its description, if it is a renderer.
    renderer: RendererSpec | None = None

    @property
    def setting(self) -> str:
        """The setting that holds its address; with ``token_`` or ``token_file_`` before it, its access."""
        return setting_of(self.name)

    @property
    def flag(self) -> str:
        """The command line option for the address of the service."""
        return flag_of(self.name)


def setting_of(name: str) -> str:
    """Return the setting that holds the address of a service."""
    return name.replace("-", "_")


def flag_of(name: str) -> str:
    """Return the command line option for the address of a service."""
    return f"--{name}-at"


def variable_name(name: str) -> str:
    """Return the environment variable that holds the address of a service; those of its settings begin so."""
    return f"I2S_{setting_of(name).upper()}"


def _row(spec: RendererSpec) -> ServiceRow:
    return ServiceRow(spec.name, spec.title, spec.port, spec.optional, spec)


SERVICES = (
    *map(_row, RENDERER_SPECS),
    ServiceRow(METRICS, "metric service", 7740, optional=False),
    ServiceRow(DOCUMENTS, "documents service", 7760),
)

#: Names of the renderers.
RENDERERS = tuple(renderer_spec.name for renderer_spec in RENDERER_SPECS)

#: Names of the services without which nothing can be evaluated.
NEEDED = tuple(service.name for service in SERVICES if not service.optional)

#: Names of the services of this project.
OWN_SERVICES = frozenset(service.name for service in SERVICES)
_ROWS = {service.name: service for service in SERVICES}


def renderer_of(source: Source, services: Collection[str] = ()) -> str:
    """Return the name of the renderer that renders a source.

    Args:
        source: Source that is to be rendered.
        services: Names of the renderers of a task. The first one of another package that renders sources of
            this kind precedes the renderer of this project. A renderer of another package that is not named
            there renders what none of this project does. One that is named and whose package is not installed
            here renders the generic sources that no other one of the task does.

    Raises:
        PluginError: A renderer of another package cannot be used, or is not installed and the source is not
            generic.
        UsageError: Nothing renders this language, or which of several renderers does is not known here.
    """
    foreign = [name for name in services if name not in OWN_SERVICES]
    installed = packaged_renderers()
    named = [packaged_renderer(name) for name in foreign if name in installed]
    absent = [name for name in foreign if name not in installed]
    if absent:
        named += [spec for spec in RENDERER_SPECS if spec.name in services]
    for spec in named:
        if spec.renders(source):
            return spec.name
    if absent:
        if not isinstance(source, GenericSource):
            raise _not_installed(absent[0])
        if len(absent) == 1:
            return absent[0]
        raise UsageError(
            f"which renders generic sources in {source.language!r} is not known here: the packages of "
            f"{', '.join(absent)} are not installed"
        )
    for spec in itertools.chain(RENDERER_SPECS, usable_renderers()):
        if spec.renders(source):
            return spec.name
    assert isinstance(source, GenericSource)
    known = ", ".join(sorted(name for name, spec in languages().items() if spec.is_generic)) or "none"
    raise UsageError(f"nothing renders generic sources in {source.language!r}; there are: {known}")


def languages() -> dict[str, RendererSpec]:
    """Return the renderers of all languages, by language; those of this project precede others."""
    known = dict(BY_LANGUAGE)
    for spec in usable_renderers():
        for language in spec.languages:
            known.setdefault(language, spec)
    return known


def wire_name(service: str) -> str:
    """Return the full name of a service of the table, or of a renderer of another package.

    Args:
        service: Name, such as "metrics", which is an "i2s.metrics.v1.MetricsService".
    """
    return {METRICS: METRICS_WIRE_NAME, DOCUMENTS: DOCUMENTS_WIRE_NAME}.get(service, RENDER_WIRE_NAME)


def service_row(name: str) -> ServiceRow:
    """Return the row of a service of this project, or of a renderer of another package.

    Raises:
        PluginError: There is none of this name, or its package cannot be used.
    """
    return _ROWS[name] if name in _ROWS else _row(packaged_renderer(name))


def packaged_renderers() -> tuple[str, ...]:
    """Return the names of the renderers of other packages; imports nothing.

    A name that no renderer can have is left out with a warning: settings and options have names made of it.
    """
    return tuple(_renderer_plugins())


def _renderer_plugins() -> dict[str, EntryPoint]:
    provided = plugins_beside(PluginGroup.RENDERERS, OWN_SERVICES)
    for name, plugin in provided.items():
        if not RENDERER_NAME.fullmatch(name):
            reason = "the name is not render-NAME in lower case"
            warn_of(PluginError(plugin.group, name, package_of(plugin), reason))
    return {name: plugin for name, plugin in provided.items() if RENDERER_NAME.fullmatch(name)}


def packaged_renderer(name: str) -> RendererSpec:
    """Return the description of a renderer of another package.

    Raises:
        PluginError: There is no such renderer, or its package cannot be used.
    """
    plugin = _renderer_plugins().get(name)
    if plugin is None:
        raise _not_installed(name)
    spec = load_plugin(plugin)
    if not isinstance(spec, RendererSpec) or spec.name != name:
        reason = f"{plugin.value} is no RendererSpec of this name"
        raise PluginError(plugin.group, name, package_of(plugin), reason)
    return spec


def _not_installed(name: str) -> PluginError:
    reason = "no installed package has an entry point of this name"
    return PluginError(PluginGroup.RENDERERS, name, "(none)", reason)


def usable_renderers() -> Iterator[RendererSpec]:
    """Yield the descriptions of the renderers of other packages; one that cannot be used is a warning."""
    for name in packaged_renderers():
        try:
            yield packaged_renderer(name)
        except PluginError as error:
            warn_of(error)


def service_names() -> tuple[str, ...]:
    """Return the names of all services: those of this project, then renderers of others. Imports nothing."""
    return (*(service.name for service in SERVICES), *packaged_renderers())


def default_port(name: str) -> int:
    """Return the port of a service; 0 if its package cannot be used, which is a warning."""
    try:
        return service_row(name).port
    except PluginError as error:
        warn_of(error)
        return 0


def sandboxed_services() -> tuple[str, ...]:
    """Return the names of the services whose jobs run in sandboxes.

    Their programs have the subcommands "host" and "clean".
    """
    return (*RENDERERS, *packaged_renderers(), DOCUMENTS)
