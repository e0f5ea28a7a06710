"""The answer of a renderer: what the untrusted source did.

What a service did wrong is never in a rendering but a gRPC status.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from i2s_wire.render.figure import Figure
from i2s_wire.render.isolation import Isolation, PolicyEvent
from i2s_wire.render.options import LilypondBackend
from i2s_wire.render.resources import Limits, Usage
from i2s_wire.render.site import SiteResult
from i2s_wire.render.source_error import SourceError


class Verdict(enum.IntEnum):
    """How a render ended. The picture decides, never the exit code of the engine.

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
    """One page or window.

    Attributes:
        png: RGB, 8 bit.
        width: Width in pixels.
        height: Height in pixels.
        page: Number of the page in the document, from 1.
        sha256: SHA-256 of ``png``, lower-case hexadecimal; empty if it was not computed.
        text: Text of the whole page in reading order; of LaTeX, if asked for.
    """

    png: bytes = field(repr=False)
    width: int
    height: int
    page: int = 1
    sha256: str = ""
    text: str = ""


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
    """The program that made a picture. Equal digests mean equal pictures."""

    name: str = ""
    version: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A renderer's answer to one source.

    Attributes:
        verdict: How the render ended.
        message: One sentence for people.
        pictures: Pictures if ``verdict.has_picture``; else empty.
        total_pages: Pages that the engine produced.
        error: The first error that the engine reported.
        log: What the engine wrote, bounded.
        stages: Steps in the order they were made.
        usage: All stages together.
        limits: Limits in force.
        isolation: The sandbox that the job ran in.
        engine: What made it.
        policy_events: What was tried and prevented.
        site: What is known of the page, for sites.
        figures: Figures of Python programs, if asked for: the objects of the figures in ``pictures``.
        lilypond_backend: The back end that drew the ``pictures`` of a score, or would have drawn them.
    """

    verdict: Verdict
    message: str = ""
    pictures: tuple[Picture, ...] = ()
    total_pages: int = 0
    error: SourceError | None = None
    log: LogExcerpt = field(default_factory=LogExcerpt)
    stages: tuple[Stage, ...] = ()
    usage: Usage = field(default_factory=Usage)
    limits: Limits = field(default_factory=Limits)
    isolation: Isolation = field(default_factory=Isolation)
    engine: Engine = field(default_factory=Engine)
    policy_events: tuple[PolicyEvent, ...] = ()
    site: SiteResult | None = None
    figures: tuple[Figure, ...] = ()
    lilypond_backend: LilypondBackend | None = None
