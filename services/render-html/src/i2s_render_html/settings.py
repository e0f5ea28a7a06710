"""The settings of this service."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import ByteSize, Field

from i2s_chassis.limits import Limits
from i2s_chassis.renderer import RendererSettings
from i2s_render_html.fonts import DEFAULT_FOLDER, FontSource
from i2s_render_html.model import PAGE_LIMITS, PAGE_MAX_LIMITS

_KIB = 1024
_MIB = 1024 * 1024


class HtmlSettings(RendererSettings):
    """The settings of the page renderer."""

    service: ClassVar[str] = "render-html"
    port: ClassVar[int] = 7720
    nesting: ClassVar[bool] = True

    # The kernel counts processes by user, and browsers stay: so these users are theirs alone.
    jail_uid_base: int = Field(
        52_256, ge=1, le=2**31, description="Started as root: first of the user ids that jobs run as."
    )
    chromium: Path | None = Field(
        None,
        description="Chromium's headless shell, or Chromium; the program itself, not a script around it. "
        "Unset: Debian's headless shell, else the one that Playwright has installed beside its driver.",
    )
    fonts: Path = Field(
        DEFAULT_FOLDER,
        description="Folder of the locked fonts: Debian's fonts-croscore and fonts-noto-core lie in it.",
    )
    font_source: FontSource = Field(
        "locked",
        description="Fonts of pages: locked, the same on every machine; system, those below /usr that the "
        "machine's own fontconfig finds. The engine digest and that of fonts say which.",
    )
    browser_sandbox: Literal["auto", "on", "off"] = Field(
        "auto",
        description="Chromium's own sandbox inside the jail; auto: on in the tier namespace, and elsewhere "
        "if it works. Answers say.",
    )
    pages_per_browser: int = Field(
        100, ge=1, le=100_000, description="Pages after which a browser is replaced."
    )
    browser_growth_bytes: ByteSize = Field(
        ByteSize(512 * _MIB),
        ge=16 * _MIB,
        description="Memory by which an idle browser may have grown; then it is replaced.",
    )
    browser_start_seconds: float = Field(
        60.0,
        ge=1,
        le=600,
        description="CPU seconds that a browser may use to start, and to prepare each page. Six times as "
        "much wall time ends one that waits.",
    )
    page_close_seconds: float = Field(
        4.0, ge=0.1, le=60, description="Time that a page may take to close; then its browser is killed."
    )
    settle_seconds: float = Field(
        5.0, ge=0.1, le=120, description="Time after loading in which a page has to come to rest."
    )
    script_seconds: float = Field(
        2.0, ge=0, le=600, description="Time on the page's own clock that its timers run for after loading."
    )
    clock: int = Field(
        1_767_225_600, ge=0, le=4_000_000_000, description="What pages take for now, in seconds since 1970."
    )
    navigations: int = Field(10, ge=1, le=1000, description="Most documents that one page may go through.")
    console_entries: int = Field(100, ge=0, le=10_000, description="Most console messages returned.")
    text_bytes: ByteSize = Field(
        ByteSize(1 * _MIB), ge=1 * _KIB, le=16 * _MIB, description="Most of a page's text that is returned."
    )
    page_blocks: int = Field(
        3000, ge=1, le=50_000, description="Most blocks of text of a page that are returned."
    )
    block_text_bytes: ByteSize = Field(
        ByteSize(256 * _KIB), ge=1 * _KIB, le=4 * _MIB, description="Most text of all blocks together."
    )
    page_elements: int = Field(
        20_000, ge=1, le=200_000, description="Most elements of a page in the tree that is returned."
    )
    site_files: int = Field(1000, ge=1, le=100_000, description="Most files of a site, assets included.")
    site_file_bytes: ByteSize = Field(
        ByteSize(16 * _MIB), ge=1 * _KIB, description="Greatest file of a site."
    )
    site_bytes: ByteSize = Field(
        ByteSize(64 * _MIB), ge=1 * _KIB, description="Greatest size of all files of a site together."
    )
    jekyll_processes: int = Field(1, ge=0, le=256, description="Prepared Jekyll processes; 0: no Jekyll.")
    limit: Limits = Field(PAGE_LIMITS, description="Default of a job.")
    max: Limits = Field(PAGE_MAX_LIMITS, description="Most that a job may ask for.")

    def readable_by_jobs(self) -> tuple[Path, ...]:
        """Return the folders that a browser reads."""
        from i2s_render_html.chromium import installed_browser, readable_folders

        fonts = self.fonts if self.font_source == "locked" else None
        return readable_folders(self.chromium or installed_browser(), fonts)
