"""What is said of a job, from what LilyPond left behind; the exit code has no say."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_chassis.jail import Cause
from i2s_chassis.limits import Limits
from i2s_render_lilypond.model import SourceError, Verdict
from i2s_render_lilypond.paper import Paper


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
        doing: What was going on: "typesetting", "drawing the pages".
    """
    match cause:
        case Cause.CPU_LIMIT:
            verdict, text = Verdict.TIME_LIMIT, f"{limits.cpu_seconds:g} CPU seconds"
        case Cause.WALL_LIMIT:
            verdict, text = Verdict.TIME_LIMIT, f"{limits.wall_seconds:g} seconds on the clock"
        case Cause.MEMORY_LIMIT:
            verdict, text = Verdict.MEMORY_LIMIT, f"{limits.memory_bytes} bytes of memory"
        case Cause.PROCESS_LIMIT:
            verdict, text = Verdict.PROCESS_LIMIT, f"{limits.processes} processes"
        case Cause.DISK_LIMIT:
            verdict = Verdict.OUTPUT_LIMIT
            text = f"{limits.disk_bytes} bytes in {limits.inodes} files of at most {limits.file_bytes} bytes"
        case Cause.SIGNALED:
            return Judgement(Verdict.CRASHED, f"LilyPond crashed while {doing}.")
        case _:
            return None
    return Judgement(verdict, f"The limit of {text} was reached while {doing}.")


def without_pages(error: SourceError | None) -> Judgement:
    """Return what is said of a score that LilyPond made no pages of."""
    if error is None:
        return Judgement(Verdict.NO_OUTPUT, "LilyPond ended without an error and without a page.")
    place = f" on line {error.line}" if error.line else ""
    place += f" of {error.file}" if error.file else ""
    return Judgement(Verdict.COMPILE_ERROR, f"LilyPond stopped{place}: {error.message}")


def with_pictures(error: SourceError | None) -> Judgement:
    """Return what is said of a score that has a picture."""
    if error is None:
        return Judgement(Verdict.RENDERED, "")
    place = f" on line {error.line}" if error.line else ""
    return Judgement(
        Verdict.RENDERED_WITH_ERRORS, f"There is a picture, but LilyPond complained{place}: {error.message}"
    )


def of_pages(total: int, first: int, limits: Limits) -> Judgement | None:
    """Return what is said of a number of pages, None where there is one to draw."""
    if total > limits.pages:
        return Judgement(Verdict.PAGE_LIMIT, f"The score has {total} pages, more than {limits.pages}.")
    if first > total:
        return Judgement(Verdict.NO_OUTPUT, f"There is no page {first} among the {total} of the score.")
    return None


def of_paper(paper: Paper | None, dpi: float, limits: Limits) -> Judgement | None:
    """Return what is said of paper before anything is drawn on it, None where it can be."""
    if paper is None:
        return Judgement(Verdict.NO_OUTPUT, "The paper has no size.")
    width, height = paper.size_at(dpi)
    if width < 1 or height < 1:
        return Judgement(Verdict.NO_OUTPUT, "The paper has no area.")
    return of_size((width, height), limits)


def of_size(size: tuple[int, int], limits: Limits) -> Judgement | None:
    """Return what is said of a picture of this many pixels, None where it may be."""
    width, height = size
    if width * height <= limits.pixels:
        return None
    return Judgement(
        Verdict.PIXEL_LIMIT,
        f"A page would have {width} x {height} pixels, more than the limit of {limits.pixels}.",
    )
