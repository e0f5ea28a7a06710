"""What a renderer is asked, in the SDK's own words: a source, options, limits.

Enum values equal those of ``i2s.render.v1``, so a client converts by number. None in an option takes the
renderer's default.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_sdk.render_types import Limits, PageOptions


class SiteBuild(enum.IntEnum):
    """Whether a site goes through Jekyll. AUTO: where it would change a byte, and only there."""

    AUTO = 1
    JEKYLL = 2
    STATIC = 3


class LilypondConvert(enum.IntEnum):
    """Whether convert-ly runs first.

    AUTO: where the score states a version or one is assumed. REQUIRED: always, and a score that cannot be
    converted is a COMPILE_ERROR.
    """

    AUTO = 1
    REQUIRED = 2
    OFF = 3


@dataclass(frozen=True, slots=True)
class LatexSource:
    r"""A LaTeX document.

    Attributes:
        document: UTF-8, from ``\documentclass`` to ``\end{document}``.
        files: That lie beside it, by relative path.
    """

    document: bytes = field(repr=False)
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class SiteSource:
    """The files of a web site.

    Attributes:
        files: Of the author of the structure, by relative path.
        assets: Of the data set; a file of the same path in ``files`` is ignored.
        entry_path: The page that is shown; empty is the index page.
    """

    files: Mapping[str, bytes] = field(repr=False)
    assets: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    entry_path: str = ""


@dataclass(frozen=True, slots=True)
class LilypondSource:
    r"""A score.

    Attributes:
        score: UTF-8.
        assume_version: To convert from where the score has no ``\version``; empty compiles such a score as
            current syntax.
    """

    score: bytes = field(repr=False)
    assume_version: str = ""


Source = LatexSource | SiteSource | LilypondSource


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """The window that a page of a site is shown in.

    Attributes:
        width: Of the viewport, in CSS pixels.
        height: Of the viewport, in CSS pixels.
        device_scale: Device pixels per CSS pixel.
        full_page: Take the whole page instead of the viewport.
    """

    width: int | None = None
    height: int | None = None
    device_scale: float | None = None
    full_page: bool | None = None


@dataclass(frozen=True, slots=True)
class ElementQuery:
    """Which elements of a page are returned.

    Attributes:
        css: All that match this selector; empty: all visible ones that a user can interact with.
        max_elements: The most that are returned.
    """

    css: str = ""
    max_elements: int | None = None


@dataclass(frozen=True, slots=True)
class LatexOptions:
    """LaTeX only.

    Attributes:
        max_runs: The most runs made until the auxiliary files are stable.
        cold: Compile without a precompiled format: slower, the same picture.
    """

    max_runs: int | None = None
    cold: bool = False


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """Sites only.

    Attributes:
        want_text: Return the text of the page.
        elements: Which elements to return; None returns none.
        build: Whether the site goes through Jekyll.
    """

    want_text: bool = False
    elements: ElementQuery | None = None
    build: SiteBuild | None = None


@dataclass(frozen=True, slots=True)
class LilypondOptions:
    """LilyPond only.

    Attributes:
        convert: Whether convert-ly runs first.
        no_footers: Leave out tagline and page footers.
    """

    convert: LilypondConvert | None = None
    no_footers: bool | None = None


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How to render; what does not concern the engine is ignored by it."""

    page: PageOptions = field(default_factory=PageOptions)
    window: WindowOptions = field(default_factory=WindowOptions)
    latex: LatexOptions = field(default_factory=LatexOptions)
    site: SiteOptions = field(default_factory=SiteOptions)
    lilypond: LilypondOptions = field(default_factory=LilypondOptions)


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """One job of a renderer.

    Attributes:
        source: What to render; its type must be one that the renderer serves.
        options: How to render.
        limits: Wanted; the renderer clamps them. None takes its defaults.
        id: Stands in the logs of the renderer; tells the answers of a stream apart.
    """

    source: Source
    options: RenderOptions = field(default_factory=RenderOptions)
    limits: Limits | None = None
    id: str = ""
