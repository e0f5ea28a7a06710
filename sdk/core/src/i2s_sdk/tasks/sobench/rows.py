"""The gold fields of a sample and what was predicted for each, as rows that a report shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from i2s_sdk.tasks.sobench.field_match import ABSENT, Node

#: The longest text of a value, in characters.
_TEXT = 200
#: Bytes of all rows as JSON, less than the detail of a sample may have.
_BYTES = 60_000

#: Depth, name, gold value, predicted value, and "matched", "missed", "extra" or "ignored".
Row = tuple[int, str, str, str, str]


def rows_of(root: Node) -> dict[str, Any]:
    """Return the rows of a field and all below it as JSON, in the order of the gold value.

    Returns:
        ``rows``, as many as fit, and ``left_out``, how many did not.
    """
    rows: list[Row] = []
    used = 0
    for row in _rows(root, 0):
        used += len(json.dumps(row)) + 2
        if used > _BYTES:
            break
        rows.append(row)
    count = sum(1 + _extra_count(node) for node in root.walk())
    return {"rows": rows, "left_out": count - len(rows)}


def _rows(node: Node, depth: int) -> Iterator[Row]:
    mark = "ignored" if node.ignored else "matched" if node.matched else "missed"
    inner = bool(node.children)
    yield depth, _text(node.name), _shown(node.gold, inner), _shown(node.answer, inner), mark
    for child in node.children:
        yield from _rows(child, depth + 1)
    for name, value in _extra(node):
        yield depth + 1, _text(name), "", _shown(value, inner=False), "extra"


def _extra(node: Node) -> Iterator[tuple[str, Any]]:
    """Yield what the predicted object or list has beyond the gold one."""
    if node.ignored:
        return
    if isinstance(node.gold, dict) and isinstance(node.answer, dict):
        yield from ((name, value) for name, value in node.answer.items() if name not in node.gold)
    if isinstance(node.gold, list) and isinstance(node.answer, list):
        for index in range(len(node.gold), len(node.answer)):
            yield str(index), node.answer[index]


def _extra_count(node: Node) -> int:
    """Return how many fields or elements ``_extra`` yields."""
    if node.ignored:
        return 0
    if isinstance(node.gold, list) and isinstance(node.answer, list):
        return max(0, len(node.answer) - len(node.gold))
    return sum(1 for _ in _extra(node))


def _shown(value: Any, inner: bool) -> str:  # noqa: ANN401 - a JSON value
    """Return the text of a value; of one whose fields have rows of their own, what it is."""
    if value is ABSENT:
        return ""
    if isinstance(value, str):
        return _text(value)
    if inner and isinstance(value, dict | list):
        kind = "fields" if isinstance(value, dict) else "elements"
        return f"{len(value)} {kind if len(value) != 1 else kind[:-1]}"
    return _text(json.dumps(value, ensure_ascii=False))


def _text(value: str) -> str:
    """Return a text that is short enough and can be encoded."""
    text = value[:_TEXT].encode("utf-8", "replace").decode()
    return text + "…" if len(value) > _TEXT else text
