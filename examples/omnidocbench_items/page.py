"""A page as data, from which its LaTeX and its annotation are both written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Element:
    """An element of a page."""

    #: Its ``anno_id``.
    number: int
    #: Its ``category_type``.
    category: str
    #: What TeX sets in the width of the column.
    latex: str
    #: Fields ``text``, ``latex`` and ``html`` of the annotation.
    contents: Mapping[str, str]
    #: Place in the order of reading; None for what has none.
    order: int | None = None
    #: Attributes of the element.
    attributes: Mapping[str, object] = field(default_factory=dict)
    #: White space below it, in points.
    gap: float = 8.0


@dataclass(frozen=True)
class Column:
    """Elements one below the other; left, top and width are in points."""

    left: float
    top: float
    width: float
    elements: Sequence[Element]


@dataclass(frozen=True)
class Page:
    """A page."""

    id: str
    attributes: Mapping[str, str]
    columns: Sequence[Column]
    #: Elements that are one text, by their numbers.
    truncated: Sequence[tuple[int, int]] = ()
    #: Font of XeLaTeX that has the characters of the page; empty for the usual one.
    font: str = ""
    #: Whether the data set has the PDF document and not the image.
    as_pdf: bool = False


_ESCAPED = {"%": r"\%", "&": r"\&", "#": r"\#"}


def _set(text: str) -> str:
    for character, command in _ESCAPED.items():
        text = text.replace(character, command)
    return text


def text(
    number: int,
    order: int | None,
    content: str,
    category: str = "text_block",
    *,
    size: str = "",
    gap: float = 8.0,
) -> Element:
    """Return a text; formulas within it stand in ``$``."""
    latex = f"{size}\\strut {_set(content)}\\strut\\par"
    attributes = (
        {"text_language": "text_english"}
        if content.isascii()
        else {"text_language": "text_simplified_chinese"}
    )
    return Element(number, category, latex, {"text": content}, order, attributes, gap)


def title(number: int, order: int, content: str, *, size: str = r"\large") -> Element:
    """Return a heading."""
    return text(number, order, content, "title", size=f"{size}\\bfseries ", gap=6)


def aside(number: int, category: str, content: str, *, gap: float = 8.0) -> Element:
    """Return a header, a footer, a caption or a number."""
    return text(number, None, content, category, size=r"\footnotesize\itshape ", gap=gap)


def code(number: int, order: int, lines: Sequence[str]) -> Element:
    """Return lines of a program."""
    rows = r"\\ ".join(r"\mbox{}" + line.replace("_", r"\_").replace(" ", "~") for line in lines)
    return Element(
        number,
        "code_txt",
        f"\\footnotesize\\ttfamily\\noindent {rows}\\par",
        {"text": "\n".join(lines)},
        order,
    )


def formula(number: int, order: int, latex: str) -> Element:
    """Return a displayed formula."""
    shown = f"\\abovedisplayskip=2pt\\belowdisplayskip=2pt\\noindent\\[{latex}\\]"
    attributes = {"formula_type": "print", "equation_language": "equation_en"}
    return Element(number, "equation_isolated", shown, {"latex": f"$${latex}$$"}, order, attributes, 4)


#: A cell: its text, columns and rows that it spans; "" below a cell that spans rows.
Cell = tuple[str, int, int]


def table(number: int, order: int, columns: str, rows: Sequence[Sequence[Cell | str]]) -> Element:
    """Return a table. A cell that is a text spans one column and one row; None is below another cell."""
    lines, html = [], []
    taken: dict[int, int] = {}
    for row in rows:
        cells, marks, at = [], [], 0
        for one in row:
            content, across, down = (one, 1, 1) if isinstance(one, str) else one
            while taken.get(at, 0):
                taken[at] -= 1
                cells.append("")
                at += 1
            shown = _set(content)
            if down > 1:
                shown = f"\\multirow{{{down}}}{{*}}{{{shown}}}"
                taken |= dict.fromkeys(range(at, at + across), down - 1)
            cells.append(f"\\multicolumn{{{across}}}{{c}}{{{shown}}}" if across > 1 else shown)
            spans = (f' colspan="{across}"' if across > 1 else "") + (
                f' rowspan="{down}"' if down > 1 else ""
            )
            marks.append(f"<td{spans}>{content.replace('&', '&amp;')}</td>")
            at += across
        while taken.get(at, 0):
            taken[at] -= 1
            cells.append("")
            at += 1
        lines.append(" & ".join(cells) + r" \\")
        html.append(f"<tr>{''.join(marks)}</tr>")
    spanning = any(not isinstance(one, str) for row in rows for one in row)
    rows_set = " ".join(lines)
    latex = f"\\centering\\small\\begin{{tabular}}{{{columns}}}\\hline {rows_set}\\hline\\end{{tabular}}\\par"
    attributes = {"with_span": spanning, "line": "fewer_line", "language": "table_en"}
    return Element(number, "table", latex, {"html": f"<table>{''.join(html)}</table>"}, order, attributes)
