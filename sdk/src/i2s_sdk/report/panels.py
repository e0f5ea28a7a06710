"""What the view of a task shows of a sample, as the script of a report reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from i2s_sdk.runlog.record import Record
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.view import MarkedImage, Panel, Shown, TextPanel, TreePanel

#: The most marks of an image and rows of a tree that are shown.
MOST = 500


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


def _box(box: Sequence[float]) -> list[float]:
    """Return the corners within the image, in order."""
    left, top, right, bottom = (min(1.0, max(0.0, float(one))) for one in box)
    return [min(left, right), min(top, bottom), max(left, right), max(top, bottom)]
