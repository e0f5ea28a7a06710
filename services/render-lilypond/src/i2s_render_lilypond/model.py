"""The words of this renderer: what a job is. How it ended is in the words of all renderers."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_chassis.renderer.model import RawRendering, ResolvedPageOptions
from i2s_wire.render.notes import ScoreNotes
from i2s_wire.render.options import LilypondBackend, LilypondConvert


@dataclass(frozen=True, slots=True)
class Options(ResolvedPageOptions):
    """How to render, beside what is asked of pages."""

    dpi: float = 101.0
    #: Whether convert-ly runs first.
    convert: LilypondConvert = LilypondConvert.AUTO
    #: Leave out tagline and page footers that the score does not define itself.
    no_footers: bool = True
    #: What draws the pages.
    backend: LilypondBackend = LilypondBackend.GHOSTSCRIPT
    #: Return the notes that were engraved.
    want_notes: bool = False
    #: Start every process anew, whatever stands ready.
    cold: bool = False


@dataclass(frozen=True, slots=True)
class LilypondJob:
    """One score to render."""

    #: The score as UTF-8 text.
    score: bytes
    #: The version to convert from if the score states none; empty: it is current syntax.
    assume_version: str = ""
    #: How it is drawn.
    options: Options = Options()
    #: What it may use.
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class LilypondRendering(RawRendering):
    """The result of a job, and the back end that drew its images, or would have drawn them."""

    backend: LilypondBackend = LilypondBackend.GHOSTSCRIPT
    #: The notes of a score with an image, if asked for.
    notes: ScoreNotes | None = None
