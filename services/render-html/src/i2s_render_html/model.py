"""The words of this renderer: what a job is, and what its answer has beside that of others."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from i2s_chassis.limits import Limits
from i2s_chassis.renderer import model as renderer
from i2s_chassis.renderer.model import Picture, SourceError, Stage, Verdict

__all__ = [
    "PAGE_LIMITS",
    "PAGE_MAX_LIMITS",
    "Build",
    "ConsoleEntry",
    "Element",
    "ElementQuery",
    "Job",
    "Options",
    "PageFacts",
    "Picture",
    "Rendering",
    "SiteFile",
    "SourceError",
    "Stage",
    "Verdict",
]

_MIB = 1024 * 1024

#: What a page may use. A browser is some processes of many threads each before it shows anything.
PAGE_LIMITS = Limits(
    cpu_seconds=10.0,
    wall_seconds=30.0,
    memory_bytes=2048 * _MIB,
    processes=512,
    file_bytes=128 * _MIB,
    disk_bytes=512 * _MIB,
)
#: What a page may ask for.
PAGE_MAX_LIMITS = Limits(
    cpu_seconds=120.0,
    wall_seconds=360.0,
    memory_bytes=4096 * _MIB,
    processes=1024,
    file_bytes=512 * _MIB,
    disk_bytes=1024 * _MIB,
    inodes=20_000,
    pages=1000,
    pixels=200_000_000,
    picture_bytes=128 * _MIB,
    log_bytes=_MIB,
)


class Build(enum.IntEnum):
    """Whether a site goes through Jekyll. Values equal those of the wire."""

    AUTO = 1
    JEKYLL = 2
    STATIC = 3


@dataclass(frozen=True, slots=True)
class ElementQuery:
    """Which elements to return: those that match ``css``, or where that is empty all interactive ones."""

    css: str = ""
    most: int = 1000


@dataclass(frozen=True, slots=True)
class Options:
    """How to render.

    Attributes:
        width: Of the viewport, in CSS pixels.
        height: Likewise.
        device_scale: Device pixels per CSS pixel.
        full_page: Take the whole page instead of the viewport.
        want_text: Return the text of the page.
        elements: Which elements to return; None for none.
        build: Whether the site goes through Jekyll.
    """

    width: int = 1920
    height: int = 1080
    device_scale: float = 1.0
    full_page: bool = False
    want_text: bool = False
    elements: ElementQuery | None = None
    build: Build = Build.AUTO


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of a site; its path is relative."""

    path: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Job:
    """One site to show.

    Attributes:
        files: Written by the author of the structure.
        assets: Given; they win over files of the same path.
        entry_path: The page to show; empty for index.html.
        options: How.
        limits: What it may use.
    """

    files: tuple[SiteFile, ...]
    assets: tuple[SiteFile, ...] = ()
    entry_path: str = ""
    options: Options = Options()
    limits: Limits = PAGE_LIMITS


@dataclass(frozen=True, slots=True)
class ConsoleEntry:
    """What a page said: level "log", "warning", "error" or "exception", and the text."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the page and its rectangle, in CSS pixels from the top left of the page.

    Attributes:
        href: Where a link leads, as an absolute URL; empty for other elements.
        visible: Whether it has an area and is neither hidden nor transparent.
        covered: Whether something that is neither inside of it nor around it lies in front of it.
        clipped: Whether a part of its content is cut off.
        rectangles: How many it consists of.
        joined: Whether pieces that stand apart follow one another in its text without white space.
    """

    tag: str
    text: str
    role: str
    clickable: bool
    x: float
    y: float
    width: float
    height: float
    href: str = ""
    visible: bool = False
    covered: bool = False
    clipped: bool = False
    rectangles: int = 0
    joined: bool = False


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of a page beside its picture.

    Attributes:
        title: Of the document.
        text: As it is shown; empty where it was not asked for.
        console: What the page said, bounded.
        elements: Where asked for.
        settled: Whether it came to rest within the bound.
        missing: Files that it asked for and the site does not have, bounded.
    """

    title: str = ""
    text: str = ""
    console: tuple[ConsoleEntry, ...] = ()
    elements: tuple[Element, ...] = ()
    settled: bool = False
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rendering(renderer.Rendering):
    """The answer to a job; its log is that of Jekyll.

    Attributes:
        facts: What is known of the page.
        jekyll: Whether Jekyll built the site.
        warnings: What GitHub Pages would have built and Jekyll did not, a sentence each.
    """

    facts: PageFacts = PageFacts()
    jekyll: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def picture(self) -> Picture | None:
        """What was shown; None unless the verdict is RENDERED or RENDERED_WITH_ERRORS."""
        return self.pictures[0] if self.pictures else None
