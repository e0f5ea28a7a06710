"""The description of a renderer: everything that others need to know of it to call, install and run it.

A renderer of another package names its description in its ``pyproject.toml``::

    [project.entry-points."i2s.renderers"]
    render-dot = "dot_renderer.spec:RENDER_DOT"

The descriptions of the renderers of this project are the rows of ``i2s_wire.renderers``.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass

from i2s_wire.render.request import (
    GenericSource,
    LatexSource,
    LilypondSource,
    PythonSource,
    SiteSource,
    Source,
)

#: The form of the name of a renderer.
RENDERER_NAME = re.compile(r"render-[a-z0-9]+(-[a-z0-9]+)*")
_LANGUAGE = re.compile(r"[a-z][a-z0-9-]*")


class Images(enum.Enum):
    """How the images of a renderer come about, and so which options they have."""

    #: Pages of a document or figures of a program: ``RenderOptions.page``.
    PAGES = "pages"
    #: A window that something is shown in: ``RenderOptions.window``.
    WINDOW = "window"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One thing that a renderer needs of the system, beside the sandbox."""

    #: The package of Debian that has it; the container image of the renderer installs it.
    package: str
    #: How it is looked for: "command", "file", "font", "library" or "package".
    check: str
    #: What is looked for, such as the name of the command.
    argument: str
    #: What it is, for people.
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """What is done once after a renderer was installed."""

    #: What it does, for people.
    title: str
    #: Arguments of the module of the renderer.
    arguments: tuple[str, ...]
    #: Beginning of the names of the packages of the system without which it cannot be done.
    packages: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerLimits:
    """What the container of a renderer may use."""

    #: Number of its user; 0 is 10000 more than the port. No two services share one.
    user: int = 0
    #: Memory of the container.
    memory_gib: int = 4
    #: Size of its temporary folder.
    tmp_gib: int = 1
    #: Number of its processes.
    pids: int = 512
    #: The most memory that a job may ask for.
    job_memory: str = "1GiB"
    #: The most space on disk that a job may ask for; a file likewise.
    job_disk: str = "256MiB"
    #: Time that running jobs have when a pod is ended.
    drain_seconds: int = 60
    #: Storage of a pod on the disk of its node.
    storage_gib: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RendererSpec:
    """A renderer as others see it.

    Raises:
        ValueError: A part of it has no meaning; says which.
    """

    #: Name of the service, "render-" and the name of the renderer. Its command, its container image and, as
    #: a rule, its distribution have "i2s-" before it.
    name: str
    #: Title for people, such as "Graphviz renderer".
    title: str
    #: Names of what it renders, such as "dot": words of ``i2s-sdk render``, and languages of generic sources.
    #: Lower-case letters, digits and hyphens, a letter first.
    languages: tuple[str, ...]
    #: Endings of the names of its files, such as ".dot".
    suffixes: tuple[str, ...]
    #: Port at which it listens by default.
    port: int
    #: A small source that has an image; its type is that of all sources of the renderer.
    canary: Source
    #: How its images come about.
    images: Images = Images.PAGES
    #: Its Python distribution; empty if that has the name of its command.
    distribution: str = ""
    #: Extra of its distribution that is installed with it.
    extra: str = ""
    #: What it needs of the system.
    needs: tuple[Need, ...] = ()
    #: Whether its engine makes namespaces of its own, as browsers do.
    nesting: bool = False
    #: Whether something can be evaluated without it.
    optional: bool = True
    #: What its container may use.
    container: ContainerLimits = ContainerLimits()
    #: What is done once after it was installed.
    preparation: Preparation | None = None
    #: Option of its command for a file with what documents begin with; empty if it has none.
    preamble_option: str = ""
    #: A sentence that follows the command that installs it, where it is missing.
    hint: str = ""

    def __post_init__(self) -> None:
        canary = self.canary
        is_known = not isinstance(canary, GenericSource) or (
            canary.language in self.languages and canary.entry in canary.files
        )
        wrong = {
            "the name is not render-NAME in lower case": not RENDERER_NAME.fullmatch(self.name),
            "the languages are no tuple": not isinstance(self.languages, tuple),
            "there is no language": not self.languages,
            "a language is no word of a-z, 0-9 and -, such as dot": not all(
                isinstance(language, str) and _LANGUAGE.fullmatch(language) for language in self.languages
            ),
            "a suffix does not begin with a dot": not all(suffix.startswith(".") for suffix in self.suffixes),
            "there is no suffix": not self.suffixes,
            "the port is not from 1024 to 55535": not 1024 <= self.port <= 55_535,
            "the canary is in another language, or has no file of its entry": not is_known,
        }
        for reason in (reason for reason, is_wrong in wrong.items() if is_wrong):
            raise ValueError(f"{self.name}: {reason}")

    @property
    def command(self) -> str:
        """Its command, and its container image."""
        return f"i2s-{self.name}"

    @property
    def package(self) -> str:
        """Its Python distribution."""
        return self.distribution or self.command

    @property
    def module(self) -> str:
        """The module that ``python -m`` runs as its command."""
        return self.command.replace("-", "_")

    @property
    def requirement(self) -> str:
        """What pip installs."""
        return f"{self.package}[{self.extra}]" if self.extra else self.package

    @property
    def user(self) -> int:
        """Number of the user of its container."""
        return self.container.user or 10_000 + self.port

    @property
    def is_generic(self) -> bool:
        """Whether its sources are generic ones."""
        return isinstance(self.canary, GenericSource)

    def source_of(self, text: bytes, files: Mapping[str, bytes] | None = None) -> Source:
        """Return a source of the first of its languages.

        Args:
            text: The file that is rendered.
            files: The files beside it, by relative path. Where one has the path of the text, the text is
                taken.

        Raises:
            ValueError: There are files, and sources of this renderer have none.
        """
        beside = dict(files or {})
        match self.canary:
            case LatexSource():
                return LatexSource(text, beside)
            case PythonSource():
                return PythonSource(text, beside)
            case LilypondSource():
                if beside:
                    raise ValueError(f"{self.name}: its sources have no files beside them")
                return LilypondSource(text)
            case SiteSource():
                return SiteSource({**beside, "index.html": text})
        entry = f"source{self.suffixes[0]}"
        return GenericSource(self.languages[0], entry, {**beside, entry: text})

    def renders(self, source: Source) -> bool:
        """Return whether it renders sources of this type and, if they are generic, of this language."""
        if isinstance(source, GenericSource):
            return self.is_generic and source.language in self.languages
        return type(source) is type(self.canary)
