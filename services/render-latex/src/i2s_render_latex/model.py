"""The words of this renderer: what a job is. How it ended is in the words of all renderers."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_chassis.limits import DEFAULT_LIMITS, Limits
from i2s_chassis.renderer.model import (
    BlankPage,
    Crop,
    ErrorKind,
    PageOptions,
    Picture,
    Rendering,
    SourceError,
    Stage,
    Undefined,
    Verdict,
)

__all__ = [
    "BesideFile",
    "BlankPage",
    "Crop",
    "ErrorKind",
    "Job",
    "Options",
    "Picture",
    "Rendering",
    "SourceError",
    "Stage",
    "Undefined",
    "Verdict",
]


@dataclass(frozen=True, slots=True)
class Options(PageOptions):
    """How to render, beside what is asked of pages.

    Attributes:
        max_runs: The most runs of TeX until the auxiliary files are stable.
        cold: Compile without a precompiled format.
    """

    dpi: float = 200.0
    cut_bottom: float = 0.2
    max_runs: int = 5
    cold: bool = False


@dataclass(frozen=True, slots=True)
class BesideFile:
    """A file that lies beside the document; its path is relative."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Job:
    """One document to render, with the files beside it."""

    document: bytes
    files: tuple[BesideFile, ...] = ()
    options: Options = Options()
    limits: Limits = DEFAULT_LIMITS
