"""Tables of a page as grids, and tests of the neighbours of a cell."""

from __future__ import annotations

import pytest

from i2s_sdk.tasks.olmocrbench.page_test import PageTest
from i2s_sdk.tasks.olmocrbench.tables import MAX_PLACES, html_tables, page_grids, table_result

_PIPES = """
| City  | Year | People |
|:------|-----:|--------|
| Bern  | 2020 | 134 000 |
| Chur  | 2019 | 37 000 |
"""

_HTML = """<table><thead><tr><th rowspan="2">Method</th><th colspan="2">Set A</th></tr>
<tr><th>P</th><th>R</th></tr></thead>
<tbody><tr><td>m<sub>0</sub></td><td>0.1</td><td>0.2</td></tr>
<tr><td rowspan=2>both</td><td>0.3</td><td>0.4</td></tr><tr><td colspan="2">none</td></tr></tbody></table>"""


def _passes(page: str, cell: str, most: int = 0, **others: object) -> bool | None:
    fields = {"id": "t", "type": "table", "category": "tables", "cell": cell, "max_diffs": most, **others}
    pipes = not others.get("ignore_markdown_tables")
    return table_result(PageTest(fields), page_grids(page, pipe_tables=pipes)).passed


@pytest.mark.parametrize(
    "others",
    [
        {"up": "Year", "down": "2019", "left": "Bern", "right": "134 000"},
        {"top_heading": "Year", "left_heading": "Bern"},
    ],
)
def test_cells_of_pipe_tables_have_neighbours_and_heads(others: dict[str, str]) -> None:
    assert _passes(_PIPES, "2020", **others)
    for name, text in others.items():
        assert not _passes(_PIPES, "2020", **{**others, name: f"no {text}"})


def test_a_head_is_not_its_own_head() -> None:
    assert not _passes(_PIPES, "Year", top_heading="Year")
    assert not _passes(_PIPES, "Year", up="Year")


def test_pipe_tables_can_be_left_out() -> None:
    assert not _passes(_PIPES, "2020", ignore_markdown_tables=True)
    assert _passes(_HTML, "0.1", ignore_markdown_tables=True)


def test_cells_that_span_have_several_neighbours() -> None:
    assert _passes(_HTML, "Set A", down="P")
    assert _passes(_HTML, "Set A", down="R")
    assert _passes(_HTML, "Method", right="Set A")
    assert _passes(_HTML, "Method", right="P")
    assert _passes(_HTML, "both", right="0.3")
    assert _passes(_HTML, "both", right="none")
    assert _passes(_HTML, "none", up="0.4", left="both")
    assert not _passes(_HTML, "Set A", down="0.1")


def test_heads_are_all_cells_of_the_head_above() -> None:
    for head in ("P", "Set A"):
        assert _passes(_HTML, "0.3", top_heading=head)
    assert not _passes(_HTML, "0.3", top_heading="Method")
    assert _passes(_HTML, "0.4", left_heading="both")  # no head is there: the outermost cell


def test_pieces_of_a_cell_are_words() -> None:
    assert _passes(_HTML, "m 0")
    assert not _passes(_HTML, "m0")
    assert _passes(_HTML, "m0", 1)


def test_texts_are_equal_up_to_the_permitted_edits() -> None:
    assert not _passes(_PIPES, "Bernn")
    assert _passes(_PIPES, "Bernn", 1)
    assert not _passes(_PIPES, "zzzz", 9)  # half of the text at least has to be there


def test_why_a_test_fails() -> None:
    def why(page: str, **fields: object) -> str:
        test = PageTest({"id": "t", "type": "table", "category": "tables", **fields})
        return table_result(test, page_grids(page)).why

    assert why("text", cell="a") == "there is no table"
    assert why(_PIPES, cell="Rome") == "no table has a cell 'Rome'"
    assert "a cell 'Bern' is there, but not with up 'Rome'" in why(_PIPES, cell="Bern", up="Rome")


def test_tables_within_text_and_tables_that_are_not_closed() -> None:
    page = f"a < b\n\n{_HTML}\n\nand 3 > 2 <table><tr><td>x</td></tr></table> <TABLE ><tr><td>y"
    assert len(list(html_tables(page))) == 3
    assert all(_passes(page, one) for one in ("0.4", "x", "y"))
    nested = "<table><tr><td>o<table><tr><td>i</td></tr></table></td></tr></table>"
    assert list(html_tables(nested)) == [nested]
    assert _passes(nested, "i")


def test_spans_of_all_kinds_end_in_a_grid_or_in_none() -> None:
    for span in ("0", "-1", "two", "", "1000000000", "9" * 5000):
        first = f"<td colspan='{span}' rowspan='{span}'>a</td>"
        page = f"<table><tr>{first}<td>b</td></tr><tr><td>c</td></tr></table>"
        assert _passes(page, "a", right="b"), span
    rows = "<tr>" + "<td colspan=1000>a</td>" * (MAX_PLACES // 1000 + 1) + "</tr>"
    assert page_grids(f"<table>{rows}</table>") == ()
    assert page_grids("<table><tr><td colspan=1000>a</td></tr>" + "<tr></tr>" * MAX_PLACES + "</table>") == ()
    assert page_grids("<table>" * 10_000 + "<tr><td>a") is not None


def test_heads_of_many_cells_are_found_together() -> None:
    page = "| head | other |\n|---|---|\n" + "| a | a |\n" * 6_000
    assert not _passes(page, "a", top_heading="no head", left_heading="no head")
    assert _passes(page, "a", top_heading="other", left_heading="a")
