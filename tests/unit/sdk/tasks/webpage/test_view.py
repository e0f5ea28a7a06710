"""What a report shows of a web page."""

from i2s_sdk.report.samples import panels_of
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.tasks.view import PlacesPanel, RowMark, ShownSample
from i2s_sdk.tasks.webpage.block_match import Block
from i2s_sdk.tasks.webpage.layout import ShownPage, page_to_text
from i2s_sdk.tasks.webpage.scorer import NAME, LayoutScorer
from i2s_sdk.tasks.webpage.view import view
from sample_records import flat_record


def _page(*texts: str, truncated: bool = False) -> str:
    blocks = tuple(Block(text, (0.1, at / 10, 0.5, 0.05), (0, 0, 0)) for at, text in enumerate(texts))
    return page_to_text(ShownPage(blocks, {}, truncated))


def _panel(reference: str, page: str) -> PlacesPanel:
    detail = LayoutScorer().score(Scorable("a", drawn=page, drawn_truth=reference)).detail
    (panel,) = view(ShownSample(detail={NAME: detail}))
    assert isinstance(panel, PlacesPanel)
    return panel


def test_blocks_have_their_places_on_both_pages() -> None:
    missed, extra, changed, same = _panel(
        _page("all of it", "only here", "hello world"), _page("all of it", "hello word", "77")
    ).rows
    assert (missed.mark, missed.gold, missed.gold_place) == (
        RowMark.MISSED, "only here", (0.1, 0.1, 0.6, 0.15)
    )  # fmt: skip
    assert missed.answer_place is None
    assert (extra.mark, extra.answer, extra.gold_place) == (RowMark.EXTRA, "77", None)
    assert (changed.mark, changed.gold, changed.answer) == (RowMark.CHANGED, "hello world", "hello word")
    assert "position 0.900" in changed.label
    assert (same.mark, same.gold, same.answer) == (RowMark.MATCHED, "all of it", "")
    assert same.gold_place == same.answer_place


def test_a_page_that_was_cut_says_so() -> None:
    assert "bounds" in _panel(_page("a"), _page("a", truncated=True)).note
    assert _panel(_page("a"), _page("a")).note == ""


def test_records_without_blocks_have_no_panel() -> None:
    earlier = {NAME: {"matched": 1, "missing": ["a"], "extra": [], "truncated": False}}
    assert view(ShownSample()) == view(ShownSample(detail=earlier)) == ()


def test_a_report_is_given_texts_that_reorder_nothing() -> None:
    detail = LayoutScorer().score(Scorable("a", drawn=_page("\u202eabc"), drawn_truth=_page("abc"))).detail
    record = flat_record("a", "webpage", "css", "", outcome=Outcome.SCORED, detail={NAME: detail})
    (panel,) = panels_of(record)
    assert panel["kind"] == "places"
    assert all("\u202e" not in str(row) for row in panel["rows"])
    assert panel["rows"][0][4] == [0.1, 0.0, 0.6, 0.05]
