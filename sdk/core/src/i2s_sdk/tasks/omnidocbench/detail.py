"""The detail of the values of a page, for reports: what belongs together, where it stands, and tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from i2s_sdk.tasks.omnidocbench.annotation import BlockKind, page_attributes, true_blocks
from i2s_sdk.tasks.omnidocbench.page import MatchedPage

#: The longest detail as JSON, in bytes; that of any scorer may be DETAIL_BYTES.
MAX_BYTES = 48 << 10
_CELL = 60  # characters of a cell that are shown
_DIGITS = 4

#: Value of a pair, by its place in ``MatchedPage.pairs``, and of a table by its place.
PairValues = Mapping[int, Sequence[tuple[str, float]]]


@dataclass(frozen=True, slots=True)
class _Size:
    """How much is shown: rows, characters of a text, tables, and cells of a side of a table."""

    rows: int
    text: int
    tables: int
    cells: int


#: The first of these with which the detail is short enough is taken.
_SIZES = (
    _Size(400, 1500, 12, 300), _Size(300, 600, 8, 200), _Size(200, 300, 6, 120), _Size(100, 200, 3, 60),
    _Size(40, 120, 1, 30), _Size(10, 60, 0, 0),
)  # fmt: skip


def detail_of(
    annotation: Mapping[str, Any], page: MatchedPage, values: PairValues, tables: PairValues
) -> dict[str, Any]:
    """Return the detail of a page, of at most MAX_BYTES as JSON.

    It has

    - ``page``: the attributes of the page;
    - ``rows``: kind, numbers of true blocks, true text, predicted text, and pairs of the name of a value and
      the value; None for a text that there is not;
    - ``tables``: number of the true table, values, and rows of cells of both sides;
    - ``boxes``: number of a true block, its state ("equal", "changed", "missing" or "ignored") and its box;
    - ``rows_left``, ``tables_left``: how many of these are left out.

    Numbers count the true blocks in the order of reading from 1.

    Args:
        annotation: The annotation.
        page: The page.
        values: Values of the pairs.
        tables: Values of the tables.
    """
    blocks = true_blocks(annotation)
    numbers = {
        _identity(true_block.category, true_block.order, true_block.boxes): at
        for at, true_block in enumerate(blocks, start=1)
    }

    def number_of(block: Any) -> int:  # noqa: ANN401 - rows of an array have the box of their formula
        return numbers.get(_identity(block.category, block.order, block.boxes)) or next(
            (at for at, true_block in enumerate(blocks, start=1) if true_block.boxes == block.boxes), 0
        )

    rows: list[_Row] = []
    states: dict[int, str] = {}
    for at, pair in enumerate(page.pairs):
        of_pair = sorted({number_of(true_block) for true_block in pair.gold})
        same = pair.gold_form == pair.predicted_form
        states |= dict.fromkeys(of_pair, "equal" if same else "changed" if pair.predicted else "missing")
        texts = _joined(pair.gold), _joined(pair.predicted)
        rows.append((str(pair.kind), of_pair, *texts, values.get(at, ())))
    rows.sort(key=lambda row: row[1])
    rows += [("extra", [], None, predicted_block.content, ()) for predicted_block in page.extra]
    for at, table in enumerate(page.tables):
        perfect = all(value == 1 for _, value in tables.get(at, ()))
        states[number_of(table.gold)] = "equal" if perfect else "changed" if table.html else "missing"
    boxes = [
        [at, states.get(at, "ignored" if true_block.kind is BlockKind.IGNORED else "missing"), _rounded(box)]
        for at, true_block in enumerate(blocks, start=1)
        for box in true_block.boxes
    ]
    for size in _SIZES:
        detail = {
            "page": dict(page_attributes(annotation)),
            "rows": [_row(row, size.text) for row in rows[: size.rows]],
            "rows_left": max(0, len(rows) - size.rows),
            "tables": [
                [
                    number_of(table_pairing.gold),
                    _named(tables.get(at, ())),
                    table_rows(table_pairing.gold.content, size.cells),
                    table_rows(table_pairing.html, size.cells) if table_pairing.html else None,
                ]
                for at, table_pairing in enumerate(page.tables[: size.tables])
            ],
            "tables_left": max(0, len(page.tables) - size.tables),
            "boxes": boxes[:500],
        }
        if len(json.dumps(detail)) <= MAX_BYTES:
            break
    return detail


def _identity(*parts: object) -> str:
    return repr(parts)


def _joined(blocks: Sequence[Any]) -> str | None:
    return "\n".join(block.content for block in blocks) if blocks else None


def _rounded(box: Sequence[float]) -> list[float]:
    return [round(side, _DIGITS) for side in box]


def _named(values: Sequence[tuple[str, float]]) -> list[list[Any]]:
    return [[name, round(value, _DIGITS)] for name, value in values]


#: Kind, numbers of true blocks, both texts, and values.
_Row = tuple[str, list[int], str | None, str | None, Sequence[tuple[str, float]]]


def _row(row: _Row, most: int) -> list[Any]:
    kind, numbers, gold, predicted, values = row
    return [kind, numbers[:20], _short(gold, most), _short(predicted, most), _named(values)]


def _short(text: str | None, most: int) -> str | None:
    return text if text is None or len(text) <= most else f"{text[:most]}…"


def table_rows(html: str, most: int) -> list[list[list[Any]]] | None:
    """Return the rows of a table: text, colspan, rowspan and whether it is a head, of each cell.

    Args:
        html: HTML that holds the table.
        most: The largest number of cells; further rows are left out.

    Returns:
        The rows; None if there is no table.
    """
    # lxml takes time to import, and few commands need it.
    from lxml import etree
    from lxml import html as parser

    try:
        page = parser.fromstring(f"<div>{html}</div>".encode("utf-8", "replace"), parser=_parser())
        table = next(page.iter("table"), None)
    except (etree.LxmlError, ValueError):
        return None
    return None if table is None else list(_rows(table, most))


def _parser() -> Any:  # noqa: ANN401 - lxml's parser
    from lxml import html

    return html.HTMLParser(remove_comments=True, remove_pis=True, encoding="utf-8")


def _rows(table: Any, most: int) -> Iterator[list[list[Any]]]:  # noqa: ANN401 - an element of lxml
    left = most
    for row in table.iter("tr"):
        cells = [cell for cell in row if cell.tag in ("td", "th")][:left]
        left -= len(cells)
        if cells:
            yield [
                [
                    _cell(cell),
                    *(_span(cell, attribute) for attribute in ("colspan", "rowspan")),
                    int(cell.tag == "th"),
                ]
                for cell in cells
            ]


def _cell(cell: Any) -> str:  # noqa: ANN401
    text = " ".join("".join(cell.itertext()).split())
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"


def _span(cell: Any, name: str) -> int:  # noqa: ANN401
    said = (cell.get(name) or "").strip()[:3]
    return max(1, min(99, int(said))) if said.isascii() and said.isdigit() else 1
