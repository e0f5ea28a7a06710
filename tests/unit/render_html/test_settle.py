"""When a page is at rest."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, cast

import pytest

from i2s_render_html.page import PreparedPage
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.settle import settle
from i2s_render_html.visit import Visit

_CALM = {"moved": 0, "title": "t", "ready": True}


class _Session:
    def __init__(self, on_capture: Callable[[int], None]) -> None:
        self.captures = 0
        self._on_capture = on_capture

    async def send(self, method: str, options: object) -> dict[str, str]:
        assert method == "Page.captureScreenshot"
        self.captures += 1
        self._on_capture(self.captures)
        return {"data": base64.b64encode(b"always the same").decode()}


class _Page:
    """A page that looks the same at every look."""

    def __init__(self, on_capture: Callable[[int], None]) -> None:
        self.visit = Visit(HtmlSettings(clock=0, navigations=3, console_entries=0))
        self.session = _Session(on_capture)
        self.page, self.frames = self, ()
        self.main_frame = None

    async def run(self, function: str, argument: object = None) -> Any:
        return _CALM


async def _settled(page: _Page) -> int:
    """Settle a page that comes to rest; returns how many images were taken."""
    settled = await settle(
        cast(PreparedPage, page), HtmlSettings(settle_seconds=60.0, script_seconds=1.0), lambda: 0.0
    )
    assert settled.in_time
    return page.session.captures


async def test_a_page_that_stays_is_at_rest_at_the_first_look() -> None:
    assert await _settled(_Page(lambda _: None)) == 2


@pytest.mark.parametrize("counter", ["_documents", "_frames"])
async def test_a_page_or_frame_that_asked_for_another_document_meanwhile_is_looked_at_again(
    counter: str,
) -> None:
    def navigate(captures: int) -> None:
        if captures <= 3:
            setattr(page.visit, counter, getattr(page.visit, counter) + 1)

    page = _Page(navigate)
    assert await _settled(page) == 6


async def test_a_page_that_is_kept_from_navigating_any_further_is_at_rest() -> None:
    page = _Page(lambda _: setattr(page.visit, "_documents", page.visit._documents + 1))
    page.visit._documents = 3
    assert await _settled(page) == 2
