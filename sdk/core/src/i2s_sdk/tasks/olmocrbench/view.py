"""The view of a sample of olmOCR-bench in a report: each test, whether it passed, and why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from i2s_sdk.tasks.olmocrbench.scorer import NAME
from i2s_sdk.tasks.view import DiffPanel, DiffRow, Panel, RowMark, ShownSample, TextRun


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return the tests of the page, failed ones first."""
    detail: Mapping[str, Any] = shown.detail.get(NAME, {})
    rows: Sequence[Sequence[Any]] = detail.get("tests", ())
    if not rows:
        return ()
    count = sum(row[2] is True for row in rows)
    left = f" {detail['left']} more tests are not shown." if detail.get("left") else ""
    note = f"{count} of these {len(rows)} tests passed.{left}"
    return (DiffPanel("Tests", tuple(map(_row, rows)), note),)


def _row(row: Sequence[Any]) -> DiffRow:
    identity, kind, passed, wanted, why = row
    mark = {True: RowMark.MATCHED, False: RowMark.MISSED, None: RowMark.IGNORED}[passed]
    said = {True: "passed", False: "failed", None: "not judged"}[passed]
    return DiffRow(
        mark,
        (TextRun(wanted),),
        (TextRun(why or said),),
        f"{kind}\n{said}\n{identity}",
    )
