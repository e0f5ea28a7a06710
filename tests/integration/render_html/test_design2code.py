"""Scores of blocks on the boxes of our browser are close to those of Design2Code's released code."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from i2s.render.v1 import render_pb2 as pb
from i2s_sdk.tasks.design2code.released import released_page, wrapped
from i2s_sdk.tasks.webpage.block_match import compare_blocks
from i2s_sdk.tasks.webpage.layout import shown_page
from i2s_wire.codec import decode
from i2s_wire.render.site import PageLayout

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

VECTORS = json.loads(Path(__file__).with_name("design2code.json").read_text(encoding="utf-8"))
#: Pairs whose blocks differ, with the rule that says why.
EXPLAINED = {
    "p31": "the released code sees a heading in the colour of its ground",
    "p37": "the released code sees text that lies under other boxes",
    "p46": "a paragraph has another number of lines in our fonts",
}


#: Layouts and images by source: pages are rendered once.
RENDERED = {}


async def page_of(service, html, read=shown_page):
    if html not in RENDERED:
        RENDERED[html] = await rendered(service, html)
    return read(*RENDERED[html])


async def rendered(service, html):
    source = pb.SiteSource(files=[pb.File(path="index.html", content=html.encode())])
    window = pb.WindowOptions(width=1280, height=720, full_page=True)
    options = pb.RenderOptions(site=pb.SiteOptions(want_blocks=True), window=window)
    answer = await service.Render(pb.RenderRequest(site=source, options=options))
    image = Image.open(io.BytesIO(answer.pictures[0].png)).convert("RGB")
    return decode(answer.site.layout, PageLayout), np.asarray(image)


async def test_scores_are_close_to_the_released_ones_unless_a_rule_says_why(service):
    pages = {name: await page_of(service, html) for name, html in VECTORS["html"].items()}
    apart = set()
    for prediction, reference, *released in VECTORS["pairs"]:
        scores = compare_blocks(pages[reference].blocks, pages[prediction].blocks, autojunk=True)
        if [scores.text, scores.position, scores.color] != pytest.approx(released, abs=0.02):
            apart.add(prediction)
    assert apart == set(EXPLAINED)


async def test_the_released_rules_explain_all_pairs_but_those_of_fonts_and_half_covered_letters(service):
    pages = {
        name: await page_of(service, wrapped(html), released_page) for name, html in VECTORS["html"].items()
    }
    apart = {}
    for prediction, reference, *released in VECTORS["pairs"]:
        scores = compare_blocks(pages[reference].blocks, pages[prediction].blocks, autojunk=True)
        ours = [scores.text, scores.position, scores.color]
        for name, one, theirs in zip(("text", "position", "color"), ours, released, strict=True):
            if one != pytest.approx(theirs, abs=0.02):
                apart.setdefault(prediction, []).append(name)
    assert apart == {
        "p37": ["color"],  # of letters that lie half under others the released code takes the mean
        "p46": ["position"],  # a paragraph has another number of lines in other fonts
    }
