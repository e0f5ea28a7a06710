"""What a report shows of how the values of a document came about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from i2s_sdk.scoring.scorer import DETAIL_BYTES
from i2s_sdk.tasks.readoc.heading_tree import level_and_title
from i2s_sdk.tasks.readoc.order import BlockMatch
from i2s_sdk.tasks.readoc.segments import Segments

#: The longest title that is shown, in characters.
_TITLE = 80
#: How many things of each kind are shown: the first of these numbers with which the detail is short enough.
_SHOWN = (1000, 500, 250, 120, 60, 30, 10)


def detail_of(
    predicted: Segments,
    gold: Segments,
    blocks: Sequence[BlockMatch],
    tables: Sequence[tuple[int, int, float]],
) -> dict[str, Any]:
    """Return the detail of a sample, of at most DETAIL_BYTES as JSON.

    It has ``counts`` (numbers of headings, formulas, tables and blocks of both sides), ``headings`` (level
    and title, of both sides), ``blocks`` (gold index, predicted index or null, distance or null) and
    ``tables`` (gold index, predicted index, similarity). Lists that are too long are cut, titles shortened.
    """
    found = {match.gold: match for match in blocks}
    for shown in _SHOWN:
        detail = {
            "counts": {"gold": _counts(gold), "predicted": _counts(predicted)},
            "headings": {"gold": _headings(gold, shown), "predicted": _headings(predicted, shown)},
            "blocks": [_block(i, found.get(i)) for i in range(min(shown, len(gold.blocks)))],
            "tables": [[row, column, round(value, 4)] for row, column, value in tables[:shown]],
        }
        if len(json.dumps(detail)) <= DETAIL_BYTES:
            break
    return detail


def _counts(of: Segments) -> dict[str, int]:
    return {name: len(getattr(of, name)) for name in ("headings", "inline", "display", "tables", "blocks")}


def _headings(of: Segments, shown: int) -> list[list[Any]]:
    pairs = (level_and_title(heading) for heading in of.headings[:shown])
    return [[level, title if len(title) <= _TITLE else f"{title[:_TITLE]}…"] for level, title in pairs]


def _block(number: int, match: BlockMatch | None) -> list[Any]:
    return [number, None, None] if match is None else [number, match.predicted, round(match.distance, 4)]
