"""What the view of a task shows of a sample, as the script of a report reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from i2s_sdk.runlog.record import Record
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.view import (
    DiffPanel,
    DiffRow,
    MarkedImage,
    Panel,
    Shown,
    TableCell,
    TablesPanel,
    TextPanel,
    TextRun,
    TextTable,
    TreePanel,
)
from i2s_sdk.visible import visible

#: The most marks of an image and rows of a tree or of a diff that are shown.
MOST = 500
#: The most tables of a side that are shown.
MOST_TABLES = 20
#: The most cells of a table that are shown, and the most rows or columns that a cell spans.
MOST_CELLS, MOST_SPANNED = 1000, 50
#: The greatest depth that is shown as such.
MOST_DEPTH = 12


def panels_of(record: Record) -> list[dict[str, Any]]:
    """Return the panels of a sample; none if its task has no view, or the record is not as the view expects.

    A record may come from another version, or from somebody else's run folder.
    """
    spec = SPECS.get(record.task)
    if spec is None or spec.view is None:
        return []
    shown = Shown(record.completion, record.structure, record.usable, record.metrics, record.detail)
    try:
        return [_plain(panel) for panel in spec.view(shown)]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return []


def _plain(panel: Panel) -> dict[str, Any]:
    match panel:
        case TextPanel():
            return {
                "kind": "text",
                "title": panel.title,
                "text": str(panel.text),
                "language": panel.language,
            }
        case MarkedImage():
            marks = [[str(one.kind), _box(one.box), str(one.label)] for one in panel.marks[:MOST]]
            return {"kind": "image", "title": panel.title, "marks": marks}
        case TreePanel():
            rows = [
                [int(one.depth), str(one.name), str(one.gold), str(one.answer), str(one.mark)]
                for one in panel.rows[:MOST]
            ]
            return {"kind": "tree", "title": panel.title, "rows": rows, "left": len(panel.rows) - len(rows)}
        case DiffPanel():
            compared = [_compared(one) for one in panel.rows[:MOST]]
            left = len(panel.rows) - len(compared)
            return {
                "kind": "diff", "title": panel.title, "rows": compared, "note": panel.note, "left": left
            }  # fmt: skip
        case TablesPanel():
            pairs = [
                [visible(str(one.title)), _table(one.gold), _table(one.answer)]
                for one in panel.pairs[:MOST_TABLES]
            ]
            left = len(panel.pairs) - len(pairs)
            return {
                "kind": "tables", "title": panel.title, "pairs": pairs, "note": panel.note, "left": left
            }  # fmt: skip


def _compared(row: DiffRow) -> list[Any]:
    """Return a row; characters that would reorder the text beside them are shown as escapes."""
    depths = [min(MOST_DEPTH, max(0, int(one))) for one in (row.gold_depth, row.answer_depth)]
    return [str(row.mark), visible(str(row.label)), *depths, _runs(row.gold), _runs(row.answer)]


def _runs(runs: Sequence[TextRun]) -> list[list[Any]]:
    return [[visible(str(one.text)), int(one.differs)] for one in runs]


def _table(table: TextTable | None) -> list[list[list[Any]]] | None:
    if table is None:
        return None
    rows, left = [], MOST_CELLS
    for row in table:
        cells = [_cell(cell) for cell in row[:left]]
        left -= len(cells)
        if cells:
            rows.append(cells)
    return rows


def _cell(cell: TableCell) -> list[Any]:
    spans = [min(MOST_SPANNED, max(1, int(one))) for one in (cell.columns, cell.rows)]
    return [visible(str(cell.text)), int(cell.heading), *spans]


def _box(box: Sequence[float]) -> list[float]:
    """Return the corners within the image, in order."""
    left, top, right, bottom = (min(1.0, max(0.0, float(one))) for one in box)
    return [min(left, right), min(top, bottom), max(left, right), max(top, bottom)]
