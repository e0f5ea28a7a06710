"""The services that there are. Settings, options, doctor and the stack derive theirs from this table."""

from __future__ import annotations

from dataclasses import dataclass

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
        is_renderer: Whether it speaks i2s.render.v1.
        optional: Whether something can be evaluated without it.
    """

    name: str
    title: str
    is_renderer: bool = True
    optional: bool = True

    @property
    def setting(self) -> str:
        """The setting that holds its address; with ``token_`` or ``token_file_`` before it, its access."""
        return self.name.replace("-", "_")

    @property
    def flag(self) -> str:
        """The option that holds its address."""
        return f"--{self.name}-at"


SERVICES = (
    ServiceRow(RENDER_LATEX, "LaTeX renderer", optional=False),
    ServiceRow(RENDER_HTML, "site renderer"),
    ServiceRow(RENDER_LILYPOND, "LilyPond renderer"),
    ServiceRow(RENDER_PYTHON, "Python renderer"),
    ServiceRow(METRICS, "metric service", is_renderer=False, optional=False),
    ServiceRow(DOCUMENTS, "documents service", is_renderer=False),
)

#: Names of the renderers.
RENDERERS = tuple(one.name for one in SERVICES if one.is_renderer)

#: Names of the services whose jobs run in sandboxes. Their programs have the subcommands "host" and "clean".
SANDBOXED = (*RENDERERS, DOCUMENTS)
