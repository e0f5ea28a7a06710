"""Take the picture of a page; its pixels are counted before anything is drawn."""

from __future__ import annotations

import asyncio
import base64
import math
from typing import Any

from playwright.async_api import CDPSession

from i2s_chassis.renderer.png import png_size
from i2s_render_html.model import Options
from i2s_render_html.page import PreparedPage
from i2s_wire.render.rendering import Picture

# Packed less tightly, in half the time.
_FORMAT = {"format": "png", "optimizeForSpeed": True}
_PATIENCE_SECONDS = 2.0


def pixels_of(width: float, height: float, scale: float) -> int:
    """Return how many pixels a picture of an area in CSS pixels has."""
    return math.ceil(width * scale) * math.ceil(height * scale)


async def viewport_png(page: PreparedPage) -> bytes:
    """Return what the window shows, as PNG.

    Raises:
        playwright.async_api.Error: The page is gone.
    """
    return await _screenshot(page.session, _FORMAT)


async def page_size(page: PreparedPage, options: Options) -> tuple[int, int]:
    """Return width and height of the whole page in CSS pixels: at least those of the window.

    Raises:
        playwright.async_api.Error: The page is gone.
    """
    metrics = await page.session.send("Page.getLayoutMetrics")
    size = metrics["cssContentSize"]
    return max(options.width, math.ceil(size["width"])), max(options.height, math.ceil(size["height"]))


async def page_png(page: PreparedPage, width: int, height: int) -> bytes:
    """Return the whole page as PNG.

    Raises:
        playwright.async_api.Error: The page is gone.
    """
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    return await _screenshot(page.session, {**_FORMAT, "captureBeyondViewport": True, "clip": clip})


async def _screenshot(session: CDPSession, options: dict[str, Any]) -> bytes:
    """Ask for a picture, and again if none comes: the first answer counts.

    If a navigation was refused shortly before, Chromium may wait for a frame that is never drawn;
    the next request makes it draw one. A page that is only slow to draw is asked ever more rarely.
    """
    asked: set[asyncio.Task[dict[str, Any]]] = set()
    patience = _PATIENCE_SECONDS
    try:
        while True:
            asked.add(asyncio.create_task(session.send("Page.captureScreenshot", options)))
            done, _ = await asyncio.wait(asked, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return base64.b64decode(done.pop().result()["data"])
            patience *= 2
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)


def picture_of(png: bytes) -> Picture:
    """Return a picture with its size.

    Raises:
        RasterError: It is no PNG of three channels of 8 bits.
    """
    width, height = png_size(png)
    return Picture(png, width, height)
