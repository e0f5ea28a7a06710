"""What is kept of the comparison of two pages, for reports."""

import json
import random

import pytest

from i2s_sdk.tasks.webpage.block_match import Block, BlockScores, compare_blocks
from i2s_sdk.tasks.webpage.detail import MAX_BYTES, detail_of

BLACK, RED = (0.0, 0.0, 0.0), (255.0, 0.0, 0.0)


def block(text: str, top: float, color: tuple[float, float, float] = BLACK) -> Block:
    return Block(text, (0.1, top, 0.2, 0.05), color)


def test_missing_and_extra_blocks_stand_before_pairs_with_places_and_similarities() -> None:
    reference = [block("a title", 0.1), block("read all about it", 0.3), block("gone", 0.5)]
    page = [block("a title", 0.1), block("read all about us", 0.4, RED), block("42", 0.9)]
    detail = detail_of(compare_blocks(reference, page), truncated=False)
    assert (detail["matched"], detail["missing_blocks"], detail["extra_blocks"]) == (2, 1, 1)
    missing, extra, changed, equal = detail["blocks"]
    assert missing == ["gone", None, [1000, 5000, 3000, 5500], None, None]
    assert extra == ["", "42", None, [1000, 9000, 3000, 9500], None]
    assert changed[:2] == ["read all about it", "read all about us"]
    assert changed[2:4] == [[1000, 3000, 3000, 3500], [1000, 4000, 3000, 4500]]
    text, position, color = changed[4]
    assert 0.8 < text < 1
    assert position == pytest.approx(0.9)
    assert color < 0.6
    assert equal == ["a title", None, [1000, 1000, 3000, 1500], [1000, 1000, 3000, 1500], [1, 1, 1]]
    assert detail["blocks_left"] == 0


@pytest.mark.parametrize("letters", [4, 400])
@pytest.mark.parametrize("matched", [True, False])
def test_two_thousand_blocks_of_any_script_stay_within_the_bound(letters: int, matched: bool) -> None:
    chance = random.Random(letters)
    reference, prediction = (
        tuple(block("".join(chance.choices("文字中国あ", k=letters)), at / 2000) for at in range(2000))
        for _ in range(2)
    )
    pairs = tuple((at, at, 0.5) for at in range(2000)) if matched else ()
    detail = detail_of(BlockScores(0.5, 0.5, 0.5, 0.5, reference, prediction, pairs), truncated=True)
    assert MAX_BYTES / 2 < len(json.dumps(detail)) <= MAX_BYTES
    assert len(detail["blocks"]) + detail["blocks_left"] == (2000 if matched else 4000)
