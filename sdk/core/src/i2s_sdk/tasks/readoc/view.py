"""The view of a sample of READOC in a report: blocks and headings with their differences, and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from i2s_sdk.tasks.readoc.scorer import NAME
from i2s_sdk.tasks.view import (
    DiffPanel,
    DiffRow,
    Panel,
    RowMark,
    ShownSample,
    TableCell,
    TablePair,
    TablesPanel,
    TextRun,
    TextTable,
)
from i2s_sdk.text.word_diff import word_diff

#: The longest text of a block that is compared, in characters. The scorer keeps no longer ones.
MAX_TEXT = 4000
_KINDS = {
    "blocks": "blocks",
    "headings": "headings",
    "inline": "formulas in text",
    "display": "displayed formulas",
    "tables": "tables",
}


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return the documents block by block, their headings, and their tables."""
    detail: Mapping[str, Any] = shown.detail.get(NAME, {})
    if not detail:
        return ()
    panels: tuple[Panel, ...] = ()
    if detail["blocks"]:
        panels += (DiffPanel("Blocks", tuple(map(_block, detail["blocks"])), _blocks_note(detail)),)
    headings = tuple(_headings(detail["headings"]["gold"], detail["headings"]["predicted"]))
    if headings:
        panels += (DiffPanel("Headings", headings, _headings_note(detail)),)
    tables = tuple(_table_pair(table) for table in detail["tables"] if table[3] or table[4])
    if tables:
        left = detail["tables_left"]
        note = f"{left} more tables are not shown." if left else ""
        panels += (TablesPanel("Tables", tables, note),)
    return panels


def _block(row: Sequence[Any] | int) -> DiffRow:
    if isinstance(row, int):
        return DiffRow(RowMark.NONE, label=f"{row} equal blocks")
    gold, predicted, distance, gold_text, predicted_text = row
    if predicted is None:
        return DiffRow(RowMark.MISSED, _whole(gold_text), (), f"{gold + 1} → –")
    if gold is None:
        return DiffRow(RowMark.EXTRA, (), _whole(predicted_text), f"– → {predicted + 1}")
    label = f"{gold + 1} → {predicted + 1}"
    if predicted_text is None:
        return DiffRow(RowMark.MATCHED, _equal(gold_text), _equal(gold_text), label)
    return DiffRow(
        RowMark.CHANGED, *_compared(gold_text, predicted_text), f"{label}\ndistance {distance:.2f}"
    )


def _whole(text: str) -> tuple[TextRun, ...]:
    return (TextRun(text, differs=True),)


def _equal(text: str) -> tuple[TextRun, ...]:
    return (TextRun(text),)


def _compared(gold: str, predicted: str) -> tuple[tuple[TextRun, ...], tuple[TextRun, ...]]:
    sides = word_diff(gold[:MAX_TEXT], predicted[:MAX_TEXT])
    first, second = (tuple(TextRun(*piece) for piece in side) for side in sides)
    return first, second


def _blocks_note(detail: Mapping[str, Any]) -> str:
    counts = detail["counts"]
    numbers = ", ".join(
        f"{title} {counts['gold'][name]} and {counts['predicted'][name]}" for name, title in _KINDS.items()
    )
    left = f" {detail['blocks_left']} more rows are not shown." if detail["blocks_left"] else ""
    return f"In target and prediction: {numbers}.{left} Long blocks are cut."


def _headings(gold: Sequence[Sequence[Any]], predicted: Sequence[Sequence[Any]]) -> Iterator[DiffRow]:
    """Yield the headings of both sides; those next to each other are a shortest edit script by titles."""
    from rapidfuzz.distance import Levenshtein

    titles = [title for _, title in gold], [title for _, title in predicted]
    for change in Levenshtein.opcodes(*titles):
        left = gold[change.src_start : change.src_end]
        right = predicted[change.dest_start : change.dest_end]
        for at in range(max(len(left), len(right))):
            yield _heading(left[at] if at < len(left) else None, right[at] if at < len(right) else None)


def _heading(gold: Sequence[Any] | None, predicted: Sequence[Any] | None) -> DiffRow:
    if predicted is None:
        level, title = gold or (1, "")
        return DiffRow(RowMark.MISSED, _hashes(level, title, differs=True), gold_depth=level - 1)
    if gold is None:
        level, title = predicted
        return DiffRow(RowMark.EXTRA, (), _hashes(level, title, differs=True), answer_depth=level - 1)
    (gold_level, gold_title), (level, title) = gold, predicted
    moved = gold_level != level
    sides = [
        (TextRun("#" * depth, differs=moved), TextRun(" "), *runs)
        for depth, runs in zip((gold_level, level), _compared(gold_title, title), strict=True)
    ]
    mark = RowMark.CHANGED if moved or gold_title != title else RowMark.MATCHED
    return DiffRow(mark, sides[0], sides[1], gold_depth=gold_level - 1, answer_depth=level - 1)


def _hashes(level: int, title: str, *, differs: bool) -> tuple[TextRun, ...]:
    return (TextRun(f"{'#' * level} {title}", differs=differs),)


def _headings_note(detail: Mapping[str, Any]) -> str:
    numbers = [
        detail["counts"][side]["headings"] - len(detail["headings"][side]) for side in ("gold", "predicted")
    ]
    if not any(numbers):
        return ""
    return f"{numbers[0]} more of the target and {numbers[1]} more of the prediction are not shown."


def _table_pair(pair: Sequence[Any]) -> TablePair:
    gold, predicted, similarity, gold_rows, predicted_rows = pair
    if predicted is None:
        title = f"Table {gold + 1}: no table of the prediction"
    elif gold is None:
        title = f"Table {predicted + 1} of the prediction: no table of the target"
    else:
        title = f"Table {gold + 1} and table {predicted + 1} of the prediction: similarity {similarity:.3f}"
    return TablePair(title, _table(gold_rows), _table(predicted_rows))


def _table(rows: Sequence[Sequence[Sequence[Any]]] | None) -> TextTable | None:
    if rows is None:
        return None
    return tuple(
        tuple(TableCell(text, bool(heading), columns, spanned) for text, columns, spanned, heading in row)
        for row in rows
    )
