"""A browser that is lost before it asks for the page is no result of the page: another browser shows it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Error as PlaywrightError

from i2s_chassis.jail import Jail, JailSettings, Tier
from i2s_render_html import page_job
from i2s_render_html.browser import BrowserSettings
from i2s_render_html.chromium import find_chromium
from i2s_render_html.engine import HtmlEngine
from i2s_render_html.model import SiteJob
from i2s_render_html.page import PreparedPage
from i2s_render_html.sandbox import choose_sandbox
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.settle import load
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]


@pytest.fixture
async def engine() -> AsyncIterator[HtmlEngine]:
    """An engine of one browser, without Jekyll."""
    jail = await Jail.start(JailSettings(tier=Tier.NAMESPACE, uid_base=45_600, uid_count=16))
    try:
        settings = HtmlSettings(slots=1)
        choice = await choose_sandbox(
            jail, BrowserSettings(settings, find_chromium(settings.chromium)), "auto"
        )
        engine = HtmlEngine(choice, jail, None)
        async with engine.open():
            yield engine
    finally:
        await jail.close()


async def test_another_browser_shows_the_page(engine: HtmlEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def lost_at_first(page: PreparedPage, url: str) -> None:
        asked.append(url)
        if len(asked) == 1:  # as Playwright says it when its driver was killed
            raise PlaywrightError("Page.goto: Connection closed while reading from the driver")
        await load(page, url)

    monkeypatch.setattr(page_job, "load", lost_at_first)
    rendering = await engine.render(SiteJob((File("index.html", b"<title>Here</title><h1>Here</h1>"),)))
    assert (rendering.verdict, rendering.message, len(asked)) == (Verdict.RENDERED, "", 2)
