"""The scorer of page layouts."""

import json

import pytest

from i2s_sdk.scoring.scorer import DrawnScorer, MetricValues, Scorable
from i2s_sdk.scoring.worker import answer
from i2s_sdk.tasks.webpage.block_match import Block, Run
from i2s_sdk.tasks.webpage.layout import ShownPage, page_to_text
from i2s_sdk.tasks.webpage.scorer import DESIGN2CODE_DOM, TEXT_F1, TREE_BLEU, LayoutScorer

SCORER = LayoutScorer()
TITLE = Block("a title", (0.1, 0.1, 0.2, 0.1), (0, 0, 0))
REST = Block("all the rest", (0.1, 0.4, 0.2, 0.1), (0, 0, 0))
REFERENCE = page_to_text(ShownPage((TITLE, REST), {"html(body)": 1, "body(h1,p)": 1}))


def _values(drawn: str | None, truth: str = REFERENCE) -> MetricValues:
    return SCORER.score(Scorable("a", drawn=drawn, drawn_truth=truth))


def test_the_same_page_has_every_score() -> None:
    values = _values(REFERENCE).metrics
    assert set(values) == {metric.name for metric in SCORER.metrics}
    assert set(values.values()) == {1.0}


def test_a_page_with_half_of_the_text_lacks_a_block() -> None:
    values = _values(page_to_text(ShownPage((TITLE,), {"html(body)": 1})))
    assert values.metrics["block_match"] == pytest.approx(2 / 3)
    assert values.metrics["block_text"] == 1
    assert values.metrics[TREE_BLEU] == 0.5
    assert values.detail["blocks"][0][0] == "all the rest"


@pytest.mark.parametrize("drawn", [None, page_to_text(ShownPage((), {}))], ids=["no layout", "no text"])
def test_a_rendering_that_shows_nothing_has_nothing(drawn: str | None) -> None:
    line = answer(SCORER, Scorable("a", drawn=drawn, drawn_truth=REFERENCE))
    assert set(json.loads(line)["metrics"].values()) == {0.0}, "a worker refuses what is not a float"


def test_words_in_elements_of_their_own_are_a_text() -> None:
    said = "read all about the harvest of pears".split()
    words = tuple(Block(one, (0.1 * at, 0.1, 0.1, 0.1), (0, 0, 0)) for at, one in enumerate(said))
    both = Block(" ".join(said), (0, 0.1, 0.7, 0.1), (0, 0, 0))
    whole = page_to_text(ShownPage((both,), {}))
    parted = page_to_text(ShownPage(words, {}, runs=(Run(0, 7, both),)))
    assert _values(parted, whole).metrics[DESIGN2CODE_DOM] == pytest.approx(1)
    assert _values(whole, parted).metrics[DESIGN2CODE_DOM] == pytest.approx(1)


@pytest.mark.parametrize("side", ["rendering", "ground truth"])
def test_a_layout_that_was_stored_without_runs_has_no_value_of_blocks_and_says_why(side: str) -> None:
    plain = json.loads(REFERENCE)
    del plain["runs"]
    earlier = json.dumps(plain)
    values = _values(earlier, REFERENCE) if side == "rendering" else _values(REFERENCE, earlier)
    undefined = {name for name, value in values.metrics.items() if value is None}
    assert undefined == {"block_match", "block_text", "block_position", "block_color", DESIGN2CODE_DOM}
    assert set(values.undefined) == undefined
    assert "rendered again" in values.undefined[DESIGN2CODE_DOM]
    assert (values.metrics[TEXT_F1], values.metrics[TREE_BLEU]) == (1, 1)


def test_a_ground_truth_without_text_has_no_score_of_text_and_says_why() -> None:
    values = _values(REFERENCE, page_to_text(ShownPage((), {"html(body)": 1})))
    assert values.metrics[DESIGN2CODE_DOM] is None
    assert values.metrics[TEXT_F1] is None
    assert "no text" in values.undefined[DESIGN2CODE_DOM]
    assert values.metrics[TREE_BLEU] == 1


def test_it_compares_what_was_drawn_of_both() -> None:
    assert isinstance(SCORER, DrawnScorer)
    assert SCORER.applies(Scorable("a", drawn_truth=REFERENCE))
    assert not SCORER.applies(Scorable("a", drawn=REFERENCE))
