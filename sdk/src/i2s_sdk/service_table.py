"""The services that there are. Settings, options, doctor and the stack derive theirs from this table."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_wire.render.request import LatexSource, LilypondSource, PythonSource, SiteSource, Source

RENDER_LATEX, RENDER_HTML, RENDER_LILYPOND = "render-latex", "render-html", "render-lilypond"
RENDER_PYTHON = "render-python"
METRICS = "metrics"
DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """A service as the SDK knows it.

    Attributes:
        name: Of its command without the "i2s-" before it.
        title: For people.
        source: What it renders; None for a service that is no renderer.
        optional: Whether something can be evaluated without it.
    """

    name: str
    title: str
    source: type[Source] | None
    optional: bool = True

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


SERVICES = (
    ServiceRow(RENDER_LATEX, "LaTeX renderer", LatexSource, optional=False),
    ServiceRow(RENDER_HTML, "site renderer", SiteSource),
    ServiceRow(RENDER_LILYPOND, "LilyPond renderer", LilypondSource),
    ServiceRow(RENDER_PYTHON, "Python renderer", PythonSource),
    ServiceRow(METRICS, "metric service", None, optional=False),
    ServiceRow(DOCUMENTS, "documents service", None),
)

#: Names of the renderers.
RENDERERS = tuple(one.name for one in SERVICES if one.is_renderer)

_RENDERER_OF = {one.source: one.name for one in SERVICES if one.source is not None}


def renderer_of(source: Source) -> str:
    """Return the name of the renderer that renders a source."""
    return _RENDERER_OF[type(source)]


#: Names of the services whose jobs run in sandboxes. Their programs have the subcommands "host" and "clean".
SANDBOXED = (*RENDERERS, DOCUMENTS)
