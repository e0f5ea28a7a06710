"""The start of a browser is bounded by CPU seconds; wall time ends only one that waits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from i2s_render_html.browser import BrowserSettings
from i2s_render_html.chromium import Chromium
from i2s_render_html.fonts import Fonts
from i2s_render_html.model import PAGE_MAX_LIMITS
from i2s_render_html.service import browser_settings
from i2s_render_html.settings import HtmlSettings

CHROMIUM = Chromium(Path("/none"), "1", {}, "", Fonts(Path("/none"), {}, ""), ())


def settings(**chosen: float) -> BrowserSettings:
    return browser_settings(HtmlSettings(**chosen), CHROMIUM)


def test_a_start_has_six_times_as_much_wall_time_as_cpu_time() -> None:
    limits = settings(browser_start_seconds=20).start_limits()
    assert limits == replace(PAGE_MAX_LIMITS, cpu_seconds=20, wall_seconds=120)
