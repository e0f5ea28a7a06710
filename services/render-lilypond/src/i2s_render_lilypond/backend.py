"""The back ends that draw pages: what each is asked, and how large its pictures are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from i2s_chassis.limits import Limits
from i2s_render_lilypond import raster
from i2s_render_lilypond.model import Options
from i2s_render_lilypond.paper import Paper
from i2s_wire.render.options import LilypondBackend

_POINTS_PER_INCH = 72


@dataclass(frozen=True, slots=True)
class Backend:
    """What draws pages.

    Attributes:
        program: Its name, for messages.
        alpha: Whether its drawings have an alpha channel.
        output: Returns the file of a drawing by its index, from 1.
        to_pixels: Returns a length in pixels, of one in pixels that may be a fraction.
    """

    program: str
    alpha: bool
    output: Callable[[int], str]
    to_pixels: Callable[[float], int]

    def size(self, paper: Paper, dpi: float) -> tuple[int, int]:
        """Return width and height of a page in pixels as it draws them."""
        width, height = (points * dpi / _POINTS_PER_INCH for points in (paper.width, paper.height))
        return self.to_pixels(width), self.to_pixels(height)


def _rounded(length: float) -> int:
    return math.floor(length + 0.5)


def _png(index: int) -> str:
    return f"page{index}.png"  # see inside/pages.scm


BACKENDS = {
    LilypondBackend.GHOSTSCRIPT: Backend("Ghostscript", False, raster.output, _rounded),
    LilypondBackend.CAIRO: Backend("LilyPond", True, _png, math.ceil),
}


def cairo_plan(options: Options, limits: Limits) -> str | None:
    """Return what cairo is to draw, as inside/pages.scm reads it; None if it is to draw nothing."""
    if options.backend is not LilypondBackend.CAIRO:
        return None
    last = options.first_page + options.page_count - 1
    numbers = (round(options.dpi), options.first_page, last, limits.pages, limits.pixels)
    return ",".join(map(str, numbers))
