"""Tables of Markdown documents: read from HTML, and written as LaTeX from HTML and from pipe tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from i2s_sdk.scoring.scorer import Conversion
from i2s_sdk.tasks.readoc.markdown import fenced_lines
from i2s_sdk.text.tree_distance import TextTree
from i2s_wire.metrics.profile import Profile

if TYPE_CHECKING:
    from lxml.html import HtmlElement


_CELLS = ("td", "th")


def parsed_body(fragment: str) -> HtmlElement | None:
    """Return the body element of a page that holds an HTML fragment; None if the fragment cannot be parsed.

    Comments are left out. Nesting deeper than libxml2 permits (256 levels) cannot be parsed.
    """
    # lxml takes time to import, and few commands need it.
    from lxml import etree, html

    parser = html.HTMLParser(remove_comments=True, remove_pis=True, encoding="utf-8")
    page = f"<html><body>{fragment}</body></html>"
    try:
        root = html.document_fromstring(page.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError):
        return None
    body: HtmlElement | None = root.find("body")
    return body


def table_tree(fragment: str) -> TextTree | None:
    """Return the tree of the first table that stands directly in the body; None if there is none.

    Cells are leaves. Their label has the tag, colspan and rowspan, and as text one character for each
    character and one for each opening and closing tag of what they contain. The label of another element is
    its tag. ``size`` of the tree is the number of elements in the table, those within cells included.
    """
    body = parsed_body(fragment)
    table = body.find("table") if body is not None else None
    if table is None:
        return None
    depths: list[int] = []
    kinds: list[tuple[str, str, str]] = []
    texts: list[Sequence[str]] = []
    waiting: list[tuple[HtmlElement, int]] = [(table, 0)]
    while waiting:
        element, depth = waiting.pop()
        depths.append(depth)
        if element.tag in _CELLS:
            kinds.append((element.tag, _span(element, "colspan"), _span(element, "rowspan")))
            texts.append(_text(tuple(_tokens(element))))
        else:
            kinds.append((str(element.tag), "", ""))
            texts.append(())
            waiting += [(child, depth + 1) for child in reversed(element)]
    elements = sum(1 for _ in table.iterdescendants())
    return TextTree.of(depths, kinds, texts, elements)


def _span(cell: HtmlElement, name: str) -> str:
    said: str = cell.get(name, "1").strip()
    return said.lstrip("0") if said.isdecimal() else "1"


def _text(tokens: tuple[str, ...]) -> Sequence[str]:
    """Return tokens as a string where each is one character: strings are compared faster."""
    text = "".join(tokens)
    return text if len(text) == len(tokens) else tokens


def _tokens(cell: HtmlElement) -> Iterator[str]:
    """Yield the characters, and the opening and closing tags, that a cell contains."""
    from lxml import etree

    for event, element in etree.iterwalk(cell, events=("start", "end")):
        if event == "start":
            if element is not cell:
                yield f"<{element.tag}>"
            yield from element.text or ""
        elif element is not cell:
            yield f"</{element.tag}>"
            yield from element.tail or ""


def table_cells(fragment: str, most: int, length: int) -> list[list[list[Any]]] | None:
    """Return the cells of the first table that stands directly in the body, as reports show them.

    Args:
        fragment: HTML of the table.
        most: The largest number of cells; further rows are left out.
        length: Length of the longest text of a cell in characters; longer ones are cut.

    Returns:
        Rows of cells: text, colspan, rowspan, and whether it is a cell of the head. None if there is no
        table.
    """
    body = parsed_body(fragment)
    table = body.find("table") if body is not None else None
    if table is None:
        return None
    rows: list[list[list[Any]]] = []
    left = most
    for row in table.iter("tr"):
        cells = [cell for cell in row if cell.tag in _CELLS][:left]
        left -= len(cells)
        if not cells:
            continue
        rows.append([[_shown(cell, length), *_cell_spans(cell), int(cell.tag == "th")] for cell in cells])
    return rows


def _shown(cell: HtmlElement, length: int) -> str:
    text = " ".join("".join(cell.itertext()).split())
    return text if len(text) <= length else f"{text[:length]}…"


def _cell_spans(cell: HtmlElement) -> list[int]:
    """Return colspan and rowspan, of at most two digits."""
    return [int(_span(cell, name)[:2] or "1") for name in ("colspan", "rowspan")]


def latex_table(element: HtmlElement, profile: Profile, *, complete: bool = True) -> str | None:
    """Return a table as LaTeX, or None if it has no head or no body.

    The columns are those of the head; they are aligned as the styles of the head's cells say, else to the
    left.

    Args:
        element: Contains the table, or is it.
        profile: ``helm`` strips the pieces of a cell between tags and joins them without a space; in
            ``paper`` the text of a cell is stripped as a whole, and white space in it is one space.
        complete: Whether ``thead`` and ``tbody`` must be there. Otherwise the rows of the table are the rows
            wherever they stand, and the first one is the head.
    """
    head, body = element.find(".//thead"), element.find(".//tbody")
    if complete and (head is None or body is None):
        return None
    if complete:
        cells, rows = list(head.iter(*_CELLS)), [list(row.iter(*_CELLS)) for row in body.iter("tr")]
    else:
        rows = [cells for cells in (list(row.iter(*_CELLS)) for row in element.iter("tr")) if cells]
        if not rows:
            return None
        cells = rows.pop(0)
    columns = " ".join(_alignment(cell) for cell in cells)
    lines = ["\\begin{table}", f"\\begin{{tabular}}{{{columns}}}", "\\hline", _row(cells, profile), "\\hline"]
    lines += [_row(row, profile) for row in rows]
    return "\n".join((*lines, "\\hline", "\\end{tabular}", "\\end{table}"))


def _row(cells: list[HtmlElement], profile: Profile) -> str:
    return " & ".join(_cell_text(cell, profile) for cell in cells) + " \\\\ "


def _cell_text(cell: HtmlElement, profile: Profile) -> str:
    if profile is Profile.PAPER:
        return " ".join(cell.text_content().split())
    return "".join(piece.strip() for piece in cell.itertext())


def _alignment(cell: HtmlElement) -> str:
    style = cell.get("style", "") + cell.get("align", "")
    return next((letter for word, letter in _ALIGNMENTS if word in style), "l")


_ALIGNMENTS = (("right", "r"), ("left", "l"), ("center", "c"))


_TAG = re.compile(r"<(/?)table(?=[\s>/])", re.IGNORECASE)


def with_latex_for_html(text: str) -> str:
    """Return the text with each HTML table as a LaTeX table.

    The outermost tables are converted, except those in fenced code; a table whose end tag is missing stays as
    it is. The first row of a table without a head is its head.
    """
    kept: list[str] = []
    done = 0
    for start, stop in _table_spans(text):
        table = _html_as_latex(text[start:stop])
        if table is not None:
            kept += (text[done:start], table)
            done = stop
    return "".join((*kept, text[done:]))


def _table_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where outermost tables stand, from ``<table`` to the end of ``</table>``."""
    code = _code_spans(text)
    span = next(code, None)
    opened: list[int] = []
    for tag in _TAG.finditer(text):
        while span is not None and span[1] <= tag.start():
            span = next(code, None)
        if span is not None and span[0] <= tag.start():
            continue
        if not tag.group(1):
            opened.append(tag.start())
        elif opened:
            start = opened.pop()
            stop = text.find(">", tag.end(), tag.end() + 80)
            if not opened and stop >= 0:
                yield start, stop + 1


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    lines = text.split("\n")
    position = 0
    for line, code in zip(lines, fenced_lines(lines), strict=True):
        if code:
            yield position, position + len(line) + 1
        position += len(line) + 1


def _html_as_latex(source: str) -> str | None:
    body = parsed_body(source)
    table = body.find("table") if body is not None else None
    return latex_table(table, Profile.PAPER, complete=False) if table is not None else None


def pipe_tables(text: str) -> tuple[str, ...]:
    """Return the distinct runs of two or more lines that begin and end with ``|``, in order."""
    tables: dict[str, None] = {}
    run: list[str] = []
    for line in (*text.split("\n"), ""):
        stripped = line.strip()
        if stripped.startswith("|") and stripped.endswith("|"):
            run.append(line)
            continue
        if len(run) > 1:
            tables["\n".join(run)] = None
        run = []
    return tuple(tables)


def table_conversions(text: str) -> tuple[Conversion, ...]:
    """Return what pandoc has to convert before ``with_latex_tables``."""
    return tuple(Conversion("markdown", table) for table in pipe_tables(text))


def with_latex_tables(text: str, conversions: Mapping[str, str | None], profile: Profile) -> str:
    """Return the text with each pipe table as a LaTeX table, wherever the same text stands.

    What pandoc cannot convert, or does not find to be a table with head and body, stays as it is.

    Args:
        text: A document after ``before_tables``.
        conversions: HTML by the keys of ``table_conversions``.
        profile: How the texts of cells are read.
    """
    for conversion in table_conversions(text):
        table = _fragment_as_latex(conversions.get(conversion.key), profile)
        if table is not None:
            text = text.replace(conversion.text, table)
    return text


def _fragment_as_latex(fragment: str | None, profile: Profile) -> str | None:
    body = parsed_body(fragment) if fragment else None
    return latex_table(body, profile) if body is not None else None
