"""The view of a sample in a report, beside its texts: panels of a few kinds, which the report draws.

All texts come from models and data sets. The report shows them as text, never as markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class ShownSample:
    """The parts of a sample that a view is given."""

    #: What the model said; None if it said nothing.
    completion: str | None = None
    #: What the task read out of it; None if there is nothing.
    structure: str | None = None
    #: Whether the sample is usable.
    usable: bool = False
    #: Values by name.
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    #: What the scorers kept for the report, by the name of the scorer.
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextPanel:
    """A text with a title."""

    #: Title above the text.
    title: str
    #: Text that is shown verbatim.
    text: str
    #: Language by which it is coloured, as in ``TaskSpec.language``; empty for none.
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
    """A rectangle or a point on an image."""

    #: What it stands for.
    kind: ImageMarkKind
    #: Left, top, right and bottom as shares of width and height; a point has no extent.
    box: tuple[float, float, float, float]
    #: Label beside the mark, such as a letter.
    label: str = ""


@dataclass(frozen=True, slots=True)
class MarkedImage:
    """The reference image with marks on it."""

    #: Title above the image.
    title: str
    #: Marks in the order drawn.
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
    """A field of a tree."""

    #: 0 for the root.
    depth: int
    #: Name of the field.
    name: str
    #: Its value in the target, as text; empty for an inner node.
    gold: str = ""
    #: The same in the answer.
    answer: str = ""
    #: How the two compare.
    mark: RowMark = RowMark.NONE


@dataclass(frozen=True, slots=True)
class TreePanel:
    """An answer as a tree beside the target."""

    #: Title above the tree.
    title: str
    #: Rows from the root, each node before its children.
    rows: tuple[TreeRow, ...]


@dataclass(frozen=True, slots=True)
class TextRun:
    """A piece of a text."""

    #: Text that is shown verbatim.
    text: str
    #: Whether the other side does not have it here.
    differs: bool = False


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A piece of the target beside the piece of the answer that corresponds to it."""

    #: How the two compare.
    mark: RowMark
    #: What the target has here; empty if it has nothing.
    gold: tuple[TextRun, ...] = ()
    #: What the answer has here; empty if it has nothing.
    answer: tuple[TextRun, ...] = ()
    #: Label in front of both, such as where they stand.
    label: str = ""
    #: Number of steps by which the text of the target is indented.
    gold_depth: int = 0
    #: Number of steps by which the text of the answer is indented.
    answer_depth: int = 0


@dataclass(frozen=True, slots=True)
class DiffPanel:
    """Target and answer side by side."""

    #: Title above the rows.
    title: str
    #: Rows in the order shown.
    rows: tuple[DiffRow, ...]
    #: Note below the rows, such as how much is left out; empty for nothing.
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table."""

    #: Text that is shown verbatim.
    text: str
    #: Whether it is a cell of the head.
    heading: bool = False
    #: Columns that it spans.
    columns: int = 1
    #: Rows that it spans.
    rows: int = 1


#: Rows of cells.
TextTable = tuple[tuple[TableCell, ...], ...]


@dataclass(frozen=True, slots=True)
class TablePair:
    """A table of the target beside that of the answer."""

    #: Title above both.
    title: str
    #: What the target has here; None if it has nothing.
    gold: TextTable | None
    #: What the answer has here; None if it has nothing.
    answer: TextTable | None


@dataclass(frozen=True, slots=True)
class TablesPanel:
    """Tables of target and answer side by side, drawn."""

    #: Title above the pairs.
    title: str
    #: Pairs in the order shown.
    pairs: tuple[TablePair, ...]
    #: Note below the pairs; empty for nothing.
    note: str = ""


#: Left, top, right and bottom of a place on an image, as shares of its width and height.
Place = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A text on the reference image beside the text on the rendering that corresponds to it."""

    #: How the two compare.
    mark: RowMark
    #: Text on the reference image; empty if there is none.
    gold: str = ""
    #: Text on the rendering; empty if there is none, or the same.
    answer: str = ""
    #: Where the text is on the reference image; None if it is not there.
    gold_place: Place | None = None
    #: Where it is on the rendering; None if it is not there.
    answer_place: Place | None = None
    #: Label beside both, such as how alike they are.
    label: str = ""


@dataclass(frozen=True, slots=True)
class PlacesPanel:
    """The reference image and the rendering with the places of their texts; those of a row are linked."""

    #: Title above the images.
    title: str
    #: Rows in the order listed.
    rows: tuple[PlacedRow, ...]
    #: Note below the rows, such as how much is left out; empty for nothing.
    note: str = ""


#: What a view consists of.
Panel = TextPanel | MarkedImage | TreePanel | DiffPanel | TablesPanel | PlacesPanel
