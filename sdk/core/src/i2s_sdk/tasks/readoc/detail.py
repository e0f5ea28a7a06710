"""The detail of the values of a document, for reports.

Only the scorer has both documents in standard form, cut into blocks, and their tables as HTML. So it keeps
what a report shows of them, shortened, and the report needs neither the data set nor pandoc.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Prefix

from i2s_sdk.tasks.readoc.markdown import DocumentSegments
from i2s_sdk.tasks.readoc.order import BlockMatch
from i2s_sdk.tasks.readoc.tables import table_cells
from i2s_sdk.tasks.readoc.trees import level_and_title

#: The longest detail as JSON, in bytes; that of any scorer may be DETAIL_BYTES.
MAX_BYTES = 48 << 10
#: The longest title of a heading and text of a cell that is shown, in characters.
_TITLE, _CELL = 80, 80
#: How many equal blocks next to each other are shown; of more there are the first and the last.
_EQUAL_BLOCKS = 3
#: Characters before the first difference that are shown of a block that is cut.
_CONTEXT = 60
#: Characters of a block in which the first difference is searched.
_SEARCHED = 20_000


@dataclass(frozen=True, slots=True)
class _Size:
    """How much is shown: numbers of things, characters of a block, tables and cells of a side of a table."""

    things: int
    text: int
    tables: int
    cells: int


#: The first of these with which the detail is short enough is taken.
_SIZES = (
    _Size(400, 2000, 20, 400), _Size(400, 1000, 10, 300), _Size(300, 600, 10, 200), _Size(200, 400, 6, 120),
    _Size(120, 300, 4, 80), _Size(60, 250, 3, 60), _Size(30, 200, 2, 40), _Size(10, 80, 1, 20),
    _Size(4, 40, 0, 0),
)  # fmt: skip


def detail_of(
    predicted: DocumentSegments,
    gold: DocumentSegments,
    blocks: Sequence[BlockMatch],
    tables: Sequence[tuple[int, int, float]],
    html_of: Callable[[str], str | None] = lambda table: None,
) -> dict[str, Any]:
    """Return the detail of a sample, of at most MAX_BYTES as JSON.

    It has

    - ``counts``: numbers of headings, formulas, tables and blocks of both sides;
    - ``headings``: level and title of the first ones, of both sides;
    - ``blocks``: in the order of the gold document, and each predicted block that matches none behind the
      block that it follows in the prediction. Each is a list of gold index, predicted index, distance, gold
      text and predicted text, with None for what there is not, and for a predicted text that is equal; or
      the number of equal blocks that are left out;
    - ``blocks_left``: the number of entries of ``blocks`` that are left out at the end;
    - ``tables``: gold index, predicted index, similarity, and the rows of both tables as ``table_cells``
      has them, None for what there is not;
    - ``tables_left``: the number of these that are left out.

    Args:
        predicted: The prediction.
        gold: The gold document.
        blocks: Which blocks match.
        tables: Gold index, predicted index and similarity of the tables that match.
        html_of: Returns the HTML of a table; None if it was not converted.
    """
    rows = _rows(predicted, gold, blocks)
    pairs = _pairs(len(gold.tables), len(predicted.tables), tables)
    for size in _SIZES:
        detail = {
            "counts": {"gold": _counts(gold), "predicted": _counts(predicted)},
            "headings": {
                "gold": _headings(gold, size.things),
                "predicted": _headings(predicted, size.things),
            },
            "blocks": [_texts(row, predicted, gold, size.text) for row in rows[: size.things]],
            "blocks_left": max(0, len(rows) - size.things),
            "tables": [_cells(pair, predicted, gold, html_of, size.cells) for pair in pairs[: size.tables]],
            "tables_left": max(0, len(pairs) - size.tables),
        }
        if len(json.dumps(detail)) <= MAX_BYTES:
            break
    return detail


def _counts(of: DocumentSegments) -> dict[str, int]:
    return {name: len(getattr(of, name)) for name in ("headings", "inline", "display", "tables", "blocks")}


def _headings(of: DocumentSegments, shown: int) -> list[list[Any]]:
    pairs = (level_and_title(heading) for heading in of.headings[:shown])
    return [[level, _short(title, _TITLE)] for level, title in pairs]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


#: Gold index, predicted index and distance of a block; or the number of equal blocks that are left out.
_Row = tuple[int | None, int | None, float | None] | int


def _rows(predicted: DocumentSegments, gold: DocumentSegments, blocks: Sequence[BlockMatch]) -> list[_Row]:
    """Return what is shown of the blocks, in the order shown."""
    matches = {match.gold: match for match in blocks}
    used = {match.predicted for match in blocks}

    def extra_from(start: int) -> list[_Row]:
        stop = start
        while stop < len(predicted.blocks) and stop not in used:
            stop += 1
        return [(None, at, None) for at in range(start, stop)]

    rows: list[_Row] = extra_from(0)
    equal: list[_Row] = []
    for at in range(len(gold.blocks)):
        match = matches.get(at)
        row: _Row = (at, None, None) if match is None else (at, match.predicted, round(match.distance, 4))
        follows = [] if match is None else extra_from(match.predicted + 1)
        if match is not None and match.distance == 0:
            equal.append(row)
            if not follows:
                continue
        else:
            rows += [*_folded(equal), row]
            equal = []
        if follows:
            rows += [*_folded(equal), *follows]
            equal = []
    return [*rows, *_folded(equal)]


def _folded(rows: list[_Row]) -> list[_Row]:
    return rows if len(rows) <= _EQUAL_BLOCKS else [rows[0], len(rows) - 2, rows[-1]]


def _texts(row: _Row, predicted: DocumentSegments, gold: DocumentSegments, most: int) -> list[Any] | int:
    """Return a row with its texts; long ones are cut at both ends, around the first difference."""
    if isinstance(row, int):
        return row
    of_gold, of_predicted, distance = row
    texts = [
        None if of_gold is None else gold.blocks[of_gold],
        None if of_predicted is None else predicted.blocks[of_predicted],
    ]
    if distance == 0:
        return [*row, _short(texts[0] or "", min(most, 4 * _TITLE)), None]
    present = [text for text in texts if text is not None]
    start = 0
    if len(present) == 2 and max(map(len, present)) > most:
        start = max(0, Prefix.similarity(*(text[:_SEARCHED] for text in present)) - _CONTEXT)
    return [
        *row,
        *(None if text is None else "…" * (start > 0) + _short(text[start:], most) for text in texts),
    ]


#: Gold index, predicted index and similarity of a table.
_Pair = tuple[int | None, int | None, float | None]


def _pairs(gold: int, predicted: int, matches: Sequence[tuple[int, int, float]]) -> list[_Pair]:
    """Return each gold table with the predicted one that it is matched with, then other predicted tables."""
    by_gold = {row: (column, round(value, 4)) for row, column, value in matches}
    used = {column for _, column, _ in matches}
    pairs: list[_Pair] = [(row, *by_gold.get(row, (None, None))) for row in range(gold)]
    return pairs + [(None, column, None) for column in range(predicted) if column not in used]


def _cells(
    pair: _Pair,
    predicted: DocumentSegments,
    gold: DocumentSegments,
    html_of: Callable[[str], str | None],
    most: int,
) -> list[Any]:
    places = zip((gold.tables, predicted.tables), pair[:2], strict=True)
    htmls = [None if place is None else html_of(tables[place]) for tables, place in places]
    return [*pair, *(table_cells(html, most, _CELL) if html else None for html in htmls)]
