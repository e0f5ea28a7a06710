"""The image, the text and the elements of a page. A page may lie about itself, and about no other."""

from __future__ import annotations

import asyncio
import base64
import math
import re
from typing import Any

from playwright.async_api import CDPSession

from i2s_chassis.renderer.png import png_size
from i2s_render_html.injected_scripts import text_of
from i2s_render_html.model import Options, ResolvedElementQuery, SelectorError
from i2s_render_html.page import PreparedPage, ScriptError
from i2s_wire.render.rendering import Picture
from i2s_wire.render.site import Element

# Packed less tightly, in half the time.
_FORMAT = {"format": "png", "optimizeForSpeed": True}
_PATIENCE_SECONDS = 2.0


def pixels_of(width: float, height: float, scale: float) -> int:
    """Return how many pixels an image of an area in CSS pixels has."""
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
    """Ask for an image, and again if none comes: the first answer counts.

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
    """Return an image with its size.

    Raises:
        RasterError: It is not a PNG of three channels of 8 bits.
    """
    width, height = png_size(png)
    return Picture(png, width, height)


_MOST_RECTANGLES = 1_000_000
_SURROGATE = re.compile("[\ud800-\udfff]")
_TRY_SELECTOR = "(css) => { document.createDocumentFragment().querySelector(css); }"


async def check_selector(page: PreparedPage, query: ResolvedElementQuery | None) -> None:
    """Have the browser read a selector, before any page can take part.

    Raises:
        SelectorError: It cannot be read.
    """
    if query is None or not query.css:
        return
    try:
        await page.run(_TRY_SELECTOR, query.css)
    except ScriptError:
        raise SelectorError(f"{query.css[:200]!r} is no CSS selector") from None


async def read_text(page: PreparedPage, most_bytes: int) -> str:
    """Return the text of a page as it is shown; empty if the page breaks our reading.

    Raises:
        playwright.async_api.Error: The page is gone.
    """
    try:
        return bounded(str(await page.run(text_of("read"), most_bytes)), most_bytes)
    except ScriptError:
        return ""


async def read_elements(page: PreparedPage, query: ResolvedElementQuery) -> tuple[Element, ...]:
    """Return the elements that a query selects, in the order of the document.

    Raises:
        playwright.async_api.Error: The page is gone.
    """
    try:
        elements = await page.run(text_of("elements"), {"css": query.css, "most": query.max_elements})
    except ScriptError:
        return ()
    return tuple(_element(element) for element in elements)


def _element(element: dict[str, Any]) -> Element:
    rectangle = {name: number_of(element[name]) for name in ("x", "y", "width", "height")}
    return Element(
        tag=str(element["tag"]),
        text=str(element["text"]),
        role=str(element["role"]),
        clickable=bool(element["clickable"]),
        href=str(element["href"]),
        visible=bool(element["visible"]),
        covered=bool(element["covered"]),
        clipped=bool(element["clipped"]),
        joined=bool(element["joined"]),
        rectangles=min(_MOST_RECTANGLES, int(number_of(element["rectangles"]))),
        **rectangle,
    )


def number_of(value: object) -> float:
    """Return a number that a script returned; 0 for anything else."""
    number = float(value) if isinstance(value, int | float) else 0.0
    return number if math.isfinite(number) else 0.0


def bounded(text: str, most_bytes: int) -> str:
    """Return a text of at most so many bytes in UTF-8; halves of characters become U+FFFD."""
    whole = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return whole.encode()[:most_bytes].decode(errors="ignore")
