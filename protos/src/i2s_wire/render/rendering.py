"""The answer of a renderer: what the untrusted source did.

What a service did wrong is never in a rendering but a gRPC status.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from i2s_wire.render.figure import Figure
from i2s_wire.render.isolation import Isolation, PolicyEvent
from i2s_wire.render.notes import ScoreNotes
from i2s_wire.render.options import LilypondBackend
from i2s_wire.render.page_objects import PageObjects
from i2s_wire.render.resources import Limits, Usage
from i2s_wire.render.site import SiteResult
from i2s_wire.render.source_error import SourceError


class Verdict(enum.IntEnum):
    """How a render ended. The image decides, never the exit code of the engine.

    Values equal those of the wire.
    """

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


@dataclass(frozen=True, slots=True)
class Picture:
    """One page or window."""

    #: RGB, 8 bit.
    png: bytes = field(repr=False)
    #: Width in pixels.
    width: int
    #: Height in pixels.
    height: int
    #: Number of the page in the document, from 1.
    page: int = 1
    #: SHA-256 of ``png``, lower-case hexadecimal; empty if it was not computed.
    sha256: str = ""
    #: Text of the whole page in reading order; of LaTeX, if asked for.
    text: str = ""
    #: What can be seen on the page; of LaTeX, if asked for.
    objects: PageObjects | None = None


@dataclass(frozen=True, slots=True)
class LogExcerpt:
    """What an engine wrote; ``tail`` is empty if ``head`` holds everything."""

    head: str = ""
    tail: str = ""
    total_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a render; ``detail`` says how it ran, such as "format" or "cold" for a compile run."""

    name: str
    usage: Usage = field(default_factory=Usage)
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Engine:
    """The program that made an image. Equal digests mean equal images."""

    name: str = ""
    version: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A renderer's answer to one source."""

    #: How the render ended.
    verdict: Verdict
    #: One sentence for people.
    message: str = ""
    #: Images if ``verdict.has_picture``; else empty.
    pictures: tuple[Picture, ...] = ()
    #: Pages that the engine produced.
    total_pages: int = 0
    #: The first error that the engine reported.
    error: SourceError | None = None
    #: What the engine wrote, bounded.
    log: LogExcerpt = field(default_factory=LogExcerpt)
    #: Steps in the order they were made.
    stages: tuple[Stage, ...] = ()
    #: All stages together.
    usage: Usage = field(default_factory=Usage)
    #: Limits in force.
    limits: Limits = field(default_factory=Limits)
    #: The sandbox that the job ran in.
    isolation: Isolation = field(default_factory=Isolation)
    #: What made it.
    engine: Engine = field(default_factory=Engine)
    #: What was tried and prevented.
    policy_events: tuple[PolicyEvent, ...] = ()
    #: What is known of the page, for sites.
    site: SiteResult | None = None
    #: Figures of Python programs, if asked for: the objects of the figures in ``pictures``.
    figures: tuple[Figure, ...] = ()
    #: The back end that drew the ``pictures`` of a score, or would have drawn them.
    lilypond_backend: LilypondBackend | None = None
    #: Notes of a score on all its pages, if asked for.
    notes: ScoreNotes | None = None

    @property
    def png(self) -> bytes | None:
        """PNG of the first image; None if there is none."""
        return self.pictures[0].png if self.pictures else None
