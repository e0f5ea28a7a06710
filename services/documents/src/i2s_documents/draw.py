"""Draw pages of PDF documents: one process for each, all of a request in one cell."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from i2s_chassis.errors import RasterError
from i2s_chassis.jail import Cell, Jail, OutputError
from i2s_chassis.renderer.model import RawStage
from i2s_chassis.renderer.pixmap import read_ppm
from i2s_chassis.renderer.verdict import Judgement, limit_passed, too_many_pixels
from i2s_documents import raster
from i2s_documents.encode import encode_in_thread
from i2s_documents.installation import Installation
from i2s_documents.model import DrawJob, RawPages
from i2s_documents.raster import Report
from i2s_wire.bounds import DOCUMENT_BYTES
from i2s_wire.documents.drawing import DocumentDefect, PageImage
from i2s_wire.render.rendering import Verdict

_SAYS = {
    DocumentDefect.ENCRYPTED: "The document is encrypted and opens only with a password.",
    DocumentDefect.BROKEN: "The document is no PDF that can be read.",
}


@dataclass(frozen=True, slots=True)
class DrawSettings:
    """What an operator decides about drawing.

    Attributes:
        max_pdf_bytes: Greatest document.
        max_pages: Most pages of a response.
        request_seconds: Seconds after which a request begins no further page.
        response_bytes: Bytes of images after which a request begins no further page.
    """

    max_pdf_bytes: int = DOCUMENT_BYTES
    max_pages: int = 16
    request_seconds: float = 20.0
    response_bytes: int = 32 * 1024 * 1024


class PageRenderer:
    """Runs PDFium in cells."""

    def __init__(self, settings: DrawSettings, jail: Jail, installation: Installation) -> None:
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
        most = settings.max_pages if job.count is None else min(settings.max_pages, job.count)
        limits = raster.limits_of_drawing(job.limits, len(job.pdf), most)
        files = {raster.DOCUMENT: job.pdf}
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
        command = raster.command(installed.inside, installed.pdfium, page, job.drawing.dpi, limits)
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
        self, cell: Cell, job: DrawJob, page: int, report: Report, drawn: RawPages
    ) -> PageImage | Judgement:
        assert report.size is not None  # else there was an objection
        try:
            pixmap = read_ppm(await cell.view(raster.DRAWING), report.size)
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


async def _read_report(cell: Cell) -> Report | None:
    try:
        return raster.read_report(await cell.fetch(raster.REPORT, raster.REPORT_BYTES))
    except OutputError:
        return None


def _objection(report: Report, page: int, job: DrawJob) -> Judgement | None:
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
