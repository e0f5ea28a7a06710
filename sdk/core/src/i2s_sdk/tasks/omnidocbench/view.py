"""The view of a page in a report: blocks on its image, blocks side by side, and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from i2s_sdk.tasks.omnidocbench.scorer import NAME
from i2s_sdk.tasks.view import (
    DiffPanel,
    DiffRow,
    ImageMark,
    ImageMarkKind,
    MarkedImage,
    Panel,
    RowMark,
    ShownSample,
    TableCell,
    TablePair,
    TablesPanel,
    TextPanel,
    TextRun,
    TextTable,
)
from i2s_sdk.text.word_diff import word_diff

_STATES = {
    "equal": ImageMarkKind.GOLD,
    "changed": ImageMarkKind.SUBJECT,
    "missing": ImageMarkKind.ANSWER,
    "ignored": ImageMarkKind.CANDIDATE,
}
_LEGEND = "Page: equal (green), changed (violet), missing (red), optional (blue)"


def attributes(details: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the attributes of a page, such as its language and layout."""
    page: Mapping[str, str] = details.get(NAME, {}).get("page", {})
    return page


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return the page with its blocks, what belongs together, and tables."""
    detail: Mapping[str, Any] = shown.detail.get(NAME, {})
    if not detail:
        return ()
    panels: tuple[Panel, ...] = ()
    if detail["boxes"]:
        panels += (MarkedImage(_LEGEND, tuple(_mark(*box) for box in detail["boxes"])),)
    if detail["rows"]:
        left = detail["rows_left"]
        note = f"{left} more rows are not shown." if left else ""
        panels += (DiffPanel("Texts and formulas", tuple(map(_row, detail["rows"])), note),)
    if detail["tables"]:
        left = detail["tables_left"]
        note = f"{left} more tables are not shown." if left else ""
        panels += (TablesPanel("Tables", tuple(map(_table, detail["tables"])), note),)
    if detail["page"]:
        words = "\n".join(f"{name}: {value}" for name, value in detail["page"].items())
        panels += (TextPanel("Attributes of the page", words),)
    return panels


def _mark(number: int, state: str, box: Sequence[float]) -> ImageMark:
    left, top, right, bottom = box
    return ImageMark(_STATES[state], (left, top, right, bottom), str(number))


def _row(row: Sequence[Any]) -> DiffRow:
    kind, numbers, gold, predicted, values = row
    head = f"{', '.join(map(str, numbers))} {kind}".strip()
    label = "\n".join((head, *(f"{name} {value:.3f}" for name, value in values)))
    if gold is None:
        return DiffRow(RowMark.EXTRA, (), (TextRun(predicted, differs=True),), label)
    if predicted is None:
        return DiffRow(RowMark.MISSED, (TextRun(gold, differs=True),), (), label)
    if gold == predicted or (values and all(value == 1 for _, value in values)):
        return DiffRow(RowMark.MATCHED, (TextRun(gold),), (TextRun(predicted),), label)
    sides = word_diff(gold, predicted)
    first, second = (tuple(TextRun(*piece) for piece in side) for side in sides)
    return DiffRow(RowMark.CHANGED, first, second, label)


def _table(one: Sequence[Any]) -> TablePair:
    number, values, gold, predicted = one
    said = ", ".join(f"{name} {value:.3f}" for name, value in values)
    missing = "" if predicted is not None else ", no table of the prediction"
    return TablePair(f"Table {number}: {said}{missing}", _cells(gold), _cells(predicted))


def _cells(rows: Sequence[Sequence[Sequence[Any]]] | None) -> TextTable | None:
    if rows is None:
        return None
    return tuple(
        tuple(TableCell(text, bool(heading), columns, spanned) for text, columns, spanned, heading in row)
        for row in rows
    )
