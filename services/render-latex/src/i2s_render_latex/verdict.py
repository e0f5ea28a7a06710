"""What is said of a job, from what TeX left behind; the exit code has no say."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_chassis.jail import Cause
from i2s_chassis.limits import Limits
from i2s_render_latex.compile import Compiled
from i2s_render_latex.inspect import Page
from i2s_render_latex.model import Verdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and a sentence for people."""

    verdict: Verdict
    message: str


def limit_passed(cause: Cause, limits: Limits, doing: str) -> Judgement | None:
    """Return what is said of a run that did not end by itself, None for one that did.

    Args:
        cause: Why it ended.
        limits: Those in force.
        doing: What was going on: "compiling", "drawing the page".
    """
    match cause:
        case Cause.EXITED:
            return None
        case Cause.SIGNALED:
            return Judgement(Verdict.CRASHED, f"The engine crashed while {doing}.")
        case Cause.CPU_LIMIT:
            text = f"{limits.cpu_seconds:g} CPU seconds"
            return Judgement(Verdict.TIME_LIMIT, f"The limit of {text} was reached while {doing}.")
        case Cause.WALL_LIMIT:
            text = f"{limits.wall_seconds:g} seconds on the clock"
            return Judgement(Verdict.TIME_LIMIT, f"The limit of {text} was reached while {doing}.")
        case Cause.MEMORY_LIMIT:
            text = f"{limits.memory_bytes} bytes of memory"
            return Judgement(Verdict.MEMORY_LIMIT, f"The limit of {text} was reached while {doing}.")
        case Cause.PROCESS_LIMIT:
            text = f"{limits.processes} processes"
            return Judgement(Verdict.PROCESS_LIMIT, f"The limit of {text} was reached while {doing}.")
        case Cause.DISK_LIMIT:
            text = f"{limits.disk_bytes} bytes in {limits.inodes} files of at most {limits.file_bytes} bytes"
            return Judgement(Verdict.OUTPUT_LIMIT, f"The limit of {text} was reached while {doing}.")
        case Cause.STOPPED:
            raise AssertionError("nothing here stops a program")


def of_compilation(compiled: Compiled, limits: Limits) -> Judgement | None:
    """Return what is said of a document after TeX has run, None where there is a PDF to look at."""
    facts = compiled.facts
    passed = limit_passed(compiled.ended.cause, limits, "compiling")
    if passed is not None:
        # Pages without end are told by what they used up first.
        endless = (
            passed.verdict in (Verdict.TIME_LIMIT, Verdict.OUTPUT_LIMIT) and facts.shipped > limits.pages
        )
        return too_many_pages(limits) if endless else passed
    # TeX that stopped at an error has written no PDF: one that lies there all the same is forged.
    if compiled.pdf and compiled.ended.exit_code == 0:
        return None
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


def of_page(page: Page, dpi: float, limits: Limits) -> Judgement | None:
    """Return what is said of a page before it is drawn, None where it can be."""
    if not page.is_drawable:
        return Judgement(Verdict.NO_OUTPUT, f"Page {page.number} has no area.")
    width, height = page.size_at(dpi)
    if width * height > limits.pixels:
        size = f"{width} x {height} pixels"
        return Judgement(
            Verdict.PIXEL_LIMIT,
            f"Page {page.number} would have {size}, more than the limit of {limits.pixels}.",
        )
    return None


def of_pictures(cpu_seconds: float, size: int, limits: Limits, max_bytes: int) -> Judgement | None:
    """Return what is said of a job after a picture was finished, None where the next may follow.

    Args:
        cpu_seconds: Used by the job so far.
        size: Bytes of its pictures so far.
        limits: Of the job.
        max_bytes: Of all its pictures together.
    """
    if cpu_seconds > limits.cpu_seconds:
        return limit_passed(Cause.CPU_LIMIT, limits, "finishing the pictures")
    if size > max_bytes:
        text = f"The pictures together have more than {max_bytes} bytes; ask for fewer pages at a time."
        return Judgement(Verdict.OUTPUT_LIMIT, text)
    return None
