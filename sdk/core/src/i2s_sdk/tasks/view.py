"""What a report shows of a sample beside its texts: panels of a few kinds, which the report draws.

All texts come from models and data sets. The report shows them as text, never as markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class ShownSample:
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
        title: Title above the text.
        text: Text that is shown verbatim.
        language: Language by which it is coloured, as in ``TaskSpec.language``; empty for none.
    """

    title: str
    text: str
    language: str = ""


class ImageMarkKind(StrEnum):
    """The meaning of a mark on an image."""

    #: The right answer.
    GOLD = "gold"
    #: What the model answered.
    ANSWER = "answer"
    #: One of several that could be chosen.
    CANDIDATE = "candidate"
    #: What the question is about.
    SUBJECT = "subject"


@dataclass(frozen=True, slots=True)
class ImageMark:
    """A rectangle or a point on an image.

    Attributes:
        kind: What it stands for.
        box: Left, top, right and bottom as shares of width and height; a point has no extent.
        label: Label beside the mark, such as a letter.
    """

    kind: ImageMarkKind
    box: tuple[float, float, float, float]
    label: str = ""


@dataclass(frozen=True, slots=True)
class MarkedImage:
    """The reference image with marks on it.

    Attributes:
        title: Title above the image.
        marks: Marks in the order drawn.
    """

    title: str
    marks: tuple[ImageMark, ...]


class RowMark(StrEnum):
    """How a field of an answer compares with the target."""

    MATCHED = "matched"
    CHANGED = "changed"
    MISSED = "missed"
    EXTRA = "extra"
    IGNORED = "ignored"
    NONE = ""


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A field of a tree.

    Attributes:
        depth: 0 for the root.
        name: Name of the field.
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
        title: Title above the tree.
        rows: Rows from the root, each node before its children.
    """

    title: str
    rows: tuple[TreeRow, ...]


@dataclass(frozen=True, slots=True)
class TextRun:
    """A piece of a text.

    Attributes:
        text: Text that is shown verbatim.
        differs: Whether the other side does not have it here.
    """

    text: str
    differs: bool = False


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A piece of the target beside the piece of the answer that corresponds to it.

    Attributes:
        mark: How the two compare.
        gold: What the target has here; empty if it has nothing.
        answer: What the answer has here; empty if it has nothing.
        label: Label in front of both, such as where they stand.
        gold_depth: Number of steps by which the text of the target is indented.
        answer_depth: Number of steps by which the text of the answer is indented.
    """

    mark: RowMark
    gold: tuple[TextRun, ...] = ()
    answer: tuple[TextRun, ...] = ()
    label: str = ""
    gold_depth: int = 0
    answer_depth: int = 0


@dataclass(frozen=True, slots=True)
class DiffPanel:
    """Target and answer side by side.

    Attributes:
        title: Title above the rows.
        rows: Rows in the order shown.
        note: Note below the rows, such as how much is left out; empty for nothing.
    """

    title: str
    rows: tuple[DiffRow, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table.

    Attributes:
        text: Text that is shown verbatim.
        heading: Whether it is a cell of the head.
        columns: Columns that it spans.
        rows: Rows that it spans.
    """

    text: str
    heading: bool = False
    columns: int = 1
    rows: int = 1


#: Rows of cells.
TextTable = tuple[tuple[TableCell, ...], ...]


@dataclass(frozen=True, slots=True)
class TablePair:
    """A table of the target beside that of the answer.

    Attributes:
        title: Title above both.
        gold: What the target has here; None if it has nothing.
        answer: What the answer has here; None if it has nothing.
    """

    title: str
    gold: TextTable | None
    answer: TextTable | None


@dataclass(frozen=True, slots=True)
class TablesPanel:
    """Tables of target and answer side by side, drawn.

    Attributes:
        title: Title above the pairs.
        pairs: Pairs in the order shown.
        note: Note below the pairs; empty for nothing.
    """

    title: str
    pairs: tuple[TablePair, ...]
    note: str = ""


#: What a view consists of.
Panel = TextPanel | MarkedImage | TreePanel | DiffPanel | TablesPanel
