"""How a renderer is asked to render. None takes the renderer's default."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from i2s_wire.fields import DEFAULT_IS_ABSENT


class Crop(enum.IntEnum):
    """What is done with a page after its foot was cut off. Values equal those of the wire."""

    NONE = 1
    INK = 2


class BlankPage(enum.IntEnum):
    """What an entirely white page means. Values equal those of the wire."""

    NO_OUTPUT = 1
    KEEP = 2


class LatexEngine(enum.IntEnum):
    """Which TeX compiles a document. Values equal those of the wire."""

    PDFLATEX = 1
    LUALATEX = 2
    XELATEX = 3


class SiteBuild(enum.IntEnum):
    """Whether a site goes through Jekyll. Values equal those of the wire.

    AUTO: where it would change a byte, and only there.
    """

    AUTO = 1
    JEKYLL = 2
    STATIC = 3


class LilypondConvert(enum.IntEnum):
    """Whether convert-ly runs first. Values equal those of the wire.

    AUTO: if the score states a version or one is assumed. REQUIRED: always, and a score that cannot be
    converted is a COMPILE_ERROR.
    """

    AUTO = 1
    REQUIRED = 2
    OFF = 3


class LilypondBackend(enum.IntEnum):
    """What draws the pages of a score. Values equal those of the wire.

    GHOSTSCRIPT: LilyPond writes PostScript, which Ghostscript draws, as ``lilypond --png`` does. CAIRO:
    LilyPond draws with cairo, with less CPU time and slightly different pixels.
    """

    GHOSTSCRIPT = 1
    CAIRO = 2


@dataclass(frozen=True, slots=True)
class PageOptions:
    """How a page of a document, or a figure of a program, becomes an image."""

    #: Resolution in dots per inch.
    dpi: float | None = None
    #: The first page returned, counted from 1.
    first_page: int | None = None
    #: How many pages are returned at most.
    page_count: int | None = None
    #: Share of the height cut off at the foot before anything else, in [0, 1).
    cut_bottom: float | None = None
    #: What is done after the cut.
    crop: Crop | None = None
    #: What an entirely white page means.
    blank_page: BlankPage | None = None


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """The window that a page of a site is shown in."""

    #: Width of the viewport, in CSS pixels.
    width: int | None = None
    #: Height of the viewport, in CSS pixels.
    height: int | None = None
    #: Device pixels per CSS pixel.
    device_scale: float | None = None
    #: Take the whole page instead of the viewport.
    full_page: bool | None = None


@dataclass(frozen=True, slots=True)
class ElementQuery:
    """Which elements of a page are returned."""

    #: All that match this selector; empty: all visible ones that a user can interact with.
    css: str = ""
    #: The most that are returned.
    max_elements: int | None = None


@dataclass(frozen=True, slots=True)
class LatexOptions:
    """LaTeX only."""

    #: The most runs made until the auxiliary files are stable.
    max_runs: int | None = None
    #: Compile without a precompiled format: slower, the same image.
    cold: bool = False
    #: Engine of TeX that compiles the document.
    engine: LatexEngine | None = None
    #: Return the last page; ``first_page`` and ``page_count`` are not obeyed then.
    last_page: bool = False
    #: Return the text of the pages.
    want_text: bool = False
    #: Return the objects that can be seen on the pages.
    want_objects: bool = False


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """Sites only."""

    #: Return the text of the page.
    want_text: bool = False
    #: The elements to return; None returns none.
    elements: ElementQuery | None = None
    #: Whether the site goes through Jekyll.
    build: SiteBuild | None = None
    #: Return the blocks of text and the tree of elements.
    want_blocks: bool = False


@dataclass(frozen=True, slots=True)
class LilypondOptions:
    """LilyPond only."""

    #: Whether convert-ly runs first.
    convert: LilypondConvert | None = None
    #: Leave out tagline and page footers.
    no_footers: bool | None = None
    #: What draws the pages.
    backend: LilypondBackend | None = None


@dataclass(frozen=True, slots=True)
class PythonOptions:
    """Python programs only."""

    #: Return the objects of the figures as data.
    want_objects: bool = False
    #: Run in a fresh interpreter: slower, the same image.
    cold: bool = False
    #: Names that libraries have removed and that the program finds again.
    restored_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How to render; a renderer refuses groups that have no meaning for its engine."""

    page: PageOptions = field(default_factory=PageOptions, metadata=DEFAULT_IS_ABSENT)
    window: WindowOptions = field(default_factory=WindowOptions, metadata=DEFAULT_IS_ABSENT)
    latex: LatexOptions = field(default_factory=LatexOptions, metadata=DEFAULT_IS_ABSENT)
    site: SiteOptions = field(default_factory=SiteOptions, metadata=DEFAULT_IS_ABSENT)
    lilypond: LilypondOptions = field(default_factory=LilypondOptions, metadata=DEFAULT_IS_ABSENT)
    python: PythonOptions = field(default_factory=PythonOptions, metadata=DEFAULT_IS_ABSENT)
