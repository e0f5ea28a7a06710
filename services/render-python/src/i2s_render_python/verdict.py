"""The verdict on a program, from what it left behind; its exit code has no say."""

from __future__ import annotations

from i2s_chassis.limits import Limits
from i2s_chassis.renderer.verdict import Judgement, too_many_pixels
from i2s_render_python.result import Result
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.source_error import SourceError


def of_result(
    result: Result, error: SourceError | None, first: int | None, limits: Limits
) -> Judgement | None:
    """Return what is said of a program before its images are looked at, None if they decide.

    Args:
        result: What its process wrote down.
        error: What ended it, None if it came to its end.
        first: The first figure that is wanted, None for the last.
        limits: Limits in force.
    """
    if result.pixels is not None:
        width, height = result.pixels
        whole = int(min(max(width, 0), 1e9)), int(min(max(height, 0), 1e9))
        return too_many_pixels(whole, limits) or Judgement(
            Verdict.PIXEL_LIMIT, f"The picture would have more than the limit of {limits.pixels} pixels."
        )
    if result.total > limits.pages:
        return Judgement(
            Verdict.PAGE_LIMIT, f"The program has {result.total} figures, more than {limits.pages}."
        )
    if not result.figures:
        return without_pictures(result, error, first)
    return None


def without_pictures(result: Result, error: SourceError | None, first: int | None) -> Judgement:
    """Return what is said of a program that has no image."""
    if error is not None:
        return Judgement(Verdict.COMPILE_ERROR, f"The program stopped{_place(error)}: {error.message}")
    if result.total and first is not None:
        return Judgement(
            Verdict.NO_OUTPUT, f"There is no figure {first} among the {result.total} of the program."
        )
    return Judgement(
        Verdict.NO_OUTPUT, "The program came to its end without a figure that is open, or was shown or saved."
    )


def with_pictures(error: SourceError | None) -> Judgement:
    """Return what is said of a program that has an image."""
    if error is None:
        return Judgement(Verdict.RENDERED, "")
    return Judgement(
        Verdict.RENDERED_WITH_ERRORS,
        f"There is a picture, but the program stopped afterwards{_place(error)}: {error.message}",
    )


def _place(error: SourceError) -> str:
    place = f" on line {error.line}" if error.line else ""
    return place + (f" of {error.file}" if error.line and error.file else "")
