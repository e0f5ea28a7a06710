"""Draw pages of PDF documents: one process for each, all of a request in one cell."""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.errors import RasterError
from i2s_chassis.jail import Cell, Jail, OutputError, Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.crop import encode as encode_png
from i2s_chassis.renderer.model import RawStage
from i2s_chassis.renderer.pixmap import Pixmap, read_ppm
from i2s_chassis.renderer.verdict import Judgement, limit_passed, too_many_pixels
from i2s_documents.installation import DocumentsInstallation
from i2s_documents.model import DrawJob, RawPages, limits_of_drawing
from i2s_documents.settings import DocumentsSettings
from i2s_wire.documents.drawing import DocumentDefect, ImageFormat, PageDrawing, PageImage
from i2s_wire.render.rendering import Verdict

#: Files of the work folder.
DOCUMENT, DRAWING, REPORT = "document.pdf", "page.ppm", "page.report"
#: Bound on the report.
REPORT_BYTES = 1024

_REPORT = re.compile(
    r"\A(?:defect (?P<defect>\d{1,9})\n|pages (?P<pages>\d{1,9})\n"
    r"(?:(?P<unreadable>unreadable)\n|size (?P<width>\d{1,10}) (?P<height>\d{1,10})\n)?)\Z"
)
# Numbers of FPDF_GetLastError that are about passwords and encryption, see fpdfview.h of PDFium.
_ENCRYPTED = frozenset({4, 5})


@dataclass(frozen=True, slots=True)
class DrawingReport:
    """The report of the program on a document and a page."""

    #: Why the document cannot be opened, None if it can.
    defect: DocumentDefect | None = None
    #: Pages of the document.
    pages: int = 0
    #: Size of the page in pixels; None if PDFium cannot read it, or if it was not looked at.
    size: tuple[int, int] | None = None
    #: Whether PDFium cannot read the page.
    is_unreadable: bool = False


def drawing_command(inside: Path, pdfium: Path, page: int, dpi: float, limits: Limits) -> list[str]:
    """Return the command line that draws a page of the document in the work folder.

    Args:
        inside: Folder of the program.
        pdfium: Folder of the package ``pypdfium2_raw``.
        page: Number of the page, from 1.
        dpi: Dots per inch.
        limits: Limits of pages and pixels.
    """
    python = os.path.realpath(sys.executable)
    numbers = (str(page), repr(dpi), str(limits.pages), str(limits.pixels))
    # -I and -S: neither the environment, nor the work folder, nor site packages have a say.
    program = [python, "-I", "-S", str(inside / "draw_page.py")]
    return [*program, str(pdfium), DOCUMENT, *numbers, DRAWING, REPORT]


def read_report(content: bytes) -> DrawingReport | None:
    """Return what the program wrote, None if that is not a report."""
    match = _REPORT.match(content.decode("ascii", errors="replace"))
    if match is None:
        return None
    if match["defect"] is not None:
        encrypted = int(match["defect"]) in _ENCRYPTED
        return DrawingReport(DocumentDefect.ENCRYPTED if encrypted else DocumentDefect.BROKEN)
    size = (int(match["width"]), int(match["height"])) if match["width"] is not None else None
    return DrawingReport(None, int(match["pages"]), size, match["unreadable"] is not None)


def encode(drawn: Pixmap, page: int, drawing: PageDrawing) -> PageImage:
    """Return the image of a drawn page. Equal pixels give equal bytes.

    Args:
        drawn: The whole page.
        page: Its number, from 1.
        drawing: Format and quality.
    """
    picture = drawn.picture(0, drawn.height)
    if drawing.format is ImageFormat.PNG:
        image = encode_png(picture)
    else:
        output = io.BytesIO()
        picture.save(output, "JPEG", quality=drawing.quality)
        image = output.getvalue()
    return PageImage(image, drawn.width, drawn.height, page, hashlib.sha256(image).hexdigest())


async def encode_in_thread(drawn: Pixmap, page: int, drawing: PageDrawing) -> tuple[PageImage, RawStage]:
    """Encode a drawn page in a thread; also returns the stage "encode" with what that used."""
    return await asyncio.to_thread(_encode_and_measure, drawn, page, drawing)


def _encode_and_measure(drawn: Pixmap, page: int, drawing: PageDrawing) -> tuple[PageImage, RawStage]:
    wall, cpu = time.monotonic(), time.thread_time()
    image = encode(drawn, page, drawing)
    return image, RawStage("encode", Usage(time.monotonic() - wall, time.thread_time() - cpu))


_SAYS = {
    DocumentDefect.ENCRYPTED: "The document is encrypted and opens only with a password.",
    DocumentDefect.BROKEN: "The document is no PDF that can be read.",
}


class DocumentDrawing:
    """Runs PDFium in cells."""

    def __init__(self, settings: DocumentsSettings, jail: Jail, installation: DocumentsInstallation) -> None:
        self._settings, self._jail, self._installation = settings, jail, installation

    async def draw(self, job: DrawJob) -> RawPages:
        """Draw the first page that a job asks for, then the others until the bounds of a request are reached.

        A page after the first that cannot be drawn ends the drawing without a verdict. The verdict is for a
        job that begins with that page, so it does not depend on the pages before it.

        Raises:
            JailError: A fault of the jail.
        """
        settings, drawn = self._settings, RawPages()
        if len(job.pdf) > settings.max_pdf_bytes:
            drawn.verdict = Verdict.INVALID_INPUT
            drawn.message = (
                f"The document has {len(job.pdf)} bytes, more than the limit of {settings.max_pdf_bytes}."
            )
            return drawn
        most = min(settings.max_pages_drawn, job.count or settings.max_pages_drawn)
        limits = limits_of_drawing(job.limits, len(job.pdf), most)
        files = {DOCUMENT: job.pdf}
        async with self._jail.cell(limits, files, readable=self._installation.readable) as cell:
            await self._draw_all(cell, job, most, drawn)
        return drawn

    async def _draw_all(self, cell: Cell, job: DrawJob, most: int, drawn: RawPages) -> None:
        clock, image_bytes = asyncio.get_running_loop().time, 0
        end = clock() + self._settings.request_seconds
        for page in range(job.first, job.first + most):
            if drawn.pages and (
                page > drawn.total_pages or clock() >= end or image_bytes >= self._settings.response_bytes
            ):
                return
            image = await self._draw_page(cell, job, page, drawn)
            if isinstance(image, Judgement):
                if not drawn.pages:
                    drawn.verdict, drawn.message = image.verdict, image.message
                return
            drawn.pages.append(image)
            image_bytes += len(image.image)

    async def _draw_page(self, cell: Cell, job: DrawJob, page: int, drawn: RawPages) -> PageImage | Judgement:
        """Return the image of a page, or why there is none; notes what is found on the way."""
        limits, installed = job.limits, self._installation
        command = drawing_command(installed.inside, installed.pdfium, page, job.drawing.dpi, limits)
        ended = await cell.run(command, cpu_seconds=limits.cpu_seconds, wall_seconds=limits.wall_seconds)
        drawn.stages.append(RawStage("draw", ended.usage))
        drawn.events += ended.events
        passed = limit_passed(ended.cause, limits, f"drawing page {page}", program="PDFium")
        if passed is not None:
            return passed
        report = await _read_report(cell) if ended.exit_code == 0 else None
        if report is None:
            return Judgement(Verdict.NO_OUTPUT, f"Page {page} cannot be drawn.")
        drawn.total_pages, drawn.defect = report.pages, report.defect
        return _objection(report, page, job) or await self._encode(cell, job, page, report, drawn)

    async def _encode(
        self, cell: Cell, job: DrawJob, page: int, report: DrawingReport, drawn: RawPages
    ) -> PageImage | Judgement:
        assert report.size is not None  # else there was an objection
        try:
            pixmap = read_ppm(await cell.view(DRAWING), report.size)
        except (RasterError, OutputError):  # what drew it has read a hostile document
            return Judgement(Verdict.NO_OUTPUT, f"Page {page} cannot be drawn.")
        image, stage = await encode_in_thread(pixmap, page, job.drawing)
        drawn.stages.append(stage)
        if len(image.image) > job.limits.picture_bytes:
            reason = (
                f"The image of page {page} has {len(image.image)} bytes, more than the limit of "
                f"{job.limits.picture_bytes}."
            )
            return Judgement(Verdict.OUTPUT_LIMIT, reason)
        return image


async def _read_report(cell: Cell) -> DrawingReport | None:
    try:
        return read_report(await cell.fetch(REPORT, REPORT_BYTES))
    except OutputError:
        return None


def _objection(report: DrawingReport, page: int, job: DrawJob) -> Judgement | None:
    """Return why a page that the program has looked at is not drawn, None if it is."""
    limits = job.limits
    if report.defect is not None:
        return Judgement(Verdict.INVALID_INPUT, _SAYS[report.defect])
    if report.pages > limits.pages:
        reason = f"The document has {report.pages} pages, more than the limit of {limits.pages}."
        return Judgement(Verdict.PAGE_LIMIT, reason)
    if report.pages == 0:
        return Judgement(Verdict.NO_OUTPUT, "The document has no pages.")
    if page > report.pages:
        reason = f"There is no page {page} among the {report.pages} of the document."
        return Judgement(Verdict.NO_OUTPUT, reason)
    if report.is_unreadable or report.size is None:
        return Judgement(Verdict.NO_OUTPUT, f"Page {page} cannot be read.")
    if 0 in report.size:
        return Judgement(Verdict.NO_OUTPUT, f"Page {page} has no area.")
    return too_many_pixels(report.size, limits, f"Page {page}")
