"""The page as the browser laid it out: its text nodes with their places, and the tree of its elements."""

from __future__ import annotations

import re
from typing import Any

from i2s_render_html.capture import bounded, number_of, page_size
from i2s_render_html.injected_scripts import text_of
from i2s_render_html.model import Options
from i2s_render_html.page import PreparedPage, ScriptError
from i2s_render_html.settings import HtmlSettings
from i2s_wire.render.site import ElementTree, PageBlock, PageLayout

_MOST_BLOCK_BYTES = 8000  # of 2,000 characters
_MOST_NAME_BYTES = 400
_MOST_PATH_BYTES = 17_000
_COLOR = re.compile("#[0-9a-f]{8}")
_WHITE = "#ffffffff"


async def read_layout(page: PreparedPage, options: Options, bounds: HtmlSettings) -> PageLayout:
    """Return the blocks and elements of a page; nothing if the page breaks our reading.

    Places are measured in the page's process, by a script in a world that the page's scripts cannot reach.

    Raises:
        playwright.async_api.Error: The page is gone.
    """
    width, height = await page_size(page, options) if options.full_page else (options.width, options.height)
    scrolled = (0.0, 0.0)
    if options.full_page:
        metrics = await page.session.send("Page.getLayoutMetrics")
        viewport = metrics["cssLayoutViewport"]
        scrolled = float(viewport["pageX"]), float(viewport["pageY"])
    query = {
        "width": width,
        "height": height,
        "left": scrolled[0],
        "top": scrolled[1],
        "blocks": bounds.page_blocks,
        "bytes": bounds.block_text_bytes,
        "elements": bounds.page_elements,
    }
    try:
        seen = await page.run(text_of("blocks"), query)
    except ScriptError:
        return PageLayout(width, height, blocks_truncated=True, tree=ElementTree(truncated=True))
    tree = _tree(seen)
    blocks = tuple(map(_block, seen["blocks"]))
    return PageLayout(width, height, blocks, tree, bool(seen["lacksBlocks"]))


def _tree(seen: dict[str, Any]) -> ElementTree:
    """Return the tree that a script returned; none if its numbers do not fit together."""
    names = tuple(bounded(str(one), _MOST_NAME_BYTES) for one in seen["names"])
    name_of, parent_of = tuple(map(int, seen["nameOf"])), tuple(map(int, seen["parentOf"]))
    fits = len(name_of) == len(parent_of) and all(0 <= one < len(names) for one in name_of)
    if not fits or any(not 0 <= parent <= index for index, parent in enumerate(parent_of)):
        return ElementTree(truncated=True)
    return ElementTree(names, name_of, parent_of, bool(seen["lacksElements"]))


def _color(value: object) -> str:
    color = str(value)
    return color if _COLOR.fullmatch(color) else ""


def _block(block: dict[str, Any]) -> PageBlock:
    return PageBlock(
        text=bounded(str(block["text"]), _MOST_BLOCK_BYTES),
        x=number_of(block["x"]),
        y=number_of(block["y"]),
        width=number_of(block["width"]),
        height=number_of(block["height"]),
        color=_color(block["color"]),
        background=_color(block["background"]) or _WHITE,
        hidden=bool(block["hidden"]),
        clipped=bool(block["clipped"]),
        covered=bool(block["covered"]),
        outside=bool(block["outside"]),
        path=bounded(str(block["path"]), _MOST_PATH_BYTES),
        element=int(block["element"]),
    )
