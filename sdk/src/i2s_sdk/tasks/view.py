"""What a report shows of a sample beside its texts: panels of a few kinds, which the report draws.

All texts come from models and data sets. The report shows them as text, never as markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Shown:
    """What a view sees of a sample.

    Attributes:
        completion: What the model said; None if it said nothing.
        structure: What the task read out of it; None if there is nothing.
        usable: Whether the sample is usable.
        metrics: Values by name.
        detail: What the scorers kept for the report, by the name of the scorer.
    """

    completion: str | None = None
    structure: str | None = None
    usable: bool = False
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextPanel:
    """A text with a title.

    Attributes:
        title: Above it.
        text: Shown verbatim.
        language: By which it is coloured, as in ``TaskSpec.language``; empty for none.
    """

    title: str
    text: str
    language: str = ""


class MarkKind(StrEnum):
    """What a mark on an image stands for."""

    #: The right answer.
    GOLD = "gold"
    #: What the model answered.
    ANSWER = "answer"
    #: One of several that could be chosen.
    CANDIDATE = "candidate"
    #: What the question is about.
    SUBJECT = "subject"


@dataclass(frozen=True, slots=True)
class Mark:
    """A rectangle or a point on an image.

    Attributes:
        kind: What it stands for.
        box: Left, top, right and bottom as shares of width and height; a point has no extent.
        label: Beside it, such as a letter.
    """

    kind: MarkKind
    box: tuple[float, float, float, float]
    label: str = ""


@dataclass(frozen=True, slots=True)
class MarkedImage:
    """The reference image with marks on it.

    Attributes:
        title: Above it.
        marks: In the order drawn.
    """

    title: str
    marks: tuple[Mark, ...]


class RowMark(StrEnum):
    """How a field of an answer compares with the target."""

    MATCHED = "matched"
    MISSED = "missed"
    EXTRA = "extra"
    IGNORED = "ignored"
    NONE = ""


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A field of a tree.

    Attributes:
        depth: 0 for the root.
        name: Of the field.
        gold: Its value in the target, as text; empty for an inner node.
        answer: The same in the answer.
        mark: How the two compare.
    """

    depth: int
    name: str
    gold: str = ""
    answer: str = ""
    mark: RowMark = RowMark.NONE


@dataclass(frozen=True, slots=True)
class TreePanel:
    """An answer as a tree beside the target.

    Attributes:
        title: Above it.
        rows: From the root, each node before its children.
    """

    title: str
    rows: tuple[TreeRow, ...]


#: What a view consists of.
Panel = TextPanel | MarkedImage | TreePanel
