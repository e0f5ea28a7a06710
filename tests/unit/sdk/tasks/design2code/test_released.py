"""Blocks, answers and pages as the released code of Design2Code has them."""

from dataclasses import replace

import numpy as np
import pytest

from i2s_sdk.tasks.design2code.released import cleaned, released_page, wrapped
from i2s_sdk.tasks.webpage.layout import MOST_LOOKS
from i2s_wire.render.site import ElementTree, PageBlock, PageLayout

#: html, body, p (2), i within it (3), section (4), header (5), b within the section (6): index + 1.
TREE = ElementTree(
    ("html", "body", "p", "i", "section", "header", "b"), (0, 1, 2, 3, 4, 5, 6), (0, 1, 2, 3, 2, 2, 5)
)
BODY, P, ITALIC, SECTION, HEADER, B = range(2, 8)
BLACK, RED = "#000000ff", "#ff0000ff"


def text(said: str, element: int, x: float = 0.0, color: str = BLACK, **more: bool) -> PageBlock:
    return PageBlock(said, x, 0.0, 10.0, 10.0, color, "#ffffffff", element=element, **more)


def page(*blocks: PageBlock, image: np.ndarray | None = None) -> list[tuple[str, tuple[float, ...]]]:
    layout = PageLayout(100.0, 10.0, blocks, TREE)
    white = np.full((10, 100, 3), 255, np.uint8)
    shown = released_page(layout, white if image is None else image)
    return [(block.text, block.color) for block in shown.blocks]


def test_a_text_belongs_to_the_nearest_of_the_19_tags_and_without_one_does_not_exist() -> None:
    assert page(text("One", P), text("two", ITALIC), text("three", SECTION), text("Four", B)) == [
        ("one two", (255.0, 255.0, 255.0)),
        ("four", (255.0, 255.0, 255.0)),
    ]


def test_what_an_inner_element_colours_is_text_of_the_block_and_not_of_its_box() -> None:
    layout = PageLayout(
        100.0, 10.0, (text("a", P), text("b", ITALIC, 50.0), text("c", ITALIC, 80.0, RED)), TREE
    )
    (block,) = released_page(layout, np.full((10, 100, 3), 255, np.uint8)).blocks
    assert (block.text, block.box) == ("a b c", pytest.approx((0.0, 0.0, 0.6, 1.0)))


def test_covered_text_is_seen_and_hidden_text_is_not() -> None:
    seen = page(text("under", P, covered=True), text("no", HEADER, hidden=True), text("far", B, outside=True))
    assert [said for said, _ in seen] == ["under"]


def test_a_block_has_the_colour_of_its_letters_or_of_what_lies_in_front_of_them() -> None:
    image = np.full((10, 100, 3), 255, np.uint8)
    image[2:4, 2:4] = (255, 3, 0)
    assert page(text("shown", P, color=RED), image=image) == [("shown", (255.0, 0.0, 0.0))]
    image[:] = (0, 0, 255)
    assert page(text("under", P, color=RED), image=image) == [("under", (0.0, 0.0, 255.0))]


def test_no_more_pixels_are_looked_at_than_a_multiple_of_the_image() -> None:
    tags = ElementTree(("body", "p"), (0,) + (1,) * 60, (0,) + (1,) * 60)
    whole = [
        PageBlock(str(at), 0.0, 0.0, 100.0, 10.0, BLACK, "#ffffffff", element=2 + at) for at in range(60)
    ]
    white = np.full((10, 100, 3), 255, np.uint8)
    shown = released_page(PageLayout(100.0, 10.0, tuple(whole), tags), white)
    assert (len(shown.blocks), shown.truncated) == (MOST_LOOKS, True)
    halves = [replace(one, width=50.0) for one in whole]
    shown = released_page(PageLayout(100.0, 10.0, tuple(halves[: 2 * MOST_LOOKS]), tags), white)
    assert (len(shown.blocks), shown.truncated) == (2 * MOST_LOOKS, False)


def test_a_large_box_has_the_colours_of_its_pixels() -> None:
    image = np.full((1100, 1000, 3), 255, np.uint8)
    image[700, 70] = (250, 4, 2)
    whole = [
        PageBlock("a", 0.0, 0.0, 1000.0, 1100.0, color, "#ffffffff", element=P + at)
        for at, color in enumerate((RED, RED, "#f90400ff"))
    ]
    tree = ElementTree(("html", "body", "p"), (0, 1, 2, 2, 2), (0, 1, 2, 2, 2))
    shown = released_page(PageLayout(1000.0, 1100.0, tuple(whole), tree), image)
    assert [block.color for block in shown.blocks] == [(255.0, 255.0, 255.0)] * 2 + [(249.0, 4.0, 0.0)]


@pytest.mark.parametrize(
    ("completion", "html"),
    [
        ("```html\n<p>a</p>\n```", "<p>a</p>"),
        ("Here: <!DOCTYPE html><html>a</html> Done.", "<!DOCTYPE html><html>a</html>"),
        ("Sure.\n```html\n<p>a</p>\n```", "Sure.\n```html\n<p>a</p>"),
        ("", ""),
    ],
)
def test_an_answer_is_cleaned_as_released(completion: str, html: str) -> None:
    assert cleaned(completion) == html


def test_a_text_without_an_html_element_becomes_a_paragraph() -> None:
    assert wrapped("a") == "<html><body><p>a</p></body></html>"
    assert wrapped("<HTML lang=en>a</HTML>") == "<HTML lang=en>a</HTML>"
