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
    """Return the label of a field of an object.

    A field that the label of an object does not have is compared exactly. A label of another kind holds for
    each field.
    """
    return label.get(name, Rule.EXACT.value) if isinstance(label, dict) else label


def label_of_element(label: Any, index: int, count: int) -> Any:  # noqa: ANN401
    """Return the label of an element of a list.

    A list of as many labels has one for each element. A label of another kind or length holds for each
    element; of a value that is neither object nor list it means "exact".

    Args:
        label: Label of the list.
        index: Index of the element.
        count: Elements that the list has.
    """
    return label[index] if isinstance(label, list) and len(label) == count else label


def label_fault(label: Any, path: str = "labels") -> str:  # noqa: ANN401
    """Return what is wrong with labels, empty for nothing: a leaf that is neither a known word nor null.

    Null is compared as "exact" is.
    """
    if isinstance(label, dict | list):
        pairs = label.items() if isinstance(label, dict) else enumerate(label)
        return next((said for name, own in pairs if (said := label_fault(own, f"{path}.{name}"))), "")
    known = [one.value for one in Rule]
    if label is None or label in known:
        return ""
    return f"{path[:200]} is {str(label)[:40]!r}, and not one of {', '.join(known)}"
