"""The words of this renderer: what a job is, how it ended, and what stands in its answer."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass, field
from functools import cached_property

from i2s_chassis.jail import Excerpt, PolicyEvent, Usage
from i2s_chassis.limits import DEFAULT_LIMITS, Limits

_NO_USAGE = Usage()
NO_LOG = Excerpt(b"", b"", 0)


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


class ErrorKind(enum.IntEnum):
    """What an error of LilyPond is about. Values equal those of the wire."""

    OTHER = 1
    SYNTAX = 2
    UNDEFINED_COMMAND = 4
    UNDEFINED_FILE = 6
    CONFLICT = 9


class Crop(enum.IntEnum):
    """What happens to a page after its foot was cut off. Values equal those of the wire."""

    NONE = 1
    INK = 2


class BlankPage(enum.IntEnum):
    """What an entirely white page means. Values equal those of the wire."""

    NO_OUTPUT = 1
    KEEP = 2


class Convert(enum.IntEnum):
    """Whether convert-ly runs first. Values equal those of the wire."""

    AUTO = 1
    REQUIRED = 2
    OFF = 3


@dataclass(frozen=True, slots=True)
class Options:
    """How to render.

    Attributes:
        dpi: Dots per inch.
        first_page: The first page to return, from 1.
        page_count: How many pages to return at most.
        cut_bottom: Share of the height that is cut off at the foot of a page, in [0, 1).
        crop: What happens after the cut.
        blank_page: What an entirely white page means.
        convert: Whether convert-ly runs first.
        no_footers: Leave out tagline and page footers that the score does not define itself.
        cold: Start every process anew, whatever stands ready.
    """

    dpi: float = 101.0
    first_page: int = 1
    page_count: int = 1
    cut_bottom: float = 0.0
    crop: Crop = Crop.INK
    blank_page: BlankPage = BlankPage.NO_OUTPUT
    convert: Convert = Convert.AUTO
    no_footers: bool = True
    cold: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One score to render.

    Attributes:
        score: UTF-8 text.
        assume_version: To convert from where the score states none; empty: it is current syntax.
        options: How.
        limits: What it may use.
    """

    score: bytes
    assume_version: str = ""
    options: Options = Options()
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class SourceError:
    """The first error that was reported.

    Attributes:
        message: The engine's own words, without decoration.
        kind: What it is about.
        line: Line of the score as it was compiled, from 1; 0 where none was named.
        file: Included file that the line is in; empty for the score itself.
        context: The line up to where the engine stopped.
        undefined: Name of what was missing, for the kinds UNDEFINED_*.
    """

    message: str
    kind: ErrorKind = ErrorKind.OTHER
    line: int = 0
    file: str = ""
    context: str = ""
    undefined: str = ""


@dataclass(frozen=True)
class Picture:
    """One page as PNG (RGB, 8 bit), its size in pixels, and its number from 1."""

    png: bytes = field(repr=False)
    width: int
    height: int
    page: int

    @cached_property
    def sha256(self) -> str:
        """Of ``png``, lower-case hexadecimal."""
        return hashlib.sha256(self.png).hexdigest()


@dataclass(frozen=True, slots=True)
class Stage:
    """One step that was made, what it used, and what it ran on ("zygote", "cold" or nothing)."""

    name: str
    usage: Usage = _NO_USAGE
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The answer to a job.

    Attributes:
        verdict: How it ended.
        message: One sentence for people.
        pictures: Empty unless the verdict is RENDERED or RENDERED_WITH_ERRORS.
        total_pages: Pages that LilyPond produced.
        error: The first error.
        log: What LilyPond wrote, bounded.
        stages: In the order they were made.
        events: What was tried and prevented.
    """

    verdict: Verdict
    message: str
    pictures: tuple[Picture, ...] = ()
    total_pages: int = 0
    error: SourceError | None = None
    log: Excerpt = NO_LOG
    stages: tuple[Stage, ...] = ()
    events: tuple[PolicyEvent, ...] = ()

    @property
    def usage(self) -> Usage:
        """All stages together."""
        return sum((stage.usage for stage in self.stages), Usage())
