"""What a report shows of a page."""

from __future__ import annotations

import json

import pytest

from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.omnidocbench.detail import MAX_BYTES, table_rows
from i2s_sdk.tasks.omnidocbench.scorer import NAME, OmniDocBenchScorer
from i2s_sdk.tasks.omnidocbench.view import view
from i2s_sdk.tasks.view import (
    DiffPanel,
    ImageMarkKind,
    MarkedImage,
    Panel,
    RowMark,
    ShownSample,
    TablesPanel,
    TextPanel,
)
from i2s_wire.metrics.profile import Profile
from omnidocbench_page import HTML, annotation, element

EVIL = "</script><script>alert(1)</script> \u202eabc\x07"


def panels(structure, page) -> tuple[Panel, ...]:
    found = OmniDocBenchScorer(Profile.PAPER).score(Scorable("a", structure, target=page))
    assert isinstance(found, MetricValues)
    assert len(json.dumps(found.detail)) <= MAX_BYTES
    return view(ShownSample(detail={NAME: found.detail}))


def boxed(*elements):
    for at, one in enumerate(elements):
        one["poly"] = [0, 10 * at, 100, 10 * at, 100, 10 * at + 8, 0, 10 * at + 8]
    return annotation(layout_dets=list(elements))


def test_blocks_are_marked_on_the_page_by_how_they_compare() -> None:
    page = boxed(
        element("header", None, text="Annals"),
        element("title", 1, text="On the tides of the sea"),
        element("text_block", 2, text="The tide rises in the morning."),
        element("text_block", 3, text="0123456789"),
        element("table", 4, html=HTML),
    )
    image, rows, tables, _ = panels(f"On the tides of the sea\n\nThe tide rises at noon.\n\n{HTML}", page)
    assert isinstance(image, MarkedImage)
    assert [(mark.label, mark.kind) for mark in image.marks] == [
        ("1", ImageMarkKind.GOLD), ("2", ImageMarkKind.SUBJECT), ("3", ImageMarkKind.ANSWER),
        ("4", ImageMarkKind.GOLD), ("5", ImageMarkKind.CANDIDATE),
    ]  # fmt: skip
    assert image.marks[0].box == (0.0, 0.05, 1.0, 0.09)
    assert isinstance(rows, DiffPanel)
    assert [(row.mark, row.label.split("\n")[0]) for row in rows.rows] == [
        (RowMark.MATCHED, "1 text"), (RowMark.CHANGED, "2 text"), (RowMark.MISSED, "3 text"),
    ]  # fmt: skip
    assert [one.text for one in rows.rows[1].gold if one.differs] == ["in", "the morning"]
    assert isinstance(tables, TablesPanel)
    assert tables.pairs[0].title == "Table 4: TEDS 1.000, TEDS-S 1.000"
    assert [[cell.text for cell in row] for row in tables.pairs[0].answer or ()] == [["a", "b"], ["1", "2"]]


def test_what_belongs_to_nothing_and_tables_that_are_missing_are_shown() -> None:
    page = annotation(layout_dets=[element("table", 1, html=HTML)])
    rows, tables, attributes = panels("a text that the page does not have", page)
    assert isinstance(rows, DiffPanel)
    assert [row.mark for row in rows.rows] == [RowMark.EXTRA]
    assert isinstance(tables, TablesPanel)
    assert tables.pairs[0].title.endswith("no table of the prediction")
    assert isinstance(attributes, TextPanel)
    assert attributes.text == "language: english"


def test_an_empty_detail_shows_nothing() -> None:
    assert view(ShownSample(detail={})) == ()


@pytest.mark.parametrize("text", [EVIL, "word " * 2_000, "\n\n".join(["a b c"] * 300)])
def test_the_detail_of_any_page_is_short_and_shown_as_text(text: str) -> None:
    rows = f"<tr><td colspan=999999999>{EVIL}</td></tr>" * 400
    page = annotation(
        layout_dets=[
            *(element("text_block", at, text=f"{text} {at}") for at in range(1, 10)),
            element("table", 40, html=f"<table>{rows}</table>"),
        ]
    )
    assert panels(text, page)


@pytest.mark.parametrize("html", ["", "text", "<p>", "\x00", "<table></table>"])
def test_no_table_and_an_empty_one_have_no_rows(html: str) -> None:
    assert not table_rows(html, 10)


def test_spans_of_cells_are_bounded() -> None:
    rows = table_rows("<table><tr><th colspan=1000000000 rowspan=x>a</th><td>b</td></tr></table>", 10)
    assert rows == [[["a", 99, 1, 1], ["b", 1, 1, 0]]]
