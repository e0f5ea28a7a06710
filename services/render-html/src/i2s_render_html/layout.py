"""The page as the browser laid it out: its text nodes with their places, and the tree of its elements."""

from __future__ import annotations

import re
from dataclasses import replace
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
        return _layout(seen, bounds, width, height)
    except (ScriptError, KeyError, TypeError, ValueError, OverflowError):
        # A page that took over its process may answer anything.
        return PageLayout(width, height, blocks_truncated=True, tree=ElementTree(truncated=True))


def _layout(seen: dict[str, Any], bounds: HtmlSettings, width: int, height: int) -> PageLayout:
    """Return what a script returned, as far as it keeps the bounds that it was given."""
    tree = _tree(seen, bounds.page_elements)
    blocks, left = [], int(bounds.block_text_bytes)
    for page_block in map(_block, seen["blocks"][: bounds.page_blocks]):
        left -= len(page_block.text.encode()) + len(page_block.path.encode())
        if left < 0:
            break
        blocks.append(
            page_block if 0 <= page_block.element <= len(tree.parent_of) else replace(page_block, element=0)
        )
    truncated = bool(seen["lacksBlocks"]) or len(blocks) < len(seen["blocks"])
    return PageLayout(width, height, tuple(blocks), tree, truncated)


def _tree(seen: dict[str, Any], most: int) -> ElementTree:
    """Return the tree that a script returned; none if its numbers do not fit together."""
    names = tuple(bounded(str(name), _MOST_NAME_BYTES) for name in seen["names"])
    name_of, parent_of = tuple(map(int, seen["nameOf"])), tuple(map(int, seen["parentOf"]))
    fits = (
        max(len(names), len(name_of)) <= most
        and len(name_of) == len(parent_of)
        and all(0 <= one < len(names) for one in name_of)
    )
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
