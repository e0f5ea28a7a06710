"""The verdict on a run that the jail ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from i2s_chassis.jail import Cause
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import RawRendering
from i2s_wire.render.rendering import Picture, Verdict

R = TypeVar("R", bound=RawRendering)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and a sentence for people."""

    verdict: Verdict
    message: str


def limit_passed(
    cause: Cause, limits: Limits, doing: str, *, program: str = "The engine"
) -> Judgement | None:
    """Return what is said of a run that did not end by itself, None for one that did.

    Args:
        cause: Why it ended.
        limits: Limits in force.
        doing: What was going on: "compiling", "drawing the page".
        program: What crashed, if that is what happened.
    """
    match cause:
        case Cause.CPU_LIMIT:
            verdict, text = Verdict.TIME_LIMIT, f"{limits.cpu_seconds:g} CPU seconds"
        case Cause.WALL_LIMIT:
            verdict, text = Verdict.TIME_LIMIT, f"{limits.wall_seconds:g} seconds on the clock"
        case Cause.MEMORY_LIMIT:
            verdict, text = Verdict.MEMORY_LIMIT, f"{limits.memory_bytes} bytes of memory"
        case Cause.PROCESS_LIMIT:
            verdict, text = Verdict.PROCESS_LIMIT, f"{limits.processes} processes and threads"
        case Cause.DISK_LIMIT:
            verdict = Verdict.OUTPUT_LIMIT
            text = f"{limits.disk_bytes} bytes in {limits.inodes} files of at most {limits.file_bytes} bytes"
        case Cause.SIGNALED:
            return Judgement(Verdict.CRASHED, f"{program} crashed while {doing}.")
        case Cause.EXITED | Cause.STOPPED:
            return None
        case Cause.KILLED:
            raise AssertionError("Cell.run raises KilledError instead")
    return Judgement(verdict, f"The limit of {text} was reached while {doing}.")


def too_many_pixels(size: tuple[int, int], limits: Limits, what: str = "The picture") -> Judgement | None:
    """Return what is said of an image of this size before it is made, None if it may be."""
    width, height = size
    if width * height <= limits.pixels:
        return None
    return Judgement(
        Verdict.PIXEL_LIMIT,
        f"{what} would have {width} x {height} pixels, more than the limit of {limits.pixels}.",
    )


def within_limits(rendering: R, limits: Limits) -> R:
    """Return a rendering, without its images and with another verdict if one is too large.

    Engines look at the size before they draw. This is the one place that all images pass, so what leaves a
    renderer is never larger than the limits in its answer say.
    """
    objections = (_too_large(image, limits) for image in rendering.pictures)
    judgement = next((objection for objection in objections if objection is not None), None)
    if judgement is None:
        return rendering
    return replace(rendering, verdict=judgement.verdict, message=judgement.message, pictures=(), error=None)


def _too_large(image: Picture, limits: Limits) -> Judgement | None:
    if image.width * image.height > limits.pixels:
        size = f"{image.width} x {image.height} pixels"
        return Judgement(
            Verdict.PIXEL_LIMIT, f"The picture has {size}, more than the limit of {limits.pixels}."
        )
    if len(image.png) > limits.picture_bytes:
        size = f"{len(image.png)} bytes as PNG"
        return Judgement(
            Verdict.OUTPUT_LIMIT, f"The picture has {size}, more than the limit of {limits.picture_bytes}."
        )
    return None
