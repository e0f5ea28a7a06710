"""Scores of blocks, against those of the released code on the blocks that it found."""

import json
import random
import time
from pathlib import Path

import pytest

from i2s_sdk.tasks.webpage.block_match import Block, Run, color_difference, compare_blocks

VECTORS = json.loads((Path(__file__).parent / "vectors" / "design2code.json").read_text())
BLACK = (0.0, 0.0, 0.0)


def blocks_of(page: str) -> list[Block]:
    """Return the blocks of a page; those with the same box are one, as in the released code."""
    by_box: dict[tuple[float, ...], Block] = {}
    for text, x, y, width, height, *color in VECTORS["pages"][page]:
        block = Block(text, (x, y, width, height), tuple(color))
        known = by_box.get(block.box)
        by_box[block.box] = Block(known.merged(block).text, block.box, block.color) if known else block
    return list(by_box.values())


@pytest.mark.parametrize("pair", VECTORS["pairs"], ids=lambda pair: pair[0])
def test_scores_are_those_of_the_released_code(pair):
    prediction, reference, *released = pair
    scores = compare_blocks(blocks_of(reference), blocks_of(prediction), autojunk=True)
    assert [scores.match, scores.text, scores.position, scores.color] == pytest.approx(released, abs=0.011)


def test_long_paragraphs_that_differ_by_a_word_are_alike():
    words = " ".join(f"word{index % 50}" for index in range(200))
    scores = compare_blocks(
        [Block(words, (0, 0, 1, 1), BLACK)], [Block(f"{words} more", (0, 0, 1, 1), BLACK)]
    )
    assert scores.text > 0.99


def test_a_page_without_blocks_has_no_score():
    assert compare_blocks([Block("a", (0, 0, 1, 1), BLACK)], []).mean == 0


def test_extra_blocks_lower_the_match_by_their_area():
    own = Block("title", (0, 0, 0.5, 0.1), BLACK)
    extra = Block("nothing like it", (0, 0.5, 0.5, 0.2), BLACK)
    assert compare_blocks([own], [own, extra]).match == pytest.approx(0.5)


def test_black_and_white_differ_by_a_hundred():
    assert color_difference(BLACK, (255, 255, 255)) == pytest.approx(100, abs=1e-3)


@pytest.mark.parametrize("words", [1, 12])
def test_two_thousand_blocks_against_as_many_take_bounded_work(words):
    random.seed(words)
    known = ["".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(300)]
    pages = [
        [
            Block(" ".join(random.choices(known, k=words)), (index / 2000, 0, 1e-3, 1e-3), BLACK)
            for index in range(2000)
        ]
        for _ in range(2)
    ]
    start = time.process_time()
    assert 0 < compare_blocks(*pages).match <= 1
    assert time.process_time() - start < 20  # a hang, not a measurement: it takes about 1 to 2 s


def test_two_thousand_blocks_that_are_all_alike_take_bounded_work():
    page = [Block("word", (at / 2000, 0, 1e-3, 1e-3), BLACK) for at in range(2000)]
    runs = [
        Run(at, at + 2, Block("word word", (at / 2000, 0, 2e-3, 1e-3), BLACK)) for at in range(0, 2000, 2)
    ]
    start = time.process_time()
    scores = compare_blocks(page, page, runs=(runs, runs))
    assert len(scores.pairs) == 2000
    assert time.process_time() - start < 20  # a hang, not a measurement: it takes about 1 s
