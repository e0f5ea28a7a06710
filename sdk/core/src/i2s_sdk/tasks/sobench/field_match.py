"""Field matching: a predicted JSON value against a gold one, field by field, by the labels of the latter.

The result is a tree of gold fields, from which the counts, the metrics and the view of a report are taken.
Labels have the shape of the answer. Their leaves are the words of ``Rule``. A word in the place of an object
or a list holds for everything inside of it.

Every field that is compared counts once, inner nodes (objects and lists) among them. In both profiles:

* A field is not counted if nothing of it is compared: its label is "ignore", or has no other leaf. Further
  fields of the prediction are free.
* Two nulls match; null and another value do not. Texts and numbers: ``same_text``, ``same_number``. Values of
  different kinds do not match.
* Lists of different length do not match, and their elements are not compared. Others are compared by index.

Profile ``reference`` counts as the released code does: a gold field that the prediction leaves out is not
counted; neither are fields below a value that is not compared; and an object that does not match counts as a
match for the object or list around it as soon as one of its fields matches. An empty object or list, and one
whose labels are all "ignore", is not counted and keeps the list around it from matching. Without labels two
empty lists match, and two empty objects count and do not.

Profile ``paper`` counts every gold field with a meaningful label, whatever was predicted, and an inner node
matches if everything below it does.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Levenshtein

from i2s_wire.metrics.profile import Profile


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
    known = [rule.value for rule in Rule]
    if label is None or label in known:
        return ""
    return f"{path[:200]} is {str(label)[:40]!r}, and not one of {', '.join(known)}"


#: Characters that exact comparison of texts leaves out, beside white space.
_DROPPED = re.compile(r"[\s,./_*^!?:;()\[\]{}\"'\\-]+")
#: Fuzzy texts match above this similarity of words, fuzzy numbers below this relative difference.
_LEAST_SIMILARITY, _MOST_DIFFERENCE = 0.8, 0.05


def same_text(answer: str, gold: str, *, fuzzy: bool) -> bool:
    """Return whether two texts match.

    Exact: they are equal once white space and punctuation are left out and letters are lower case. Fuzzy:
    the Levenshtein distance of their words, divided by the larger number of words, is less than 0.2; words
    are compared as they are written.
    """
    if not fuzzy:
        return _DROPPED.sub("", answer).lower() == _DROPPED.sub("", gold).lower()
    words, gold_words = answer.split(), gold.split()
    longest = max(len(words), len(gold_words))
    if longest == 0:
        return True
    return 1 - Levenshtein.distance(words, gold_words) / longest > _LEAST_SIMILARITY


def same_number(answer: float, gold: float, *, fuzzy: bool) -> bool:
    """Return whether two numbers match; a boolean is 0 or 1.

    Both are compared as floating point numbers of 64 bits, integers beyond their range as they are. Exact:
    their values are equal. Fuzzy: their difference is less than 0.05 of the larger absolute value.
    """
    try:
        answer, gold = float(answer), float(gold)
    except OverflowError:
        return answer == gold
    if answer == gold or not fuzzy:
        return answer == gold
    return abs(answer - gold) / max(abs(answer), abs(gold)) < _MOST_DIFFERENCE


def is_number(value: Any) -> bool:  # noqa: ANN401 - a JSON value
    """Return whether a value is a number or a boolean."""
    return isinstance(value, int | float)


class _Absent:
    """The value of a field that a prediction lacks."""

    def __repr__(self) -> str:
        return "ABSENT"


#: What stands in the place of a predicted value that is not there.
ABSENT = _Absent()


@dataclass(frozen=True, slots=True)
class Node:
    """A gold field and what was predicted for it."""

    #: Name of the field, or the index of the element; empty at the root.
    name: str
    #: Its gold value.
    gold: Any
    #: The predicted value; ABSENT if there is none.
    answer: Any
    #: Whether the field counts.
    counted: bool
    #: Whether it matches; of a field that does not count, false.
    matched: bool
    #: Whether it counts as a match for the field around it.
    passes: bool
    #: Whether nothing of it is compared because of its label.
    ignored: bool = False
    #: Fields or elements that were compared, or that count.
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """Yield this field and all below it, a field before those inside of it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


@dataclass(frozen=True, slots=True)
class Counts:
    """How many fields count, and how many of them match."""

    #: Fields that count.
    total: int
    #: Fields that match.
    matches: int

    @classmethod
    def of(cls, node: Node) -> Counts:
        """Return the counts of a field and all below it."""
        counted = [one.matched for one in node.walk() if one.counted]
        return cls(len(counted), sum(counted))


def match_fields(answer: Any, gold: Any, label: Any, profile: Profile) -> Node:  # noqa: ANN401 - JSON values
    """Return the gold fields with what was predicted for each.

    Args:
        answer: The predicted value; ABSENT if it cannot be read.
        gold: The gold value.
        label: How its fields are compared, as its labels say; None if there are no labels, and every
            field is compared exactly.
        profile: Profile whose rules are followed.
    """
    if profile is Profile.HELM:
        return _unlabelled("", answer, gold) if label is None else _reference("", answer, gold, label)
    return _paper("", answer, gold, Rule.EXACT.value if label is None else label)


def _ignored(name: str, answer: Any, gold: Any) -> Node:  # noqa: ANN401
    return Node(name, gold, answer, counted=False, matched=False, passes=True, ignored=True)


def _leaf(name: str, answer: Any, gold: Any, label: Any) -> Node:  # noqa: ANN401
    """Return the field of a value that is neither object nor list, or whose prediction is of another kind."""
    fuzzy = label == Rule.FUZZY
    if gold is None or answer is None:
        matched = gold is answer
    elif isinstance(gold, str) and isinstance(answer, str):
        matched = same_text(answer, gold, fuzzy=fuzzy)
    elif is_number(gold) and is_number(answer):
        matched = same_number(answer, gold, fuzzy=fuzzy)
    else:
        matched = False
    return Node(name, gold, answer, counted=True, matched=matched, passes=matched)


def _reference(name: str, answer: Any, gold: Any, label: Any) -> Node:  # noqa: ANN401
    if label == Rule.IGNORE:
        return _ignored(name, answer, gold)
    if isinstance(gold, list) and isinstance(answer, list):
        return _reference_list(name, answer, gold, label)
    if isinstance(gold, dict) and isinstance(answer, dict):
        return _reference_object(name, answer, gold, label)
    return _leaf(name, answer, gold, label)


def _reference_list(name: str, answer: list[Any], gold: list[Any], label: Any) -> Node:  # noqa: ANN401
    if not is_meaningful(label):
        return Node(name, gold, answer, counted=False, matched=False, passes=False, ignored=True)
    if len(answer) != len(gold):
        return Node(name, gold, answer, counted=True, matched=False, passes=False)
    children = tuple(
        _reference(str(i), one, own, label_of_element(label, i, len(gold)))
        for i, (one, own) in enumerate(zip(answer, gold, strict=True))
    )
    if all(child.ignored for child in children):  # an empty list too
        return Node(name, gold, answer, counted=False, matched=False, passes=False, ignored=True)
    matched = all(child.passes for child in children)
    return Node(name, gold, answer, counted=True, matched=matched, passes=matched, children=children)


def _reference_object(name: str, answer: dict[str, Any], gold: dict[str, Any], label: Any) -> Node:  # noqa: ANN401
    labels = {field: label_of_field(label, field) for field in gold}
    compared = {field for field in gold if is_meaningful(labels[field])}
    if not compared:
        return Node(name, gold, answer, counted=False, matched=False, passes=False, ignored=True)
    children: list[Node] = []
    for field, own in gold.items():
        if field not in compared:
            children.append(_ignored(field, answer.get(field, ABSENT), own))
        elif field in answer:
            children.append(_reference(field, answer[field], own, labels[field]))
        else:
            children.append(Node(field, own, ABSENT, counted=False, matched=False, passes=False))
    passes = [child.passes for child in children if child.name in compared]
    return Node(
        name,
        gold,
        answer,
        counted=True,
        matched=all(passes),
        passes=any(passes),
        children=tuple(children),
    )


def _unlabelled(name: str, answer: Any, gold: Any) -> Node:  # noqa: ANN401
    """Return the field as the released code compares it without labels.

    Only what the prediction leaves out is not counted; two empty lists match, and two empty objects do not.
    """
    if isinstance(gold, list) and isinstance(answer, list):
        alike = len(answer) == len(gold)
        pairs = zip(answer, gold, strict=True) if alike else ()
        children = tuple(_unlabelled(str(i), one, own) for i, (one, own) in enumerate(pairs))
        matched = alike and all(child.passes for child in children)
        return Node(name, gold, answer, counted=True, matched=matched, passes=matched, children=children)
    if isinstance(gold, dict) and isinstance(answer, dict):
        children = tuple(
            _unlabelled(field, answer[field], own)
            if field in answer
            else Node(field, own, ABSENT, counted=False, matched=False, passes=False)
            for field, own in gold.items()
        )
        passes = [child.passes for child in children]
        matched = bool(passes) and all(passes)
        return Node(name, gold, answer, counted=True, matched=matched, passes=any(passes), children=children)
    return _leaf(name, answer, gold, Rule.EXACT.value)


def _paper(name: str, answer: Any, gold: Any, label: Any) -> Node:  # noqa: ANN401
    if label == Rule.IGNORE:
        return _ignored(name, answer, gold)
    if isinstance(gold, list):
        alike = isinstance(answer, list) and len(answer) == len(gold)
        children = tuple(
            _paper(str(i), answer[i] if alike else ABSENT, one, label_of_element(label, i, len(gold)))
            for i, one in enumerate(gold)
        )
    elif isinstance(gold, dict):
        alike = isinstance(answer, dict)
        children = tuple(
            _paper(field, answer.get(field, ABSENT) if alike else ABSENT, one, label_of_field(label, field))
            for field, one in gold.items()
        )
    else:
        return _leaf(name, answer, gold, label) if is_meaningful(label) else _ignored(name, answer, gold)
    if all(child.ignored for child in children) and (children or not is_meaningful(label)):
        return _ignored(name, answer, gold)
    matched = alike and all(child.passes for child in children)
    return Node(name, gold, answer, counted=True, matched=matched, passes=matched, children=children)
