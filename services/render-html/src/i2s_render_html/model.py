"""The types of this renderer: jobs, their options, and its own part of a rendering; and its errors."""

from __future__ import annotations

from dataclasses import dataclass

from i2s_chassis.errors import RendererError
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import RawRendering
from i2s_wire.render.options import ElementQuery, SiteBuild
from i2s_wire.render.rendering import Picture
from i2s_wire.render.request import File
from i2s_wire.render.site import SiteResult

_NO_SITE = SiteResult()
_MIB = 1024 * 1024

#: What a page may use. A browser is some processes of many threads each before it shows anything.
PAGE_LIMITS = Limits(
    cpu_seconds=10.0,
    wall_seconds=30.0,
    memory_bytes=2048 * _MIB,
    processes=512,
    file_bytes=128 * _MIB,
    disk_bytes=512 * _MIB,
)
#: What a page may ask for.
PAGE_MAX_LIMITS = Limits(
    cpu_seconds=120.0,
    wall_seconds=360.0,
    memory_bytes=4096 * _MIB,
    processes=1024,
    file_bytes=512 * _MIB,
    disk_bytes=1024 * _MIB,
    inodes=20_000,
    pages=1000,
    pixels=200_000_000,
    picture_bytes=128 * _MIB,
    log_bytes=_MIB,
)


@dataclass(frozen=True, slots=True)
class ResolvedElementQuery(ElementQuery):
    """Which elements to return, and how many at most; the attributes are those of ElementQuery."""

    max_elements: int = 1000


@dataclass(frozen=True, slots=True)
class Options:
    """How to render."""

    #: Width of the viewport, in CSS pixels.
    width: int = 1920
    #: Height of the viewport, likewise.
    height: int = 1080
    #: Device pixels per CSS pixel.
    device_scale: float = 1.0
    #: Take the whole page instead of the viewport.
    full_page: bool = False
    #: Return the text of the page.
    want_text: bool = False
    #: The elements to return; None for none.
    elements: ResolvedElementQuery | None = None
    #: Whether the site goes through Jekyll.
    build: SiteBuild = SiteBuild.AUTO
    #: Return the blocks of text and the tree of elements.
    want_blocks: bool = False


@dataclass(frozen=True, slots=True)
class SiteJob:
    """One site to show."""

    #: Files that the author of the structure wrote.
    files: tuple[File, ...]
    #: Files that were given to the author; they win over files of the same path.
    assets: tuple[File, ...] = ()
    #: The page to show; empty for index.html.
    entry_path: str = ""
    #: How the site is shown.
    options: Options = Options()
    #: What it may use.
    limits: Limits = PAGE_LIMITS


@dataclass(frozen=True, slots=True)
class SiteRendering(RawRendering):
    """The result of a job; its log is that of Jekyll."""

    #: What is known of the page.
    site: SiteResult = _NO_SITE

    @property
    def picture(self) -> Picture | None:
        """The image; None unless the verdict is RENDERED or RENDERED_WITH_ERRORS."""
        return self.pictures[0] if self.pictures else None


class BrowserError(RendererError):
    """A browser could not be started, or was lost without a job's doing."""


class SelectorError(RendererError):
    """The CSS selector of a request cannot be read."""
