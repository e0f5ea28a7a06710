"""Field matching written a second time, by other means, as the oracle of property tests.

``released`` is one recursion with running totals, in the order in which the released code counts. ``paper``
has no recursion over pairs of values: it lists the paths of the gold value and looks each one up.
"""

from __future__ import annotations

import string
from typing import Any

_NOTHING = object()
_DROPPED = set(",./_*^!?:;()[]{}\"'\\-")


def _edit_distance(a: list[str], b: list[str]) -> int:
    rows = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            rows[i][j] = min(change, rows[i - 1][j] + 1, rows[i][j - 1] + 1)
    return rows[-1][-1]


def _leaf(pred: Any, gold: Any, label: Any) -> bool:
    if pred is None or gold is None:
        return pred is None and gold is None
    if isinstance(pred, str) and isinstance(gold, str):
        if label == "fuzzy":
            a, b = pred.split(), gold.split()
            return 5 * _edit_distance(a, b) < max(len(a), len(b)) or a == b
        plain = [
            "".join(one for one in text if not one.isspace() and one not in _DROPPED).lower()
            for text in (pred, gold)
        ]
        return plain[0] == plain[1]
    if isinstance(pred, int | float) and isinstance(gold, int | float):
        if label == "fuzzy" and pred != gold:
            return abs(pred - gold) / max(abs(pred), abs(gold)) < 0.05
        return pred == gold
    return False


def _compared(label: Any) -> bool:
    """Return whether a label has any leaf that is not "ignore"."""
    waiting = [label]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        elif one != "ignore":
            return True
    return False


class _Totals:
    def __init__(self) -> None:
        self.total = 0
        self.by_kind = {"list": 0, "dict": 0, "num": 0, "str": 0, "null": 0}

    def visit(self, pred: Any, gold: Any, label: Any) -> tuple[bool, bool]:
        """Return whether a value matches, and whether anything of it was compared."""
        if label == "ignore":
            return True, False
        self.total += 1
        if pred is None or gold is None or type(pred) not in (list, dict) or type(pred) is not type(gold):
            if _leaf(pred, gold, label):
                kind = "null" if gold is None else "str" if isinstance(gold, str) else "num"
                self.by_kind[kind] += 1
                return True, True
            return False, True
        return (
            self.visit_list(pred, gold, label)
            if isinstance(gold, list)
            else self.visit_object(pred, gold, label)
        )

    def visit_list(self, pred: list, gold: list, label: Any) -> tuple[bool, bool]:
        if not _compared(label):
            self.total -= 1
            return False, False
        if len(pred) != len(gold):
            return False, True
        labels = label if isinstance(label, list) and len(label) == len(gold) else [label] * len(gold)
        found = [self.visit(*one) for one in zip(pred, gold, labels, strict=True)]
        right, seen = all(one for one, _ in found), any(one for _, one in found)
        if not seen:
            self.total -= 1
            return False, False
        self.by_kind["list"] += right
        return right, True

    def visit_object(self, pred: dict, gold: dict, label: Any) -> tuple[bool, bool]:
        wanted, right = 0, 0
        for name, value in gold.items():
            own = label.get(name, "exact") if isinstance(label, dict) else label
            if not _compared(own):
                continue
            wanted += 1
            if name in pred and self.visit(pred[name], value, own)[0]:
                right += 1
        if not wanted:
            self.total -= 1
            return False, False
        self.by_kind["dict"] += right == wanted
        return right > 0, True


def released(pred: Any, gold: Any, label: Any) -> dict[str, int]:
    """Return the counts of the released code, matches by kind and in all."""
    totals = _Totals()
    totals.visit(pred, gold, label)
    return {"total": totals.total, **totals.by_kind, "match": sum(totals.by_kind.values())}


def _paths(value: Any) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = []
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while waiting:
        path, one = waiting.pop()
        found.append(path)
        inner = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        waiting.extend(((*path, name), own) for name, own in inner)
    return found


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        inner = dict(enumerate(value)) if isinstance(value, list) else value
        if not isinstance(inner, dict) or step not in inner:
            return _NOTHING
        value = inner[step]
    return value


def _label_at(label: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        if isinstance(label, dict):
            label = label.get(step, "exact")
        elif isinstance(label, list):
            label = label[step]
        elif label == "ignore":
            break
    return label


def _alike(pred: Any, gold: Any) -> bool:
    """Return whether two values are containers whose inner values are compared."""
    if isinstance(gold, dict):
        return isinstance(pred, dict)
    return isinstance(pred, list) and len(pred) == len(gold)


def paper(pred: Any, gold: Any, label: Any) -> dict[str, int]:
    """Return the counts by the paper: of all gold fields, an inner one matching if all below it do."""
    atoms = [
        path
        for path in _paths(gold)
        if _at(gold, path) in ([], {}) or not isinstance(_at(gold, path), dict | list)
        if _compared(_label_at(label, path))
    ]
    paths = [path for path in _paths(gold) if any(atom[: len(path)] == path for atom in atoms)]
    reached = {
        path: all(_alike(_at(pred, path[:n]), _at(gold, path[:n])) for n in range(len(path)))
        for path in paths
    }

    def right_alone(path: tuple[str | int, ...]) -> bool:
        here, own = _at(pred, path), _at(gold, path)
        if not reached[path] or here is _NOTHING:
            return False
        return _alike(here, own) if isinstance(own, dict | list) else _leaf(here, own, _label_at(label, path))

    matches = sum(all(right_alone(one) for one in paths if one[: len(path)] == path) for path in paths)
    return {"total": len(paths), "match": matches}


#: Characters of texts that normalisation treats in different ways.
LETTERS = string.ascii_letters[:4] + "AB -_.é "
