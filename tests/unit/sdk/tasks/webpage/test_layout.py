"""What a layout has that the image of its page shows."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.webpage.layout import (
    MOST_LOOKS,
    page_from_text,
    page_to_text,
    shown_page,
    subtrees_of,
    text_f1,
    tree_bleu,
)
from i2s_sdk.tasks.webpage.scorer import LayoutScorer
from i2s_wire.render.site import ElementTree, PageBlock, PageLayout

TREES = json.loads((Path(__file__).parent / "vectors" / "tree_bleu.json").read_text(encoding="utf-8"))
VOID = ("br", "hr", "img", "input", "link", "meta")


class Elements(HTMLParser):
    """The elements of HTML as it is written."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.parents: list[int] = []
        self._open: list[int] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.parents.append(self._open[-1] if self._open else 0)
        if tag not in VOID:
            self._open.append(len(self.names))

    def handle_endtag(self, tag):
        if any(self.names[one - 1] == tag for one in self._open):
            while self.names[self._open.pop() - 1] != tag:
                pass

    @property
    def subtrees(self):
        return subtrees_of(ElementTree(tuple(self.names), tuple(range(len(self.names))), tuple(self.parents)))


TREE = ElementTree(("html", "body", "p"), (0, 1, 2, 2), (0, 1, 2, 2))
BLOCK = PageBlock("Two  Words", 10, 10, 40, 10, "#000000ff", "#ffffffff", element=3)


def image(*, text: bool) -> np.ndarray:
    pixels = np.full((100, 200, 3), 255, np.uint8)
    if text:
        pixels[12:18, 12:48:3] = 0
    return pixels


def shown(*blocks: PageBlock, text: bool = True):
    return shown_page(PageLayout(200, 100, blocks, TREE), image(text=text))


def test_a_block_that_the_image_shows_counts_with_its_colour_and_share_of_the_page():
    (block,) = shown(BLOCK).blocks
    assert (block.text, block.color) == ("two words", (0, 0, 0))
    assert block.box == pytest.approx((0.05, 0.1, 0.2, 0.1))


def test_a_block_of_which_the_image_shows_nothing_does_not_count():
    assert shown(BLOCK, text=False).blocks == ()


@pytest.mark.parametrize("fault", ["hidden", "covered", "outside"])
def test_a_block_that_the_browser_does_not_show_does_not_count(fault):
    flags = {fault: True}
    assert shown(PageBlock("a", 10, 10, 40, 10, "#000000ff", "#ffffffff", **flags)).blocks == ()


def test_a_block_in_the_colour_of_its_ground_does_not_count_for_the_letters_of_another():
    assert shown(replace(BLOCK, color="#ffffffff")).blocks == ()


def test_white_letters_on_a_gradient_count():
    pixels = np.zeros((100, 200, 3), np.uint8)
    pixels[...] = np.arange(200, dtype=np.uint8)[None, :, None]
    pixels[12:18, 12:48:3] = 255
    layout = PageLayout(200, 100, (replace(BLOCK, color="#ffffffff"),), TREE)
    assert [block.color for block in shown_page(layout, pixels).blocks] == [(255, 255, 255)]


def test_a_page_is_the_same_after_json():
    page = shown(BLOCK)
    assert page_from_text(page_to_text(page)) == page


def test_elements_with_children_are_known_by_the_names_of_their_children():
    assert subtrees_of(TREE) == {"html(body)": 1, "body(p,p)": 1}


def test_tree_bleu_is_a_recall_beside_its_precision():
    assert tree_bleu({"a": 1, "b": 1}, {"b": 1, "c": 3}) == (0.5, 0.25)
    assert tree_bleu({"a": 1}, {"a": 3, "b": 1}) == (1, 0.75)
    assert tree_bleu({}, {}) == (0, 0)


@pytest.mark.parametrize("row", TREES, ids=lambda row: row["id"])
def test_tree_bleu_is_that_of_the_released_code(row):
    reference, prediction = (Elements(row[side]).subtrees for side in ("reference", "prediction"))
    assert tree_bleu(reference, prediction) == pytest.approx((row["tree_rouge_1"], row["tree_bleu"]))


def test_words_count_as_often_as_they_are_there():
    assert text_f1(["a a b"], ["a b b"]) == pytest.approx(2 / 3)


def test_the_same_page_has_all_scores():
    page = page_to_text(shown(BLOCK))
    values = LayoutScorer().score(Scorable("x", drawn=page, drawn_truth=page)).metrics
    assert set(values.values()) == {1.0}


def test_a_truth_that_shows_no_text_has_elements_only():
    truth = page_to_text(shown())
    values = LayoutScorer().score(Scorable("x", drawn=truth, drawn_truth=truth))
    assert values.metrics["tree_bleu"] == 1
    assert values.metrics["design2code_dom"] is None
    assert "no text" in values.undefined["design2code_dom"]


def test_boxes_of_many_times_the_image_are_not_looked_at() -> None:
    """One hostile page of thousands of texts as large as its window would take minutes."""
    whole = replace(BLOCK, x=0, y=0, width=200, height=100, element=0)
    page = shown_page(PageLayout(200, 100, (whole,) * (MOST_LOOKS + 5), TREE), image(text=True))
    assert (len(page.blocks), page.truncated) == (MOST_LOOKS, True)


def test_a_page_keeps_its_runs_and_earlier_ones_had_none():
    second = replace(BLOCK, text="More", x=53, element=2)
    pixels = image(text=True)
    pixels[12:18, 55:90:3] = 0
    page = shown_page(PageLayout(200, 100, (BLOCK, second), TREE), pixels)
    assert [run.block.text for run in page.runs] == ["two words more"]
    text = page_to_text(page)
    assert page_to_text(page_from_text(text)) == text
    page = page_from_text(text)
    earlier = json.loads(text)
    del earlier["runs"]
    assert page_from_text(json.dumps(earlier)) == replace(page, runs=None)


def test_a_run_of_blocks_that_are_not_there_is_refused():
    plain = json.loads(page_to_text(shown(BLOCK)))
    plain["runs"] = [[0, 2, *plain["blocks"][0]]]
    with pytest.raises(ValueError, match="run"):
        page_from_text(json.dumps(plain))
