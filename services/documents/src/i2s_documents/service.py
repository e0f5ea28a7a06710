"""The service: opens the sandbox, passes the canary, provides its servicer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from i2s_chassis.errors import EngineError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer import open_jail
from i2s_chassis.renderer.start_checks import canary_limits, canary_required
from i2s_chassis.server.service import Chassis, Register
from i2s_documents.conversion import Converter
from i2s_documents.installation import find_installation
from i2s_documents.model import ConvertJob, DrawJob, RawFragment
from i2s_documents.pages import DocumentDrawing
from i2s_documents.servicer import DocumentsServicer
from i2s_documents.settings import DocumentsSettings
from i2s_wire.documents.conversion import FragmentFormat
from i2s_wire.documents.drawing import ImageFormat, PageDrawing
from i2s_wire.render.rendering import Verdict

_FRAGMENTS = (
    RawFragment("latex", FragmentFormat.LATEX, rb"\begin{tabular}{ll} a & b \\ c & d \end{tabular}"),
    RawFragment("markdown", FragmentFormat.MARKDOWN, b"| a | b |\n|---|---|\n| c | d |\n"),
)
_CELLS = ("<table>", ">a<", ">b<", ">c<", ">d<")
#: Size of the page in pixels at 72 dpi.
_WIDTH, _HEIGHT = 72, 36
_SQUARE = b"0 0 0 rg 0 0 36 36 re f"


def small_pdf(content: bytes = _SQUARE, size: tuple[int, int] = (_WIDTH, _HEIGHT)) -> bytes:
    """Return a PDF document of one page.

    Args:
        content: What is drawn on the page, in the language of PDF.
        size: Size of the page in points.
    """
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R >>" % size,
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    )
    document, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(document))
        document += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = len(document)
    document += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return document + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        end,
    )


async def canary(converter: Converter, page_renderer: DocumentDrawing, limits: Limits) -> None:
    """Convert a table of each format and draw a page.

    Args:
        converter: Converts fragments.
        page_renderer: The renderer that draws pages.
        limits: Limits of each conversion and of the page.

    Raises:
        EngineError: One did not become what it should; says why.
    """
    for fragment in _FRAGMENTS:  # a request each: one that takes long leaves out what it has not begun
        (one,) = (await converter.convert(ConvertJob((fragment,), limits))).converted
        html = one.html or ""
        if not all(cell in html for cell in _CELLS):
            reason = one.reason or f"pandoc made {html!r:.200} of it"
            raise EngineError(f"the canary in {one.id} was not converted to a table: {reason}")
    drawing = PageDrawing(dpi=72.0, format=ImageFormat.PNG)
    drawn = await page_renderer.draw(DrawJob(small_pdf(), drawing, limits=limits))
    if drawn.verdict is not Verdict.RENDERED:
        raise EngineError(f"the canary was not drawn: {drawn.verdict.name}: {drawn.message}")
    if [(page.width, page.height) for page in drawn.pages] != [(_WIDTH, _HEIGHT)]:
        raise EngineError("the canary was drawn in another size than it has")


class DocumentsService:
    """Pandoc and PDFium behind the wire."""

    name = DocumentsSettings.service
    wire_names = ("i2s.documents.v1.DocumentsService",)

    def __init__(self, settings: DocumentsSettings) -> None:
        self._settings = settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Open the sandbox, pass the canary, provide the servicer; see `i2s_chassis.server.service.Service`.

        Raises:
            StartError: Something is missing on this machine.
        """
        settings = self._settings
        installation = await asyncio.to_thread(find_installation, settings.pandoc)
        async with open_jail(settings, chassis) as jail:
            converter = Converter(settings, installation.pandoc, jail, chassis.telemetry)
            page_renderer = DocumentDrawing(settings, jail, installation)
            with canary_required(chassis.telemetry):
                await canary(converter, page_renderer, canary_limits(settings.limit_table()))
            servicer = DocumentsServicer(converter, page_renderer, installation, jail, settings, chassis)
            yield servicer.registration()
