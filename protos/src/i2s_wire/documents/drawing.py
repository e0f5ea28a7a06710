"""Pages of PDF documents as images."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from i2s_wire.fields import wire_name
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
    """How a page becomes an image."""

    #: Resolution in dots per inch, above 0 and at most 2400.
    dpi: float = 216.0
    #: File format of the image.
    format: ImageFormat = ImageFormat.JPEG
    #: Quality of JPEG, from 1 to 100; without meaning for PNG.
    quality: int = field(default=95, metadata=wire_name("jpeg_quality"))


@dataclass(frozen=True, slots=True)
class DrawPagesRequest:
    """Pages of a PDF document to draw."""

    #: The document.
    pdf: bytes = field(repr=False)
    #: How the pages are drawn.
    drawing: PageDrawing = field(default_factory=PageDrawing)
    #: The first page, counted from 1.
    first: int = 1
    #: How many pages; None means all to the end.
    count: int | None = None
    #: Wanted, of each page; the service clamps them. None takes its defaults.
    limits: Limits | None = None
    #: Stands in the logs of the service.
    id: str = ""


@dataclass(frozen=True, slots=True)
class PageImage:
    """The image of one page."""

    #: RGB, 8 bit, JPEG or PNG.
    image: bytes = field(repr=False)
    #: Width in pixels.
    width: int
    #: Height in pixels.
    height: int
    #: Number of the page in the document, counted from 1.
    page: int
    #: SHA-256 of ``image``, lower-case hexadecimal.
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class PageImages:
    """The response to one request for pages."""

    #: How it ended.
    verdict: Verdict
    #: One sentence for people; empty if the verdict is RENDERED.
    message: str = ""
    #: Pages from the first page that was asked for on; fewer than were asked for if the bounds of a request
    #: were reached. Empty unless the verdict is RENDERED.
    pages: tuple[PageImage, ...] = ()
    #: Pages of the document; 0 if it cannot be opened.
    total_pages: int = 0
    #: Why it cannot be opened; None if it can.
    defect: DocumentDefect | None = None
    #: Steps in the order they were made.
    stages: tuple[Stage, ...] = ()
    #: All stages together.
    usage: Usage = field(default_factory=Usage)
    #: Limits in force.
    limits: Limits = field(default_factory=Limits)
    #: The sandbox that PDFium ran in.
    isolation: Isolation = field(default_factory=Isolation)
    #: PDFium.
    engine: Engine = field(default_factory=Engine)
    #: What was tried and prevented.
    policy_events: tuple[PolicyEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnPages:
    """Pages of a document as a client has them, from as many requests as were needed."""

    #: The images of all pages that were asked for, in order. Empty unless the verdict is RENDERED.
    pages: tuple[bytes, ...] = field(repr=False)
    #: Pages of the document; 0 if it cannot be opened.
    page_count: int
    #: RENDERED, or why there are no images.
    verdict: Verdict = Verdict.RENDERED
    #: One sentence that says why; empty if the verdict is RENDERED.
    message: str = ""
    #: Why the document cannot be opened; None if it can.
    defect: DocumentDefect | None = None
