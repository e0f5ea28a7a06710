"""The jobs of this service and their results, before they are converted to messages."""

from __future__ import annotations

from dataclasses import dataclass, field

from i2s_chassis.jail import PolicyEvent, Usage
from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_chassis.renderer.model import RawStage
from i2s_wire.documents.conversion import Converted, FragmentFormat
from i2s_wire.documents.drawing import DocumentDefect, PageDrawing, PageImage
from i2s_wire.render.rendering import Verdict


@dataclass(frozen=True, slots=True)
class RawFragment:
    """A fragment as it was sent.

    Attributes:
        id: Returned with the result.
        format: Its language.
        content: Bytes, which should be UTF-8.
    """

    id: str
    format: FragmentFormat
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ConvertJob:
    """Fragments to convert, and what each of them may use."""

    fragments: tuple[RawFragment, ...]
    limits: Limits = DEFAULT_LIMITS


@dataclass(slots=True)
class RawConversions:
    """What became of the fragments of a job, as far as they were converted.

    Attributes:
        converted: Results in the order of the fragments.
        usage: Usage of all of them together.
        events: What was tried and prevented.
    """

    converted: list[Converted] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    events: list[PolicyEvent] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DrawJob:
    """Pages of a document to draw.

    Attributes:
        pdf: The document.
        drawing: How the pages are drawn.
        first: The first page, from 1.
        count: How many pages; None means all to the end.
        limits: Limits of each page.
    """

    pdf: bytes = field(repr=False)
    drawing: PageDrawing = field(default_factory=PageDrawing)
    first: int = 1
    count: int | None = None
    limits: Limits = DEFAULT_LIMITS


@dataclass(slots=True)
class RawPages:
    """The drawn pages of a job, or the reason why there are none.

    Attributes:
        verdict: How it ended.
        message: One sentence for people.
        pages: Images, in order. Empty unless the verdict is RENDERED.
        total_pages: Number of pages of the document.
        defect: Why it cannot be opened.
        stages: Stages in the order they were made.
        events: What was tried and prevented.
    """

    verdict: Verdict = Verdict.RENDERED
    message: str = ""
    pages: list[PageImage] = field(default_factory=list)
    total_pages: int = 0
    defect: DocumentDefect | None = None
    stages: list[RawStage] = field(default_factory=list)
    events: list[PolicyEvent] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """All stages together."""
        return sum((stage.usage for stage in self.stages), Usage())
