"""What a report shows of a sample of SO-Bench: its fields as a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from i2s_sdk.tasks.sobench.scorer import NAME
from i2s_sdk.tasks.view import Panel, RowMark, Shown, TreePanel, TreeRow


def view(shown: Shown) -> tuple[Panel, ...]:
    """Return the tree of the gold fields with what was predicted for each, then what else was predicted.

    A field of which nothing is compared is marked "ignored". A sample that is not usable has no predicted
    values.
    """
    detail: Mapping[str, Any] = shown.detail.get(NAME, {})
    rows = tuple(
        TreeRow(depth, name, gold, answer, RowMark(mark))
        for depth, name, gold, answer, mark in detail.get("rows", ())
    )
    left_out = detail.get("left_out", 0)
    if left_out:
        rows += (TreeRow(0, f"… and {left_out} more"),)
    return (TreePanel("Fields", rows),) if rows else ()
