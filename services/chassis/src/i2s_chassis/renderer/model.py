"""The result of a job, for every renderer; the answer is made of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from i2s_chassis.jail import Excerpt, PolicyEvent, Usage
from i2s_wire.render.options import BlankPage, Crop, PageOptions
from i2s_wire.render.rendering import Picture, Verdict
from i2s_wire.render.source_error import SourceError

NO_LOG = Excerpt(b"", b"", 0)
_NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class ResolvedPageOptions(PageOptions):
    """Which pages of a paged document to return, and how, with nothing left to a default.

    The attributes are those of PageOptions.
    """

    dpi: float
    first_page: int = 1
    page_count: int = 1
    cut_bottom: float = 0.0
    crop: Crop = Crop.INK
    blank_page: BlankPage = BlankPage.NO_OUTPUT


@dataclass(frozen=True, slots=True)
class RawStage:
    """One step that was made."""

    #: Name, such as "compile".
    name: str
    #: CPU time, memory and elapsed time of the step.
    usage: Usage = _NO_USAGE
    #: A word on how ("format", "zygote", "cold") or nothing.
    detail: str = ""
    #: When it ended, in nanoseconds since the epoch: by default when this is made.
    ended_ns: int = field(default_factory=time.time_ns, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RawRendering:
    """The result of a job, before its texts are made printable and its events are bounded."""

    #: How it ended.
    verdict: Verdict
    #: One sentence for people.
    message: str
    #: Empty unless the verdict is RENDERED or RENDERED_WITH_ERRORS.
    pictures: tuple[Picture, ...] = ()
    #: Pages that the engine produced.
    total_pages: int = 0
    #: The first error.
    error: SourceError | None = None
    #: What the engine wrote, bounded.
    log: Excerpt = NO_LOG
    #: The stages, in the order in which they ran.
    stages: tuple[RawStage, ...] = ()
    #: What was tried and prevented.
    events: tuple[PolicyEvent, ...] = ()
    #: Whether something outside may have ended it, such as an operator or the kernel out of memory: a process
    #: of the engine that is not the source's own was lost on the way. A verdict CRASHED means that too.
    interrupted: bool = False

    @property
    def usage(self) -> Usage:
        """All stages together."""
        return sum((stage.usage for stage in self.stages), Usage())


class EngineInstallation(Protocol):
    """The installation of an engine: everything that decides its images."""

    @property
    def version(self) -> str:
        """Version of the engine."""
        ...

    @property
    def digest(self) -> str:
        """Digest of everything that decides an image."""
        ...

    @property
    def versions(self) -> Mapping[str, str]:
        """Versions of the programs beside it, by name."""
        ...

    @property
    def fonts_digest(self) -> str:
        """Digest of the fonts."""
        ...
