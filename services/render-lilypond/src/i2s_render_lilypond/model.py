"""The words of this renderer: what a job is. How it ended is in the words of all renderers."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_chassis.renderer.model import RawRendering, ResolvedPageOptions
from i2s_wire.render.options import LilypondBackend, LilypondConvert


@dataclass(frozen=True, slots=True)
class Options(ResolvedPageOptions):
    """How to render, beside what is asked of pages.

    Attributes:
        convert: Whether convert-ly runs first.
        no_footers: Leave out tagline and page footers that the score does not define itself.
        backend: What draws the pages.
        cold: Start every process anew, whatever stands ready.
    """

    dpi: float = 101.0
    convert: LilypondConvert = LilypondConvert.AUTO
    no_footers: bool = True
    backend: LilypondBackend = LilypondBackend.GHOSTSCRIPT
    cold: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One score to render.

    Attributes:
        score: The score as UTF-8 text.
        assume_version: The version to convert from if the score states none; empty: it is current syntax.
        options: How it is drawn.
        limits: What it may use.
    """

    score: bytes
    assume_version: str = ""
    options: Options = Options()
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class LilypondRendering(RawRendering):
    """What came of a job, and what drew its pictures, or would have drawn them."""

    backend: LilypondBackend = LilypondBackend.GHOSTSCRIPT
