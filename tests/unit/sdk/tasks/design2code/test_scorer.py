"""The scorers of blocks alone."""

import pytest

from i2s_sdk.scoring.scorer import DrawnScorer, Scorable
from i2s_sdk.tasks.design2code.scorer import OCR_COLUMNS, OCR_SCORER, RELEASED_SCORER
from i2s_sdk.tasks.webpage.block_match import Block
from i2s_sdk.tasks.webpage.layout import ShownPage, page_to_text

TITLE = Block("a title", (0.1, 0.1, 0.2, 0.1), (0, 0, 0))
REST = Block("all the rest", (0.1, 0.4, 0.2, 0.1), (0, 0, 0))
BOTH, ONE, NONE = (page_to_text(ShownPage(one, {})) for one in ((TITLE, REST), (TITLE,), ()))


def test_a_missing_block_lowers_the_match_alone() -> None:
    values = RELEASED_SCORER.score(Scorable("a", drawn=ONE, drawn_truth=BOTH))
    assert values.metrics == pytest.approx(
        {
            "block_match": 2 / 3,
            "block_text": 1,
            "block_position": 1,
            "block_color": 1,
            "design2code_dom": (2 / 3 + 3) / 4,
        }
    )
    assert [values.detail[one] for one in ("matched", "missing_blocks", "extra_blocks")] == [1, 1, 0]


@pytest.mark.parametrize(("drawn", "truth"), [(None, BOTH), (NONE, BOTH), (BOTH, NONE)])
def test_a_page_without_blocks_has_nothing_as_released(drawn: str | None, truth: str) -> None:
    values = RELEASED_SCORER.score(Scorable("a", drawn=drawn, drawn_truth=truth))
    assert set(values.metrics.values()) == {0.0}


def test_long_texts_are_as_alike_as_difflib_says_with_its_rule_for_frequent_characters() -> None:
    words = " ".join(f"word{index % 50}" for index in range(200))
    pages = [
        page_to_text(ShownPage((Block(one, (0, 0, 1, 1), (0, 0, 0)),), {}))
        for one in (words, f"more {words}")
    ]
    sample = Scorable("a", drawn=pages[1], drawn_truth=pages[0])
    assert RELEASED_SCORER.score(sample).metrics["block_text"] == 0
    assert OCR_SCORER.score(sample).metrics["ocr_block_text"] > 0.99


def test_values_against_what_was_read_have_names_of_their_own() -> None:
    values = OCR_SCORER.score(Scorable("a", drawn=BOTH, drawn_truth=BOTH)).metrics
    assert values == dict.fromkeys(OCR_COLUMNS.values(), 1.0)
    assert not set(values) & {metric.name for metric in RELEASED_SCORER.metrics}


def test_both_compare_what_was_drawn() -> None:
    for scorer in (RELEASED_SCORER, OCR_SCORER):
        assert isinstance(scorer, DrawnScorer)
        assert scorer.compares_drawn
        assert not scorer.applies(Scorable("a", drawn=BOTH))
