"""The words of this renderer: what a job is. How it ended is in the words of all renderers."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_chassis.renderer.model import ResolvedPageOptions
from i2s_wire.render.options import LatexEngine
from i2s_wire.render.request import File


@dataclass(frozen=True, slots=True)
class Options(ResolvedPageOptions):
    """How to render, beside what is asked of pages.

    Attributes:
        max_runs: The most runs of TeX until the auxiliary files are stable.
        cold: Compile without a precompiled format; all engines but pdfTeX always do.
        engine: What compiles the document.
        last_page: Return the last page, whatever ``first_page`` and ``page_count`` say.
    """

    dpi: float = 200.0
    cut_bottom: float = 0.2
    max_runs: int = 5
    cold: bool = False
    engine: LatexEngine = LatexEngine.PDFLATEX
    last_page: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One document to render, with the files beside it."""

    document: bytes
    files: tuple[File, ...] = ()
    options: Options = Options()
    limits: Limits = DEFAULT_LIMITS
