"""The words of this renderer: what a job is. How it ended is in the words of all renderers."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_chassis.renderer.model import ResolvedPageOptions
from i2s_wire.render.options import LatexEngine
from i2s_wire.render.request import File


@dataclass(frozen=True, slots=True)
class Options(ResolvedPageOptions):
    """How to render, beside what is asked of pages."""

    dpi: float = 200.0
    cut_bottom: float = 0.2
    #: The most runs of TeX until the auxiliary files are stable.
    max_runs: int = 5
    #: Compile without a precompiled format; all engines but pdfTeX always do.
    cold: bool = False
    #: What compiles the document.
    engine: LatexEngine = LatexEngine.PDFLATEX
    #: Return the last page, whatever ``first_page`` and ``page_count`` say.
    last_page: bool = False
    #: Return the text of the pages.
    want_text: bool = False
    #: Return the objects that can be seen on the pages.
    want_objects: bool = False


@dataclass(frozen=True, slots=True)
class LatexJob:
    """One document to render, with the files beside it."""

    document: bytes
    files: tuple[File, ...] = ()
    options: Options = Options()
    limits: Limits = DEFAULT_LIMITS
