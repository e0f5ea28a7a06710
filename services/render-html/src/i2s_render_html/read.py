"""Read text and elements off a page. Its makers may lie about their own page, and no other."""

from __future__ import annotations

import math
import re
from typing import Any

from i2s_render_html.errors import SelectorError
from i2s_render_html.injected import text_of
from i2s_render_html.model import ResolvedElementQuery
from i2s_render_html.page import PreparedPage, ScriptError
from i2s_wire.render.site import Element

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
        return _bounded(str(await page.run(text_of("read"), most_bytes)), most_bytes)
    except ScriptError:
        return ""


async def read_elements(page: PreparedPage, query: ResolvedElementQuery) -> tuple[Element, ...]:
    """Return the elements that a query selects, in the order of the document.

    Raises:
        playwright.async_api.Error: The page is gone.
    """
    try:
        found = await page.run(text_of("elements"), {"css": query.css, "most": query.max_elements})
    except ScriptError:
        return ()
    return tuple(_element(one) for one in found)


def _element(found: dict[str, Any]) -> Element:
    rectangle = {name: _number(found[name]) for name in ("x", "y", "width", "height")}
    return Element(
        tag=str(found["tag"]),
        text=str(found["text"]),
        role=str(found["role"]),
        clickable=bool(found["clickable"]),
        href=str(found["href"]),
        visible=bool(found["visible"]),
        covered=bool(found["covered"]),
        clipped=bool(found["clipped"]),
        joined=bool(found["joined"]),
        rectangles=min(_MOST_RECTANGLES, int(_number(found["rectangles"]))),
        **rectangle,
    )


def _number(value: object) -> float:
    number = float(value) if isinstance(value, int | float) else 0.0
    return number if math.isfinite(number) else 0.0


def _bounded(text: str, most_bytes: int) -> str:
    """Return a text of at most so many bytes in UTF-8; halves of characters become U+FFFD."""
    whole = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return whole.encode()[:most_bytes].decode(errors="ignore")
