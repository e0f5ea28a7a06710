"""An article as data, from which its LaTeX and its gold Markdown are both written.

Texts have a small syntax: ``$…$`` is inline maths, ``*…*`` is emphasis, and everything else is plain text.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A numbered heading: level 1 is a section, 2 a subsection, 3 a subsubsection."""

    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph in the syntax of texts."""

    text: str


@dataclass(frozen=True)
class Display:
    """Displayed maths: ``equation`` has one line and is numbered, ``align`` and ``gather`` have several."""

    kind: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Items:
    """A list with bullets; items are in the syntax of texts."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table with a caption; cells are in the syntax of texts.

    Attributes:
        caption: Caption without its number.
        columns: Alignments, such as "lrr".
        rows: Cells of each row; the first row is the header. A cell ``"3|text"`` spans three columns.
    """

    caption: str
    columns: str
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Display | Items | Table


@dataclass(frozen=True)
class Article:
    """An article.

    Attributes:
        id: Name of its files.
        difficulty: "easy", "medium" or "hard".
        title: Plain text.
        author: Plain text.
        abstract: Abstract in the syntax of texts.
        blocks: The body.
        two_columns: Whether it is set in two columns.
    """

    id: str
    difficulty: str
    title: str
    author: str
    abstract: str
    blocks: tuple[Block, ...]
    two_columns: bool = False
