"""The jobs of this service, the limits of their cells, and their results before they are messages."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from i2s_chassis.jail import PolicyEvent, Usage
from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_chassis.renderer.model import RawStage
from i2s_chassis.renderer.pixmap import BYTES_PER_PIXEL, HEADER_BYTES
from i2s_wire.documents.conversion import Converted, FragmentFormat
from i2s_wire.documents.drawing import DocumentDefect, PageDrawing, PageImage
from i2s_wire.render.rendering import Verdict

_SLACK_BYTES = 1024 * 1024
_CONVERSION_LOG_BYTES, _DRAWING_LOG_BYTES = 64 * 1024, 16 * 1024


@dataclass(frozen=True, slots=True)
class RawFragment:
    """A fragment as it was sent."""

    #: Returned with the result.
    id: str
    #: Its language.
    format: FragmentFormat
    #: Bytes, which should be UTF-8.
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ConvertJob:
    """Fragments to convert, and what each of them may use."""

    fragments: tuple[RawFragment, ...]
    limits: Limits = DEFAULT_LIMITS


@dataclass(slots=True)
class RawConversions:
    """The results of the fragments of a job, as far as they were converted."""

    #: Results in the order of the fragments.
    converted: list[Converted] = field(default_factory=list)
    #: Usage of all of them together.
    usage: Usage = field(default_factory=Usage)
    #: What was tried and prevented.
    events: list[PolicyEvent] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DrawJob:
    """Pages of a document to draw."""

    #: The document.
    pdf: bytes = field(repr=False)
    #: How the pages are drawn.
    drawing: PageDrawing = field(default_factory=PageDrawing)
    #: The first page, from 1.
    first: int = 1
    #: How many pages; None means all to the end.
    count: int | None = None
    #: Limits of each page.
    limits: Limits = DEFAULT_LIMITS


@dataclass(slots=True)
class RawPages:
    """The drawn pages of a job, or the reason why there are none."""

    #: How it ended.
    verdict: Verdict = Verdict.RENDERED
    #: One sentence for people.
    message: str = ""
    #: Images, in order. Empty unless the verdict is RENDERED.
    pages: list[PageImage] = field(default_factory=list)
    #: Number of pages of the document.
    total_pages: int = 0
    #: Why it cannot be opened.
    defect: DocumentDefect | None = None
    #: Stages in the order they were made.
    stages: list[RawStage] = field(default_factory=list)
    #: What was tried and prevented.
    events: list[PolicyEvent] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """All stages together."""
        return sum((stage.usage for stage in self.stages), Usage())


def limits_of_conversion(limits: Limits) -> Limits:
    """Return the limits of the cell in which a fragment is converted."""
    return replace(limits, log_bytes=_CONVERSION_LOG_BYTES)


def limits_of_drawing(limits: Limits, pdf_bytes: int, pages: int) -> Limits:
    """Return the limits of the cell in which pages are drawn, one after the other.

    A drawing is bounded by the limit on pixels, so there is room for one beside the document, whatever the
    limits on files are. Time is a budget of the whole cell; each page gets its own share of it.

    Args:
        limits: Limits of each page.
        pdf_bytes: Size of the document.
        pages: The most that are drawn.
    """
    drawing = limits.pixels * BYTES_PER_PIXEL + HEADER_BYTES
    return replace(
        limits,
        cpu_seconds=limits.cpu_seconds * pages,
        wall_seconds=limits.wall_seconds * pages,
        file_bytes=max(drawing, pdf_bytes),
        disk_bytes=drawing + pdf_bytes + _SLACK_BYTES,
        log_bytes=_DRAWING_LOG_BYTES,
    )
