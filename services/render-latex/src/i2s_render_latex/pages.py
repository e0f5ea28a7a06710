"""Makes images of a PDF: look at it, draw the wanted pages, finish them."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from i2s_chassis.errors import RasterError
from i2s_chassis.jail import Cell, Ended, OutputError, OutputReason, PolicyEvent
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.crop import finish_in_thread
from i2s_chassis.renderer.model import RawStage
from i2s_chassis.renderer.verdict import Judgement, limit_passed
from i2s_render_latex import page_objects, raster
from i2s_render_latex.document import PDF
from i2s_render_latex.installation import HUGE_PAGES
from i2s_render_latex.model import Options
from i2s_render_latex.raster import Page
from i2s_render_latex.verdict import of_page, of_pictures, too_many_pages, unreadable
from i2s_wire.render.page_objects import PageObjects
from i2s_wire.render.rendering import Picture, Verdict

_UNREADABLE = PageObjects(limit="unreadable")


@dataclass(slots=True)
class RenderedDocument:
    """The pages of a PDF, or the reason why there are none."""

    #: Why there are no images, None if there are.
    judgement: Judgement | None = None
    #: Finished, in the order of their pages.
    pictures: list[Picture] = field(default_factory=list)
    #: Number of pages of the PDF.
    total_pages: int = 0
    #: The stages, in the order in which they ran.
    stages: list[RawStage] = field(default_factory=list)
    #: What was tried and prevented.
    events: list[PolicyEvent] = field(default_factory=list)


class PageRenderer:
    """Draws the pages of the PDF that lies in a cell."""

    def __init__(
        self,
        cell: Cell,
        pdf: bytes,
        options: Options,
        limits: Limits,
        spent_cpu_seconds: float,
        max_bytes: int,
    ) -> None:
        """Prepare.

        Args:
            cell: Cell with the PDF.
            pdf: The same.
            options: The pages to draw, and how to finish them.
            limits: Limits of the whole job.
            spent_cpu_seconds: What the job has used before.
            max_bytes: Maximum size of all images together.
        """
        self._cell, self._options, self._limits = cell, options, limits
        self._spent_cpu_seconds, self._max_bytes = spent_cpu_seconds, max_bytes
        self._first, self._count = options.first_page, options.page_count
        self._pdf, self._said = pdf, raster.read_plain(pdf)
        self._drawn = RenderedDocument()

    async def draw(self) -> RenderedDocument:
        """Draw the wanted pages.

        Raises:
            RasterError: Poppler drew something else than was computed.
            JailError: A fault of the jail.
        """
        try:
            await self._pictures()
        except RasterError:
            if self._said is None:
                raise
            self._said = None  # the PDF lied; poppler says how large the page is
            await self._pictures()
        await self._objects()
        drawn = self._drawn
        if drawn.judgement is None and not drawn.pictures:
            drawn.judgement = Judgement(Verdict.NO_OUTPUT, "The page is blank.")
        if drawn.judgement is not None:
            drawn.pictures.clear()
        return drawn

    async def _pictures(self) -> None:
        for page in await self._inspect():
            if self._drawn.judgement is None:
                await self._picture(page)

    async def _inspect(self) -> Sequence[Page]:
        """Return the wanted pages; none of them is too large."""
        options, drawn = self._options, self._drawn
        inspection = self._said or await self._asked()
        if inspection is None:
            return ()
        drawn.total_pages = inspection.total_pages
        if options.last_page:
            self._first, self._count = max(inspection.total_pages, 1), 1
        wanted = [page for page in inspection.pages if page.number >= self._first]
        drawn.judgement = self._objection(inspection, wanted)
        return wanted if drawn.judgement is None else ()

    async def _asked(self) -> raster.Inspection | None:
        """Return what poppler says of the PDF; None if it cannot, which is the judgement then."""
        options, limits, drawn = self._options, self._limits, self._drawn
        last = limits.pages if options.last_page else min(self._first + self._count - 1, limits.pages)
        ended = await self._run("inspect", raster.inspection_command(last))
        drawn.judgement = limit_passed(ended.cause, limits, "looking at the PDF")
        if drawn.judgement is not None:
            return None
        inspection = raster.read_inspection(ended.output.whole.decode(errors="replace"))
        if inspection is None:
            drawn.judgement = Judgement(Verdict.NO_OUTPUT, "The output is no PDF that can be read.")
        return inspection

    def _objection(self, inspection: raster.Inspection, wanted: Sequence[Page]) -> Judgement | None:
        first, total = self._first, inspection.total_pages
        if total > self._limits.pages:
            return too_many_pages(self._limits)
        if first > total:
            return Judgement(
                Verdict.NO_OUTPUT, f"There is no page {first} among the {total} of the document."
            )
        last = min(first + self._count - 1, total)
        readable = {page.number for page in wanted}
        for number in range(first, last + 1):
            if number not in readable:
                return unreadable(number, inspection.complaint)
        objections = (of_page(page, self._options.dpi, self._limits) for page in wanted)
        return next((objection for objection in objections if objection is not None), None)

    async def _picture(self, page: Page) -> None:
        """Draw a page and add its image; a blank page adds none."""
        options, size = self._options, page.size_at(self._options.dpi)
        ended = await self._run("raster", raster.drawing_command(page.number, options.dpi, size))
        self._drawn.judgement = limit_passed(ended.cause, self._limits, "drawing the page")
        if self._drawn.judgement is not None:
            return
        drawing = await self._drawing() if ended.exit_code == 0 else None
        if drawing is None:
            self._drawn.judgement = Judgement(Verdict.NO_OUTPUT, f"Page {page.number} cannot be drawn.")
            return
        read = functools.partial(raster.read_drawing, drawing, size)
        image, stage = await finish_in_thread(read, page.number, options)
        self._drawn.stages.append(stage)
        if image is not None:
            text = await self._text(page.number) if options.want_text else ""
            self._drawn.pictures.append(replace(image, text=text))
        if self._drawn.judgement is not None:
            return
        # Images are finished outside of the cell, so its limits do not hold there.
        used = self._spent_cpu_seconds + sum(stage.usage.cpu_seconds for stage in self._drawn.stages)
        total = sum(len(picture.png) for picture in self._drawn.pictures)
        self._drawn.judgement = of_pictures(used, total, self._limits, self._max_bytes)

    async def _text(self, number: int) -> str:
        """Return the text of a page, empty if poppler finds none. A limit that is passed is the judgement."""
        ended = await self._run("text", raster.text_command(number))
        self._drawn.judgement = limit_passed(ended.cause, self._limits, "reading the text of the page")
        return raster.read_text(ended.output.whole)

    async def _objects(self) -> None:
        """Add what can be seen on the pages, if it is asked for. A limit that is passed is the judgement."""
        drawn, options = self._drawn, self._options
        if not options.want_objects or drawn.judgement is not None or not drawn.pictures:
            return
        pages = [picture.page for picture in drawn.pictures]
        if limit := page_objects.limit_of(self._pdf, options.engine):
            drawn.pictures = [
                replace(picture, objects=PageObjects(limit=limit)) for picture in drawn.pictures
            ]
            return
        prepared = page_objects.prepared(self._pdf, options.engine)
        if prepared != self._pdf:
            await self._cell.write(PDF, prepared)
        ended = await self._run("objects", page_objects.command(pages, options.cut_bottom))
        drawn.judgement = limit_passed(ended.cause, self._limits, "reading the objects of the page")
        if drawn.judgement is None:
            objects = await self._read_objects(len(pages)) if ended.exit_code == 0 else {}
            drawn.pictures = [
                replace(picture, objects=objects.get(picture.page, _UNREADABLE)) for picture in drawn.pictures
            ]

    async def _read_objects(self, pages: int) -> Mapping[int, PageObjects]:
        """Return what the program wrote, nothing of it if that is not what it writes."""
        try:
            output = await self._cell.fetch(page_objects.OUTPUT, pages * page_objects.MOST_BYTES)
        except OutputError:
            return {}
        return await asyncio.to_thread(page_objects.read, output) or {}

    async def _drawing(self) -> memoryview | None:
        try:
            return await self._cell.view(raster.OUTPUT)
        except OutputError as error:
            if error.reason is OutputReason.MISSING:
                return None
            raise

    async def _run(self, stage: str, command: list[str]) -> Ended:
        ended = await self._cell.run(command, env=HUGE_PAGES)
        self._drawn.stages.append(RawStage(stage, ended.usage))
        self._drawn.events += ended.events
        return ended
