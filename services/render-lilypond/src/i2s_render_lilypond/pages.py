"""Makes images of the score in a folder: typeset, inspect the pages, draw and finish them."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import dataclass, field, replace

from i2s_chassis.errors import RasterError
from i2s_chassis.jail import Cause, Excerpt, OutputError, PolicyEvent
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.crop import finish_in_thread
from i2s_chassis.renderer.model import NO_LOG, RawStage
from i2s_chassis.renderer.verdict import Judgement, limit_passed, too_many_pixels
from i2s_chassis.warm.forked_job import Ran
from i2s_render_lilypond.job_folder import ScoreFolder
from i2s_render_lilypond.log import first_error
from i2s_render_lilypond.model import Options
from i2s_render_lilypond.notes import NOTES_BYTES, read_notes
from i2s_render_lilypond.raster import (
    BACKENDS,
    HEADER_BYTES,
    PAPER_BYTES,
    PaperSize,
    cairo_plan,
    count_pages,
    drawing,
    drawn_size,
    read_count,
    read_drawn,
    read_paper,
)
from i2s_render_lilypond.score import FURTHER_BOOK, LOG, NAMED_BOOK, NOTES, OWN_BOOK, Book
from i2s_render_lilypond.verdict import (
    SEVERAL_BOOKS,
    of_pages,
    of_paper,
    with_pictures,
    without_pages,
)
from i2s_wire.render.notes import ScoreNotes
from i2s_wire.render.options import LilypondBackend
from i2s_wire.render.rendering import Picture, Verdict
from i2s_wire.render.source_error import SourceError

_LOG_PART = 512 * 1024  # of head and tail each: what is read for errors


@dataclass(slots=True)
class RenderedPages:
    """The pages of a score, or the reason why there are none."""

    #: How it ended.
    judgement: Judgement | None = None
    #: Finished, in the order of their pages.
    pictures: list[Picture] = field(default_factory=list)
    #: Number of pages of the score.
    total_pages: int = 0
    #: The first error in the log.
    error: SourceError | None = None
    #: Log of LilyPond.
    log: Excerpt = NO_LOG
    #: The stages, in the order in which they ran.
    stages: list[RawStage] = field(default_factory=list)
    #: Notes of a score with an image, if asked for.
    notes: ScoreNotes | None = None
    #: What was tried and prevented.
    events: list[PolicyEvent] = field(default_factory=list)


class ScoreDrawing:
    """Makes images of the score in a folder."""

    def __init__(self, folder: ScoreFolder, options: Options, limits: Limits) -> None:
        self._folder, self._options, self._limits = folder, options, limits
        self._backend = BACKENDS[options.backend]
        self._rendered = RenderedPages()
        self._book = OWN_BOOK

    async def render(self) -> RenderedPages:
        """Typeset the score and draw the wanted pages.

        Raises:
            RendererError: The fault of an engine.
            JailError: A fault of the jail.
        """
        rendered = self._rendered
        rendered.judgement = await self._typeset() or await self._draw()
        if rendered.judgement.verdict not in (Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS):
            rendered.pictures.clear()
        elif self._options.want_notes:
            rendered.notes = await self._read_notes()
        return rendered

    async def _typeset(self) -> Judgement | None:
        ran = await self._folder.typeset(cairo_plan(self._options, self._limits))
        self._note("compile", ran, self._folder.kind)
        passed = limit_passed(ran.cause, self._limits, "typesetting", program="LilyPond")
        if passed is not None and ran.cause is not Cause.SIGNALED:
            return passed
        await self._read_log()
        return passed

    async def _read_log(self) -> None:
        rendered = self._rendered
        try:
            rendered.log = await self._folder.excerpt(LOG, _LOG_PART, _LOG_PART)
        except OutputError:
            return
        # What a score wrote is read in a thread of its own: it may be long and odd.
        text = rendered.log.whole.decode(errors="replace")
        rendered.error = await asyncio.to_thread(first_error, text)

    async def _read_notes(self) -> ScoreNotes:
        """Return the notes of the score, none if it has none."""
        try:
            written = await self._folder.excerpt(NOTES, NOTES_BYTES, 0)
        except OutputError:
            return ScoreNotes()
        notes = await asyncio.to_thread(read_notes, written.head)
        return replace(notes, truncated=notes.truncated or written.total_bytes > len(written.head))

    async def _draw(self) -> Judgement:
        """Draw the wanted pages; nothing is drawn that would be too large."""
        rendered, options = self._rendered, self._options
        paper = await self._look()
        if rendered.total_pages == 0:
            if await self._has(FURTHER_BOOK):
                return SEVERAL_BOOKS
            return without_pages(rendered.error)
        objection = of_pages(rendered.total_pages, options.first_page, self._limits)
        objection = objection or of_paper(paper, self._backend, options.dpi, self._limits)
        if objection is not None or paper is None:
            return objection or without_pages(rendered.error)
        last = min(options.first_page + options.page_count - 1, rendered.total_pages)
        if options.backend is LilypondBackend.GHOSTSCRIPT:
            size = self._backend.size(paper, options.dpi)
            ran = await self._folder.draw(
                drawing(paper, size, options.dpi, options.first_page, last, self._book)
            )
            self._note("raster", ran)
            passed = limit_passed(ran.cause, self._limits, "drawing the pages", program="Ghostscript")
            if passed is not None:
                return passed
        for page in range(options.first_page, last + 1):
            objection = await self._finish(page)
            if objection is not None:
                return objection
        if not rendered.pictures:
            return Judgement(Verdict.NO_OUTPUT, "The page is blank.")
        return with_pictures(rendered.error)

    async def _look(self) -> PaperSize | None:
        """Return the size of the pages, None if there are none; also finds and counts them."""
        if not await self._has(OWN_BOOK) and not await self._has(FURTHER_BOOK):
            self._book = NAMED_BOOK
        try:
            self._rendered.total_pages = await self._count()
            return read_paper(await self._folder.fetch(self._book.paper, PAPER_BYTES))
        except OutputError:
            return None

    async def _has(self, book: Book) -> bool:
        try:
            await self._folder.excerpt(book.paper, PAPER_BYTES, 0)
        except OutputError:
            return False
        return True

    async def _count(self) -> int:
        """Return the number of pages; raises OutputError if there are none."""
        if self._options.backend is LilypondBackend.CAIRO:
            return read_count(await self._folder.fetch(self._book.pages, PAPER_BYTES))
        header = await self._folder.excerpt(self._book.postscript, HEADER_BYTES, 0)
        return count_pages(header.head)

    async def _finish(self, page: int) -> Judgement | None:
        """Add the image of a drawn page; a blank page adds none."""
        backend = self._backend
        try:
            drawn = await self._folder.fetch(backend.output(page - self._options.first_page + 1))
        except OutputError:
            return Judgement(Verdict.NO_OUTPUT, f"{backend.program} could not draw page {page}.")
        try:
            objection = too_many_pixels(drawn_size(drawn, alpha=backend.alpha), self._limits, "A page")
            if objection is not None:
                return objection
            decode = functools.partial(read_drawn, drawn, alpha=backend.alpha)
            image, stage = await finish_in_thread(decode, page, self._options)
        except RasterError as error:  # the score's own PostScript has a hand in what is drawn
            return Judgement(Verdict.NO_OUTPUT, f"Page {page} cannot be drawn: {error}.")
        self._rendered.stages.append(stage)
        if image is not None:
            self._rendered.pictures.append(image)
        return None

    def _note(self, stage: str, ran: Ran, detail: str = "") -> None:
        self._rendered.stages.append(RawStage(stage, ran.usage, detail))
        self._rendered.events += ran.events
