"""The view of a web page in a report: both pages with their blocks of text, and which of them match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from i2s_sdk.tasks.view import Panel, Place, PlacedRow, PlacesPanel, RowMark, ShownSample
from i2s_sdk.tasks.webpage.detail import UNITS
from i2s_sdk.tasks.webpage.scorer import NAME


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return the pages with their blocks; nothing if blocks were not compared."""
    detail: Mapping[str, Any] = shown.detail.get(NAME, {})
    rows = tuple(_row(*entry) for entry in detail.get("blocks", ()))
    if not rows:
        return ()
    notes = []
    if left := detail["blocks_left"]:
        notes.append(f"{left} more blocks are not shown.")
    if detail["truncated"]:
        notes.append("A page has more than the bounds of the comparison; the rest was not compared.")
    return (PlacesPanel("Blocks of text", rows, " ".join(notes)),)


def _row(
    reference: str,
    page: str | None,
    reference_place: Sequence[int] | None,
    page_place: Sequence[int] | None,
    alike: Sequence[float] | None,
) -> PlacedRow:
    places = _place(reference_place), _place(page_place)
    if alike is None:
        mark = RowMark.MISSED if page_place is None else RowMark.EXTRA
        return PlacedRow(mark, reference, page or "", *places)
    text, position, color = alike
    label = f"text {text:.3f}, position {position:.3f}, colour {color:.3f}"
    mark = RowMark.MATCHED if page is None else RowMark.CHANGED
    return PlacedRow(mark, reference, page or "", *places, label)


def _place(units: Sequence[int] | None) -> Place | None:
    if units is None:
        return None
    left, top, right, bottom = units
    return left / UNITS, top / UNITS, right / UNITS, bottom / UNITS
