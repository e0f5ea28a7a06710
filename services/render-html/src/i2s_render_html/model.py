"""The words of this renderer: what a job is, how it ended, and what stands in its answer."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass, field
from functools import cached_property

from i2s_chassis.jail import Excerpt, PolicyEvent, Usage
from i2s_chassis.limits import Limits

_MIB = 1024 * 1024
_NO_USAGE = Usage()
_NO_LOG = Excerpt(b"", b"", 0)

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
    log_bytes=_MIB,
)


class Verdict(enum.IntEnum):
    """How a render ended. Values equal those of the wire."""

    RENDERED = 1
    RENDERED_WITH_ERRORS = 2
    COMPILE_ERROR = 3
    NO_OUTPUT = 4
    TIME_LIMIT = 5
    MEMORY_LIMIT = 6
    PROCESS_LIMIT = 7
    OUTPUT_LIMIT = 8
    PIXEL_LIMIT = 9
    PAGE_LIMIT = 10
    CRASHED = 11
    INVALID_INPUT = 12


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


@dataclass(frozen=True)
class Picture:
    """What was shown, as PNG (RGB, 8 bit), and its size in device pixels."""

    png: bytes = field(repr=False)
    width: int
    height: int

    @cached_property
    def sha256(self) -> str:
        """Of ``png``, lower-case hexadecimal."""
        return hashlib.sha256(self.png).hexdigest()


@dataclass(frozen=True, slots=True)
class ConsoleEntry:
    """What a page said: level "log", "warning", "error" or "exception", and the text."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the page and its rectangle, in CSS pixels from the top left of the page."""

    tag: str
    text: str
    role: str
    clickable: bool
    x: float
    y: float
    width: float
    height: float


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
class SourceError:
    """The first error: in the words of Jekyll or of the page, with file and line (0: none) where known."""

    message: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """One step that was made, what it used, and a word on how ("warm" or "cold" for a build)."""

    name: str
    usage: Usage = _NO_USAGE
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The answer to a job.

    Attributes:
        verdict: How it ended.
        message: One sentence for people.
        picture: None unless the verdict is RENDERED or RENDERED_WITH_ERRORS.
        facts: What is known of the page.
        jekyll: Whether Jekyll built the site.
        error: The first error.
        log: What Jekyll wrote, bounded.
        stages: In the order they were made.
        events: What was tried and prevented.
    """

    verdict: Verdict
    message: str
    picture: Picture | None = None
    facts: PageFacts = PageFacts()
    jekyll: bool = False
    error: SourceError | None = None
    log: Excerpt = _NO_LOG
    stages: tuple[Stage, ...] = ()
    events: tuple[PolicyEvent, ...] = ()

    @property
    def usage(self) -> Usage:
        """All stages together."""
        return sum((stage.usage for stage in self.stages), Usage())
