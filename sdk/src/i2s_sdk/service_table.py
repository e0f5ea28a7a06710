"""The services that there are. Settings, options, doctor and the stack derive theirs from this table.

Renderers of other packages come after those of this table; see ``i2s_sdk.plugins``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from i2s_sdk.errors import PluginError
from i2s_sdk.plugins import PluginGroup, load_plugin, package_of, plugins_beside
from i2s_wire.render.request import LatexSource, LilypondSource, PythonSource, SiteSource, Source

RENDER_LATEX, RENDER_HTML, RENDER_LILYPOND = "render-latex", "render-html", "render-lilypond"
RENDER_PYTHON = "render-python"
METRICS = "metrics"
DOCUMENTS = "documents"

#: The HTTP gateway: in front of services, and none of them.
GATEWAY = "http"


_GIB = 1024**3
_TMPFS = "nosuid,nodev,mode=1777"
_RENDERER_TMPFS = f"size=1g,nr_inodes=200k,noexec,{_TMPFS}"


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """What the container of a service may do, as ``up --docker`` and Compose start it.

    Attributes:
        user: The user that it runs as. The kernel counts processes by user, so no two services share one.
        memory_bytes: Memory of everything in it, its tmpfs included.
        processes: Number of processes in it, threads included.
        tmpfs: Options of ``/tmp``, the only place that can be written to.
        namespaces: Whether it may make user namespaces, for the tier of that name.
        environment: Settings of the service.
    """

    user: int
    memory_bytes: int
    processes: int
    tmpfs: str
    namespaces: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """A service as the SDK knows it.

    Attributes:
        name: Of its command without the "i2s-" before it.
        title: For people.
        source: What it renders; None for a service that is no renderer.
        optional: Whether something can be evaluated without it.
        port: Port at which it listens by default; 0 for a service of another package.
        container: Restrictions of its container; None for a service of another package, which has none here.
    """

    name: str
    title: str
    source: type[Source] | None
    optional: bool = True
    port: int = 0
    container: ContainerSpec | None = None

    @property
    def is_renderer(self) -> bool:
        """Whether it speaks i2s.render.v1."""
        return self.source is not None

    @property
    def setting(self) -> str:
        """The setting that holds its address; with ``token_`` or ``token_file_`` before it, its access."""
        return self.name.replace("-", "_")

    @property
    def flag(self) -> str:
        """The option that holds its address."""
        return f"--{self.name}-at"


def _of_renderer(
    name: str,
    user: int,
    *,
    memory_bytes: int = 4 * _GIB,
    processes: int = 512,
    job_memory: str = "1GiB",
    job_disk: str = "256MiB",
    namespaces: bool = False,
) -> ContainerSpec:
    """Return what the container of a renderer may do.

    Args:
        name: Name of the renderer.
        user: User of the container, as in ``ContainerSpec``.
        memory_bytes: Memory of the container.
        processes: Processes and threads of the container.
        job_memory: The most memory that a job may ask for.
        job_disk: The most disk space, and the largest file, that a job may ask for.
        namespaces: Whether the container may make user namespaces.
    """
    most = {
        "INSECURE": "true",
        "MAX_MEMORY_BYTES": job_memory,
        "MAX_DISK_BYTES": job_disk,
        "MAX_FILE_BYTES": job_disk,
    }
    settings = {f"I2S_{name.upper().replace('-', '_')}_{key}": value for key, value in most.items()}
    return ContainerSpec(user, memory_bytes, processes, _RENDERER_TMPFS, namespaces, settings)


SERVICES = (
    ServiceRow(
        RENDER_LATEX,
        "LaTeX renderer",
        LatexSource,
        optional=False,
        port=7710,
        container=_of_renderer(RENDER_LATEX, 10_011),
    ),
    ServiceRow(
        RENDER_HTML,
        "site renderer",
        SiteSource,
        port=7720,
        container=_of_renderer(
            RENDER_HTML,
            10_012,
            memory_bytes=6 * _GIB,
            processes=2048,
            job_memory="2GiB",
            job_disk="512MiB",
            namespaces=True,
        ),
    ),
    ServiceRow(
        RENDER_LILYPOND,
        "LilyPond renderer",
        LilypondSource,
        port=7730,
        container=_of_renderer(RENDER_LILYPOND, 10_013),
    ),
    ServiceRow(
        RENDER_PYTHON,
        "Python renderer",
        PythonSource,
        port=7750,
        container=_of_renderer(RENDER_PYTHON, 10_018),
    ),
    ServiceRow(
        METRICS,
        "metric service",
        None,
        optional=False,
        port=7740,
        container=ContainerSpec(
            user=10_014,
            memory_bytes=6 * _GIB,
            processes=512,
            tmpfs=f"size=512m,nr_inodes=50k,exec,{_TMPFS}",
            environment={"I2S_METRICS_INSECURE": "true"},
        ),
    ),
    ServiceRow(
        DOCUMENTS,
        "documents service",
        None,
        port=7760,
        container=ContainerSpec(
            user=10_017,
            memory_bytes=4 * _GIB,
            processes=512,
            tmpfs=_RENDERER_TMPFS,
            environment={
                "I2S_DOCUMENTS_INSECURE": "true",
                "I2S_DOCUMENTS_MAX_MEMORY_BYTES": "1GiB",
                "I2S_DOCUMENTS_MAX_DISK_BYTES": "256MiB",
                "I2S_DOCUMENTS_MAX_PIXELS": "50000000",
            },
        ),
    ),
)

#: Names of the renderers.
RENDERERS = tuple(one.name for one in SERVICES if one.is_renderer)

#: Names of the services of this package.
OWN_SERVICES = frozenset(one.name for one in SERVICES)
_ROWS = {one.name: one for one in SERVICES}
_CONTAINERS = {one.name: one.container for one in SERVICES if one.container is not None}
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


def service_row(name: str) -> ServiceRow:
    """Return the row of a service of this package.

    Raises:
        KeyError: There is none of this name.
    """
    return _ROWS[name]


def container_of(name: str) -> ContainerSpec:
    """Return what the container of a service of this package may do.

    Raises:
        KeyError: There is none of this name.
    """
    return _CONTAINERS[name]


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
