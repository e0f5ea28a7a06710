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


@pytest.mark.parametrize("with_runs", [False, True])
async def test_scores_are_close_to_the_released_ones_unless_a_rule_says_why(service, with_runs):
    pages = {name: await page_of(service, html) for name, html in VECTORS["html"].items()}
    apart = set()
    for prediction, reference, *released in VECTORS["pairs"]:
        sides = pages[reference], pages[prediction]
        runs = (sides[0].runs, sides[1].runs) if with_runs else ((), ())
        scores = compare_blocks(sides[0].blocks, sides[1].blocks, autojunk=True, runs=runs)
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


SENTENCE = "read all about the harvest of pears and quinces in our garden"
WORDS = {
    "spans": " ".join(f"<span>{word}</span>" for word in SENTENCE.split()),
    "boxes": "".join(
        f'<div style="display:inline-block;margin-right:.25em">{word}</div>' for word in SENTENCE.split()
    ),
    "a link and a bold word": SENTENCE.replace("pears", "<b>pears</b>").replace("garden", "<a>garden</a>"),
}
PLACED = "".join(
    f'<span style="position:absolute;top:{60 + 20 * (at // 6)}px;left:{20 + 75 * (at % 6)}px">{word}</span>'
    for at, word in enumerate(("orchards " + SENTENCE.replace(" in our garden", "")).split())
)


@pytest.mark.parametrize("width", [1000, 200])
@pytest.mark.parametrize("kind", WORDS)
async def test_words_in_elements_of_their_own_are_the_same_as_a_text_in_one(service, kind, width):
    style = f"<body><h1>News</h1><p style='width:{width}px'>"
    whole, parted = [await page_of(service, f"{style}{text}</p>") for text in (SENTENCE, WORDS[kind])]
    for reference, page in ((whole, parted), (parted, whole)):
        scores = compare_blocks(reference.blocks, page.blocks, runs=(reference.runs, page.runs))
        assert (scores.match, scores.text) == (1, 1)
        assert scores.position > 0.95  # boxes in a line wrap elsewhere
    apart = compare_blocks(whole.blocks, parted.blocks)
    assert apart.mean < 0.99, "without runs"


async def test_words_that_are_placed_one_by_one_are_lines(service):
    page = await page_of(service, f"<body>{PLACED}")
    lines = [run.block.text for run in page.runs]
    assert "orchards read all about the harvest" not in lines, "gaps of a table are no spaces"


async def test_links_of_a_menu_stay_apart_if_both_pages_have_them(service):
    menus = (
        "<p><a href=x>Home</a> <a href=y>Prices</a> <a href=z>Contact</a></p>",
        "<ul style='list-style:none'><li>Home</li><li>Prices</li><li>Contact</li></ul>",
    )
    pages = [await page_of(service, f"<body>{menu}") for menu in menus]
    scores = compare_blocks(pages[0].blocks, pages[1].blocks, runs=(pages[0].runs, pages[1].runs))
    assert (len(scores.pairs), scores.text) == (3, 1)
