"""The verdict on a job, from what LilyPond left behind; the exit code has no say."""

from __future__ import annotations

from i2s_chassis.limits import Limits
from i2s_chassis.renderer.verdict import Judgement, too_many_pixels
from i2s_render_lilypond.raster import Backend, PaperSize
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.source_error import SourceError

#: What is said of a score whose books all have names of their own, so that none is that of the job.
SEVERAL_BOOKS = Judgement(
    Verdict.NO_OUTPUT,
    r"The score has several books and names another output file for each (\bookOutputName, "
    r"\bookOutputSuffix); leave out the name of the book to draw.",
)


def without_pages(error: SourceError | None) -> Judgement:
    """Return what is said of a score that LilyPond made no pages of."""
    if error is None:
        return Judgement(Verdict.NO_OUTPUT, "LilyPond ended without an error and without a page.")
    place = f" on line {error.line}" if error.line else ""
    place += f" of {error.file}" if error.file else ""
    return Judgement(Verdict.COMPILE_ERROR, f"LilyPond stopped{place}: {error.message}")


def with_pictures(error: SourceError | None) -> Judgement:
    """Return what is said of a score that has an image."""
    if error is None:
        return Judgement(Verdict.RENDERED, "")
    place = f" on line {error.line}" if error.line else ""
    return Judgement(
        Verdict.RENDERED_WITH_ERRORS, f"There is a picture, but LilyPond complained{place}: {error.message}"
    )


def of_pages(total: int, first: int, limits: Limits) -> Judgement | None:
    """Return what is said of a number of pages, None if there is one to draw."""
    if total > limits.pages:
        return Judgement(Verdict.PAGE_LIMIT, f"The score has {total} pages, more than {limits.pages}.")
    if first > total:
        return Judgement(Verdict.NO_OUTPUT, f"There is no page {first} among the {total} of the score.")
    return None


def of_paper(paper: PaperSize | None, backend: Backend, dpi: float, limits: Limits) -> Judgement | None:
    """Return what is said of paper before anything is drawn on it, None if it can be."""
    if paper is None:
        return Judgement(Verdict.NO_OUTPUT, "The paper has no size.")
    width, height = backend.size(paper, dpi)
    if width < 1 or height < 1:
        return Judgement(Verdict.NO_OUTPUT, "The paper has no area.")
    return too_many_pixels((width, height), limits, "A page")
