"""The words of this renderer: what a job is, and how it is to be done."""

from __future__ import annotations

import math
from dataclasses import dataclass

from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_chassis.renderer.model import RawRendering, ResolvedPageOptions
from i2s_wire.render.figure import Figure
from i2s_wire.render.options import BlankPage, Crop
from i2s_wire.render.request import File

# Value of options that have no default here; never used.
_ANY_DPI = 100.0


@dataclass(frozen=True, slots=True)
class Options:
    """How to render."""

    #: Resolution of figures in dots per inch; None is that of the program.
    dpi: float | None = None
    #: The first figure to return, from 1; None is the last.
    first_page: int | None = None
    #: How many are returned at most.
    page_count: int = 1
    #: Share of the height that is cut off at the foot.
    cut_bottom: float = 0.0
    #: What is done after the cut.
    crop: Crop = Crop.NONE
    #: What an entirely white image means.
    blank_page: BlankPage = BlankPage.NO_OUTPUT
    #: Return the objects of the figures as data.
    want_objects: bool = False
    #: Run in a fresh interpreter, whatever stands ready.
    cold: bool = False
    #: Names of libraries that are put back for the program.
    restored_names: tuple[str, ...] = ()

    @property
    def finishing(self) -> ResolvedPageOptions:
        """The options of a drawn figure; it has been drawn at its resolution, which is not used any more."""
        dpi = _ANY_DPI if self.dpi is None or not math.isfinite(self.dpi) else self.dpi
        return ResolvedPageOptions(
            dpi=dpi,
            page_count=self.page_count,
            cut_bottom=self.cut_bottom,
            crop=self.crop,
            blank_page=self.blank_page,
        )


@dataclass(frozen=True, slots=True)
class PythonJob:
    """One program to run."""

    #: The program as UTF-8 text.
    program: bytes
    #: The files beside it, unchecked.
    files: tuple[File, ...] = ()
    #: How its figures are drawn.
    options: Options = Options()
    #: What it may use.
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class DrawnProgram(RawRendering):
    """The images of a program, or the reason why there are none."""

    #: The objects of the figures in ``pictures``, if they were asked for.
    figures: tuple[Figure, ...] = ()
