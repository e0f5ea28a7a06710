"""Bounds on what a page answers of its layout, whose process may be anybody's."""

from __future__ import annotations

import pytest

from i2s_render_html.layout import read_layout
from i2s_render_html.model import Options
from i2s_render_html.settings import HtmlSettings

BOUNDS = HtmlSettings(page_blocks=3, block_text_bytes=1024, page_elements=2)
BLOCK = {
    **{"text": "word", "path": "html>p", "color": "#000000ff", "background": "#ffffffff", "element": 1},
    **{"x": 1, "y": 2, "width": 3, "height": 4},
    **dict.fromkeys(("hidden", "clipped", "covered", "outside"), False),
}
ANSWER = {
    **{"blocks": [BLOCK], "names": ["html", "p"], "nameOf": [0, 1], "parentOf": [0, 1]},
    **{"lacksBlocks": False, "lacksElements": False},
}


class Page:
    """A page that answers whatever it was made with."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    async def run(self, script: str, query: object) -> object:
        return self._answer


async def layout_of(**changes: object):
    return await read_layout(Page({**ANSWER, **changes}), Options(), BOUNDS)  # type: ignore[arg-type]


async def test_an_answer_within_its_bounds_is_the_layout():
    layout = await layout_of()
    assert [(block.text, block.element) for block in layout.blocks] == [("word", 1)]
    assert (layout.tree.parent_of, layout.blocks_truncated) == ((0, 1), False)


@pytest.mark.parametrize(
    ("blocks", "kept"),
    [([BLOCK] * 9, 3), ([{**BLOCK, "text": "x" * 600}] * 3, 1), ([{**BLOCK, "path": "y" * 2000}], 0)],
    ids=["number", "texts", "paths"],
)
async def test_blocks_beyond_the_bounds_are_left_out(blocks, kept):
    layout = await layout_of(blocks=blocks)
    assert (len(layout.blocks), layout.blocks_truncated) == (kept, True)


@pytest.mark.parametrize("element", [3, -1, 1 << 40])
async def test_an_element_that_is_not_in_the_tree_is_not_known(element):
    layout = await layout_of(blocks=[{**BLOCK, "element": element}])
    assert layout.blocks[0].element == 0


async def test_more_elements_than_asked_for_are_no_tree():
    layout = await layout_of(names=["a"], nameOf=[0] * 3, parentOf=[0, 1, 2])
    assert (layout.tree.names, layout.tree.truncated) == ((), True)


@pytest.mark.parametrize(
    "changes",
    [
        {"blocks": None},
        {"blocks": [{}]},
        {"nameOf": ["x"]},
        {"names": 5},
        {"blocks": [{**BLOCK, "element": {}}]},
    ],
)
async def test_an_answer_of_another_kind_is_no_layout(changes):
    layout = await layout_of(**changes)
    assert (layout.blocks, layout.blocks_truncated, layout.tree.truncated) == ((), True, True)
