"""Reading tables out of HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from i2s_sdk.tasks.readoc.tree import Tree
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


def table_tree(fragment: str) -> Tree | None:
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
    return Tree.of(depths, kinds, texts, elements)


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
        rows.append([[_shown(cell, length), *_spans(cell), int(cell.tag == "th")] for cell in cells])
    return rows


def _shown(cell: HtmlElement, length: int) -> str:
    text = " ".join("".join(cell.itertext()).split())
    return text if len(text) <= length else f"{text[:length]}…"


def _spans(cell: HtmlElement) -> list[int]:
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
