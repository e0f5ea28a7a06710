"""The words of renderers: how a render ended, and what stands in its answer."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from i2s_chassis.jail import Excerpt, PolicyEvent, Usage

NO_LOG = Excerpt(b"", b"", 0)
_NO_USAGE = Usage()


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
    """What an error of an engine is about. Values equal those of the wire."""

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


class Crop(enum.IntEnum):
    """What happens to a page after its foot was cut off. Values equal those of the wire."""

    NONE = 1
    INK = 2


class BlankPage(enum.IntEnum):
    """What an entirely white page means. Values equal those of the wire."""

    NO_OUTPUT = 1
    KEEP = 2


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Which pages of a paged document to return, and how.

    Attributes:
        dpi: Dots per inch.
        first_page: The first page to return, from 1.
        page_count: How many pages to return at most.
        cut_bottom: Share of the height that is cut off at the foot of a page, in [0, 1).
        crop: What happens after the cut.
        blank_page: What an entirely white page means.
    """

    dpi: float
    first_page: int = 1
    page_count: int = 1
    cut_bottom: float = 0.0
    crop: Crop = Crop.INK
    blank_page: BlankPage = BlankPage.NO_OUTPUT


@dataclass(frozen=True)
class Picture:
    """One page as PNG (RGB, 8 bit), its size in pixels, and its number from 1."""

    png: bytes = field(repr=False)
    width: int
    height: int
    page: int = 1

    @cached_property
    def sha256(self) -> str:
        """Of ``png``, lower-case hexadecimal."""
        return hashlib.sha256(self.png).hexdigest()


@dataclass(frozen=True, slots=True)
class Stage:
    """One step that was made, what it used, and a word on how ("format", "zygote", "cold" or nothing)."""

    name: str
    usage: Usage = _NO_USAGE
    detail: str = ""


class Provider(Protocol):
    """What defines a name. The value of ``kind`` equals that of the wire."""

    @property
    def kind(self) -> enum.IntEnum:
        """How it is loaded."""
        ...

    @property
    def name(self) -> str:
        """What to load."""
        ...


@dataclass(frozen=True, slots=True)
class Undefined:
    """A name that nothing defines, without decoration, and what would define it, best first."""

    name: str
    providers: tuple[Provider, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceError:
    """The first error that was reported.

    Attributes:
        message: The engine's own words, without decoration.
        kind: What it is about.
        line: Line of the source as it was compiled, from 1; 0 where none was named.
        file: File that the line is in; empty for the document itself.
        context: The line up to where the engine stopped.
        undefined: What was missing, for the kinds UNDEFINED_*.
    """

    message: str
    kind: ErrorKind = ErrorKind.OTHER
    line: int = 0
    file: str = ""
    context: str = ""
    undefined: Undefined | None = None


@dataclass(frozen=True, slots=True)
class Rendering:
    """The answer to a job.

    Attributes:
        verdict: How it ended.
        message: One sentence for people.
        pictures: Empty unless the verdict is RENDERED or RENDERED_WITH_ERRORS.
        total_pages: Pages that the engine produced.
        error: The first error.
        log: What the engine wrote, bounded.
        stages: In the order they were made.
        events: What was tried and prevented.
        interrupted: Whether something outside may have ended it, such as an operator or the kernel out of
            memory: a process of the engine that is not the source's own was lost on the way. A verdict
            CRASHED means that too.
    """

    verdict: Verdict
    message: str
    pictures: tuple[Picture, ...] = ()
    total_pages: int = 0
    error: SourceError | None = None
    log: Excerpt = NO_LOG
    stages: tuple[Stage, ...] = ()
    events: tuple[PolicyEvent, ...] = ()
    interrupted: bool = False

    @property
    def usage(self) -> Usage:
        """All stages together."""
        return sum((stage.usage for stage in self.stages), Usage())


class Installation(Protocol):
    """What is installed of an engine, and everything that decides its pictures."""

    @property
    def version(self) -> str:
        """Of the engine."""
        ...

    @property
    def digest(self) -> str:
        """Of everything that decides a picture."""
        ...

    @property
    def versions(self) -> Mapping[str, str]:
        """Of the programs beside it, by name."""
        ...

    @property
    def fonts_digest(self) -> str:
        """Of the fonts."""
        ...
