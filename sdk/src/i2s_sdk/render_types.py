"""What is asked of a renderer and what it answers, in the SDK's own words.

Enum values equal those of ``i2s.render.v1``, so a client converts by number. A rendering says what
the untrusted source did; what a service did wrong is never in here but an error of the client.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Verdict(enum.IntEnum):
    """How a render ended. The picture decides, never the exit code of the engine."""

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

    @property
    def has_picture(self) -> bool:
        """Whether there is something to score."""
        return self in (Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS)


class ErrorKind(enum.IntEnum):
    """What sort of error an engine reported first."""

    OTHER = 1
    SYNTAX = 2
    MISSING_MATH = 3
    UNDEFINED_COMMAND = 4
    UNDEFINED_ENVIRONMENT = 5
    UNDEFINED_FILE = 6
    UNDEFINED_KEY = 7
    ALREADY_DEFINED = 8
    CONFLICT = 9
    CAPACITY = 10
    INPUT_OUTPUT = 11
    UNDEFINED_COLOR = 12


class ProviderKind(enum.IntEnum):
    """How a provider is loaded."""

    PACKAGE = 1
    CLASS = 2
    TIKZ_LIBRARY = 3
    PGFPLOTS_LIBRARY = 4


class PolicyKind(enum.IntEnum):
    """What kind of attempt was prevented."""

    FILE_READ = 1
    FILE_WRITE = 2
    NETWORK = 3
    EXECUTE = 4
    SYSTEM_CALL = 5
    LEFT_BEHIND = 6
    IRREGULAR_OUTPUT = 7
    BROWSER_FEATURE = 8


class IsolationTier(enum.IntEnum):
    """The walls that a job ran in, weakest first."""

    NONE = 1
    CONTAINER = 2
    LANDLOCK = 3
    NAMESPACE = 4


class Crop(enum.IntEnum):
    """What is done with a page after its foot was cut off."""

    NONE = 1
    INK = 2


class BlankPage(enum.IntEnum):
    """What an entirely white page means."""

    NO_OUTPUT = 1
    KEEP = 2


@dataclass(frozen=True, slots=True)
class PageOptions:
    """How a page becomes a picture; None takes the renderer's default.

    Attributes:
        dpi: Resolution in dots per inch.
        first_page: The first page returned, counted from 1.
        page_count: How many pages are returned.
        cut_bottom: Share of the height cut off at the foot before anything else, in [0, 1).
        crop: What is done after the cut.
        blank_page: Whether a blank page is a picture.
    """

    dpi: float | None = None
    first_page: int | None = None
    page_count: int | None = None
    cut_bottom: float | None = None
    crop: Crop | None = None
    blank_page: BlankPage | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """A package or library of the renderer's installation that defines a name."""

    kind: ProviderKind
    name: str


@dataclass(frozen=True, slots=True)
class Undefined:
    """A name that the source uses and nothing defines, without backslash or braces.

    Attributes:
        name: Such as "toprule", "tabularx" or "fill between".
        providers: What would define it, best first; empty where nothing installed would.
    """

    name: str
    providers: tuple[Provider, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceError:
    """The first error that an engine reported about a source.

    Attributes:
        message: The engine's own words, without its decoration.
        kind: Its sort.
        line: Line of the source, counted from 1; 0 where the engine named none.
        file: File of the source it is in; empty for the document itself.
        undefined: What was missing, where kind is one of UNDEFINED_*.
        context: The line of the source up to the point where the engine stopped.
    """

    message: str
    kind: ErrorKind = ErrorKind.OTHER
    line: int = 0
    file: str = ""
    undefined: Undefined | None = None
    context: str = ""


@dataclass(frozen=True, slots=True)
class PolicyEvent:
    """One thing that a source tried and was prevented from."""

    kind: PolicyKind
    detail: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Usage:
    """Seconds, bytes of resident memory, and processes at the same time.

    ``waited_seconds`` is the wall time in which the machine kept the job waiting for a processor.
    """

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    peak_processes: int = 0
    waited_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a render; ``detail`` is "format" or "cold" for a compile run."""

    name: str
    usage: Usage = Usage()
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use; 0 means the default of the service.

    In a request: what is wanted. In a rendering: what was in force. Seconds, bytes and counts.
    """

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    memory_bytes: int = 0
    processes: int = 0
    file_bytes: int = 0
    disk_bytes: int = 0
    inodes: int = 0
    pages: int = 0
    pixels: int = 0
    log_bytes: int = 0
    picture_bytes: int = 0


@dataclass(frozen=True, slots=True)
class LogExcerpt:
    """What an engine wrote; ``tail`` is empty where ``head`` holds everything."""

    head: str = ""
    tail: str = ""
    total_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Isolation:
    """The walls that a job ran in, and what they are made of there."""

    tier: IsolationTier = IsolationTier.NONE
    mechanisms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Engine:
    """The program that made a picture. Equal digests mean equal pictures."""

    name: str = ""
    version: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """One page or window.

    Attributes:
        png: RGB, 8 bit.
        width: In pixels.
        height: In pixels.
        page: Which page of the document, counted from 1.
        sha256: Of ``png``, lower-case hexadecimal.
    """

    png: bytes = field(repr=False)
    width: int
    height: int
    page: int = 1
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a page; x, y, width and height in CSS pixels from the top left of the page.

    Attributes:
        tag: In lower case.
        text: That it shows, or its label; at most 200 characters. Of a meta element, its content.
        role: As for assistive technology, such as "link"; empty where there is none.
        clickable: Whether a user can interact with it.
        x: Left edge.
        y: Top edge.
        width: Of its rectangle.
        height: Of its rectangle.
        href: Where a link leads, as an absolute URL; empty for other elements.
        visible: Whether it has an area and is neither hidden nor transparent.
        covered: Whether something that is neither inside of it nor around it lies in front of it.
        clipped: Whether a part of its content is cut off.
        rectangles: How many it consists of; text within a line that wraps has more than one.
        joined: Whether pieces that stand apart in the picture follow one another in ``text`` without white
            space.
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
class ConsoleEntry:
    """What a page said: ``level`` is "log", "warning", "error" or "exception"."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class SiteResult:
    """What is known of a page beside its picture.

    Attributes:
        title: Of the page.
        text: As the DOM shows it; empty where it was not asked for.
        console: Messages and errors of the page, bounded.
        elements: Those asked for.
        settled: Whether fonts, requests and frames came to rest within the bound.
        jekyll: Whether Jekyll built the site.
        missing: Files that the page asked for and the site does not have, bounded.
        warnings: What GitHub Pages would have built and Jekyll did not: plugins and themes that are not
            installed.
    """

    title: str = ""
    text: str = ""
    console: tuple[ConsoleEntry, ...] = ()
    elements: tuple[Element, ...] = ()
    settled: bool = False
    jekyll: bool = False
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rendering:
    """A renderer's answer to one source.

    Attributes:
        verdict: How the render ended.
        message: One sentence for people.
        pictures: Where ``verdict.has_picture``; else empty.
        total_pages: Pages that the engine produced.
        error: The first error that the engine reported.
        log: What the engine wrote, bounded.
        stages: Steps in the order they were made.
        usage: All stages together.
        limits: Those in force.
        isolation: The walls the job ran in.
        engine: What made it.
        policy_events: What was tried and prevented.
        site: Of sites, what is known of the page.
    """

    verdict: Verdict
    message: str = ""
    pictures: tuple[Picture, ...] = ()
    total_pages: int = 0
    error: SourceError | None = None
    log: LogExcerpt = LogExcerpt()
    stages: tuple[Stage, ...] = ()
    usage: Usage = Usage()
    limits: Limits = Limits()
    isolation: Isolation = Isolation()
    engine: Engine = Engine()
    policy_events: tuple[PolicyEvent, ...] = ()
    site: SiteResult | None = None
