"""Pages of PDF documents as images."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from i2s_wire.render.isolation import Isolation, PolicyEvent
from i2s_wire.render.rendering import Engine, Stage, Verdict
from i2s_wire.render.resources import Limits, Usage


class ImageFormat(enum.IntEnum):
    """The file format of an image. Values equal those of the wire."""

    JPEG = 1
    PNG = 2


class DocumentDefect(enum.IntEnum):
    """Why a document cannot be opened. Values equal those of the wire."""

    ENCRYPTED = 1
    BROKEN = 2


@dataclass(frozen=True, slots=True)
class PageDrawing:
    """How a page becomes an image.

    Attributes:
        dpi: Resolution in dots per inch, above 0 and at most 2400.
        format: File format of the image.
        quality: Quality of JPEG, from 1 to 100; without meaning for PNG.
    """

    dpi: float = 216.0
    format: ImageFormat = ImageFormat.JPEG
    quality: int = 95


@dataclass(frozen=True, slots=True)
class DrawPagesRequest:
    """Pages of a PDF document to draw.

    Attributes:
        pdf: The document.
        drawing: How the pages are drawn.
        first: The first page, counted from 1.
        count: How many pages; None means all to the end.
        limits: Wanted, of each page; the service clamps them. None takes its defaults.
        id: Stands in the logs of the service.
    """

    pdf: bytes = field(repr=False)
    drawing: PageDrawing = field(default_factory=PageDrawing)
    first: int = 1
    count: int | None = None
    limits: Limits | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class PageImage:
    """The image of one page.

    Attributes:
        image: RGB, 8 bit, JPEG or PNG.
        width: Width in pixels.
        height: Height in pixels.
        page: Number of the page in the document, counted from 1.
        sha256: SHA-256 of ``image``, lower-case hexadecimal.
    """

    image: bytes = field(repr=False)
    width: int
    height: int
    page: int
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class PageImages:
    """The response to one request for pages.

    Attributes:
        verdict: How it ended.
        message: One sentence for people; empty if the verdict is RENDERED.
        pages: Pages from the first page that was asked for on; fewer than were asked for if the bounds of a
            request were reached. Empty unless the verdict is RENDERED.
        total_pages: Pages of the document; 0 if it cannot be opened.
        defect: Why it cannot be opened; None if it can.
        stages: Steps in the order they were made.
        usage: All stages together.
        limits: Limits in force.
        isolation: The sandbox that PDFium ran in.
        engine: PDFium.
        policy_events: What was tried and prevented.
    """

    verdict: Verdict
    message: str = ""
    pages: tuple[PageImage, ...] = ()
    total_pages: int = 0
    defect: DocumentDefect | None = None
    stages: tuple[Stage, ...] = ()
    usage: Usage = field(default_factory=Usage)
    limits: Limits = field(default_factory=Limits)
    isolation: Isolation = field(default_factory=Isolation)
    engine: Engine = field(default_factory=Engine)
    policy_events: tuple[PolicyEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnPages:
    """Pages of a document as a client has them, from as many requests as were needed.

    Attributes:
        pages: The images of all pages that were asked for, in order. Empty unless the verdict is RENDERED.
        page_count: Pages of the document; 0 if it cannot be opened.
        verdict: RENDERED, or why there are no images.
        message: One sentence that says why; empty if the verdict is RENDERED.
        defect: Why the document cannot be opened; None if it can.
    """

    pages: tuple[bytes, ...] = field(repr=False)
    page_count: int
    verdict: Verdict = Verdict.RENDERED
    message: str = ""
    defect: DocumentDefect | None = None
