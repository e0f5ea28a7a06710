"""The verdict on a job, from what TeX left behind; the exit code has no say."""

from __future__ import annotations

from i2s_chassis.jail import Cause
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.verdict import Judgement, limit_passed, too_many_pixels
from i2s_render_latex.compile import Compiled
from i2s_render_latex.raster import Page
from i2s_wire.render.rendering import Verdict


def of_compilation(compiled: Compiled, limits: Limits) -> Judgement | None:
    """Return what is said of a document after TeX has run, None if there is a PDF to look at."""
    facts = compiled.facts
    passed = limit_passed(compiled.ended.cause, limits, "compiling")
    if passed is not None:
        # The verdict on pages without end is the limit that they reached first.
        endless = (
            passed.verdict in (Verdict.TIME_LIMIT, Verdict.OUTPUT_LIMIT) and facts.shipped > limits.pages
        )
        return too_many_pages(limits) if endless else passed
    # TeX that stopped at an error has written no PDF: one that lies there all the same is forged.
    if compiled.pdf and compiled.ended.exit_code == 0:
        return None
    if compiled.complaint:
        return Judgement(Verdict.NO_OUTPUT, f"The pages cannot be made a PDF: {compiled.complaint}")
    if facts.error is not None:
        place = f" on line {facts.error.line}" if facts.error.line else ""
        place += f" of {facts.error.file}" if facts.error.file else ""
        return Judgement(Verdict.COMPILE_ERROR, f"TeX stopped{place}: {facts.error.message}")
    if facts.is_dvi:
        return Judgement(Verdict.NO_OUTPUT, "The document switched to DVI output; there is no PDF.")
    if facts.has_no_pages:
        return Judgement(Verdict.NO_OUTPUT, "TeX ended without an error and without a page.")
    return Judgement(Verdict.COMPILE_ERROR, "TeX stopped without output and without saying why.")


def too_many_pages(limits: Limits) -> Judgement:
    """Return what is said of a document with more pages than the limit."""
    return Judgement(Verdict.PAGE_LIMIT, f"The document has more pages than the limit of {limits.pages}.")


def unreadable(page: int, complaint: str) -> Judgement:
    """Return what is said of a page that poppler refuses, such as one with more than 10,000 annotations.

    Args:
        page: Its number.
        complaint: Error message of poppler; empty if there is none.
    """
    why = f": {complaint}" if complaint else ""
    return Judgement(Verdict.NO_OUTPUT, f"Page {page} of the PDF cannot be read{why}.")


def of_page(page: Page, dpi: float, limits: Limits) -> Judgement | None:
    """Return what is said of a page before it is drawn, None if it can be."""
    if not page.is_drawable:
        return Judgement(Verdict.NO_OUTPUT, f"Page {page.number} has no area.")
    return too_many_pixels(page.size_at(dpi), limits, f"Page {page.number}")


def of_pictures(cpu_seconds: float, size: int, limits: Limits, max_bytes: int) -> Judgement | None:
    """Return what is said of a job after an image was finished, None if the next may follow.

    Args:
        cpu_seconds: CPU seconds that the job has used so far.
        size: Bytes of its images so far.
        limits: Limits of the job.
        max_bytes: Maximum size of all its images together.
    """
    if cpu_seconds > limits.cpu_seconds:
        return limit_passed(Cause.CPU_LIMIT, limits, "finishing the pictures")
    if size > max_bytes:
        text = f"The pictures together have more than {max_bytes} bytes; ask for fewer pages at a time."
        return Judgement(Verdict.OUTPUT_LIMIT, text)
    return None
