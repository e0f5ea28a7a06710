"""The page as the browser laid it out: its text nodes with their places, and the tree of its elements."""

from __future__ import annotations

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
    tree = ElementTree(
        tuple(bounded(str(one), _MOST_NAME_BYTES) for one in seen["names"]),
        tuple(map(int, seen["nameOf"])),
        tuple(map(int, seen["parentOf"])),
        bool(seen["lacksElements"]),
    )
    blocks = tuple(map(_block, seen["blocks"]))
    return PageLayout(width, height, blocks, tree, bool(seen["lacksBlocks"]))


def _block(block: dict[str, Any]) -> PageBlock:
    return PageBlock(
        text=bounded(str(block["text"]), _MOST_BLOCK_BYTES),
        x=number_of(block["x"]),
        y=number_of(block["y"]),
        width=number_of(block["width"]),
        height=number_of(block["height"]),
        color=str(block["color"])[:9],
        background=str(block["background"])[:9],
        hidden=bool(block["hidden"]),
        clipped=bool(block["clipped"]),
        covered=bool(block["covered"]),
        outside=bool(block["outside"]),
        path=bounded(str(block["path"]), _MOST_PATH_BYTES),
        element=int(block["element"]),
    )
