"""Labels of a gold answer: how each of its fields is compared.

Labels have the shape of the answer. Their leaves are the words of ``Rule``. A word in the place of an object
or a list holds for everything inside of it.
"""

from __future__ import annotations

import enum
from typing import Any


class Rule(enum.StrEnum):
    """How a field is compared.

    ``EXACT`` is equality after the normalisation of texts, ``FUZZY`` allows a small distance, and ``IGNORE``
    compares nothing.
    """

    EXACT = "exact"
    FUZZY = "fuzzy"
    IGNORE = "ignore"


def is_meaningful(label: Any) -> bool:  # noqa: ANN401 - labels are JSON
    """Return whether anything below a label is compared: whether it has a leaf other than "ignore"."""
    if isinstance(label, dict):
        return any(map(is_meaningful, label.values()))
    if isinstance(label, list):
        return any(map(is_meaningful, label))
    return bool(label != Rule.IGNORE)


def label_of_field(label: Any, name: str) -> Any:  # noqa: ANN401
    """Return the label of a field of an object; a field that the label does not have is compared exactly."""
    if isinstance(label, dict):
        return label.get(name, Rule.EXACT.value)
    return Rule.EXACT.value if isinstance(label, list) else label


def label_of_element(label: Any, index: int) -> Any:  # noqa: ANN401
    """Return the label of an element of a list; one that it does not have is compared exactly."""
    if isinstance(label, list):
        return label[index] if index < len(label) else Rule.EXACT.value
    return label


def label_fault(answer: Any, label: Any) -> str:  # noqa: ANN401
    """Return what is wrong with the labels of an answer, empty for nothing.

    Args:
        answer: The gold answer.
        label: Its labels; null takes "exact" for everything.
    """
    return "" if label is None else _fault(answer, label, "$")


def _fault(answer: Any, label: Any, path: str) -> str:  # noqa: ANN401
    if isinstance(label, str):
        known = [one.value for one in Rule]
        return "" if label in known else f"label {label!r} of {path} is none of {', '.join(known)}"
    if isinstance(label, dict) and isinstance(answer, dict):
        unknown = [name for name in label if name not in answer]
        if unknown:
            return f"the answer has no field {path}.{unknown[0]}, which the labels have"
        parts = ((answer[name], label[name], f"{path}.{name}") for name in label)
        return next((said for part in parts if (said := _fault(*part))), "")
    if isinstance(label, list) and isinstance(answer, list):
        if len(label) != len(answer):
            return f"{path} has {len(answer)} elements and {len(label)} labels"
        pairs = enumerate(zip(answer, label, strict=True))
        return next(
            (said for i, (one, own) in pairs if (said := _fault(one, own, f"{path}[{i}]"))),
            "",
        )
    return f"the label of {path} must be a word, or have the shape of the answer there"
