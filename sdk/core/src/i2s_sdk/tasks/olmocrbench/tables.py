"""Tables of a page in Markdown as grids of cells, and tests of the neighbours of a cell.

Pipe tables have heads in the first row and in the first column. Tables in HTML have them in ``th`` and in
``thead``; cells that span rows or columns have several neighbours on a side.

Source: the released code, ``olmocr/bench`` of allenai/olmocr, in words of this project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from i2s_sdk.tasks.olmocrbench.page_test import PASSED, RELATIONS, PageTest, TestResult, failed
from i2s_sdk.tasks.olmocrbench.texts import normal_text, shortened

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: The most places of a grid, and the most rows or columns that a cell spans.
MAX_PLACES, MAX_SPAN = 100_000, 1000
#: The least similarity at which texts of cells are equal, whatever edits are permitted.
_LEAST = 0.5
_OPEN, _CLOSE = re.compile(r"<table(?=[\s>/])", re.IGNORECASE), re.compile(r"</table\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    #: Text in the form that is compared.
    text: str
    #: Whether it is a head.
    heading: bool
    #: First and last row.
    rows: tuple[int, int]
    #: First and last column.
    columns: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table."""

    #: Cells in order.
    cells: tuple[Cell, ...]
    #: Number of the cell at each place, row by row; None where there is none.
    places: Sequence[Sequence[int | None]]

    def neighbours(self, number: int, side: str) -> list[int]:
        """Return the cells next to a cell on a side: "up", "down", "left" or "right"."""
        cell = self.cells[number]
        (top, bottom), (first, last) = cell.rows, cell.columns
        step = -1 if side in ("up", "left") else 1
        numbers: dict[int, None] = {}
        if side in ("up", "down"):
            start = top - 1 if step < 0 else bottom + 1
            for column in range(first, last + 1):
                rows = range(start, -1 if step < 0 else len(self.places), step)
                self._add(numbers, number, ((row, column) for row in rows))
        else:
            start = first - 1 if step < 0 else last + 1
            for row in range(top, bottom + 1):
                columns = range(start, -1 if step < 0 else len(self.places[0]), step)
                self._add(numbers, number, ((row, column) for column in columns))
        return list(numbers)

    def _add(self, numbers: dict[int, None], number: int, places: Iterator[tuple[int, int]]) -> None:
        for row, column in places:
            other = self.places[row][column]
            if other is not None and other != number:
                numbers[other] = None
                return

    def beside(self, side: str, wanted: Sequence[bool]) -> list[bool]:
        """Return for each cell whether one next to it on a side is among the wanted ones."""
        cells = range(len(self.cells))
        return [any(wanted[neighbour] for neighbour in self.neighbours(cell, side)) for cell in cells]

    def headed(self, side: str, wanted: Sequence[bool]) -> list[bool]:
        """Return for each cell whether one of its heads is among the wanted ones.

        Heads are all heads on the way up or left; if none is there, the cells at which the ways end. The time
        is proportional to the number of places.

        Args:
            side: "up" or "left".
            wanted: For each cell, whether it is wanted.
        """
        number = len(self.cells)
        heads, wanted_heads, wanted_ends, ends = ([False] * number for _ in range(4))
        starts = [one.rows[0] if side == "up" else one.columns[0] for one in self.cells]
        for cell in sorted(range(number), key=starts.__getitem__):
            others = self.neighbours(cell, side)
            ends[cell] = not others
            heads[cell] = any(self.cells[one].heading or heads[one] for one in others)
            wanted_heads[cell] = any(
                (self.cells[one].heading and wanted[one]) or wanted_heads[one] for one in others
            )
            wanted_ends[cell] = any(wanted[one] if ends[one] else wanted_ends[one] for one in others)
        return [wanted_heads[cell] if heads[cell] else wanted_ends[cell] for cell in range(number)]


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    heading: bool
    rows: int = 1
    columns: int = 1


def page_grids(page: str, *, pipe_tables: bool = True) -> tuple[Grid, ...]:
    """Return the tables of a page: those of pipes, then those of HTML.

    One with more than ``MAX_PLACES`` places is left out.
    """
    tables = (*(_pipe_rows(page) if pipe_tables else ()), *_html_rows(page))
    return tuple(grid for rows in tables if (grid := _grid(rows)) is not None)


def _pipe_rows(page: str) -> Iterator[list[list[_Piece]]]:
    run: list[str] = []
    for line in (*page.strip().split("\n"), ""):
        if "|" in line:
            run.append(line)
            continue
        if len(run) > 1:
            yield _pipe_table(run)
        run = []


def _pipe_table(lines: Sequence[str]) -> list[list[_Piece]]:
    rows: list[list[_Piece]] = []
    for line in lines:
        if not line.replace("|", "").strip(" -:\t\r"):
            continue  # the line below the head, and lines of marks alone
        cells = [cell.strip() for cell in line.split("|")]
        cells = cells[0 if cells[0] else 1 :]
        cells = cells[: len(cells) if cells and cells[-1] else -1]
        if cells:
            rows.append([_Piece(cell, not rows or number == 0) for number, cell in enumerate(cells)])
    return rows


def _html_rows(page: str) -> Iterator[list[list[_Piece]]]:
    for source in html_tables(page):
        for table in _parsed(source):
            rows = list(table.iter("tr"))
            yield [_html_row(row, len(rows) - number) for number, row in enumerate(rows)]


def html_tables(page: str) -> Iterator[str]:
    """Yield the outermost tables of a page in HTML; one that is not closed reaches to the end of the page."""
    tags = sorted([*_OPEN.finditer(page), *_CLOSE.finditer(page)], key=lambda match: match.start())
    depth = start = 0
    for tag in tags:
        if tag.re is _OPEN:
            if not depth:
                start = tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield page[start : tag.end()]
    if depth:
        yield page[start:]


def _parsed(source: str) -> list[HtmlElement]:
    # lxml takes time to import, and few commands need it.
    from lxml import etree, html

    parser = html.HTMLParser(remove_comments=True, remove_pis=True, encoding="utf-8")
    page = f"<html><body>{source}</body></html>".encode("utf-8", "replace")
    try:
        root: HtmlElement = html.document_fromstring(page, parser=parser)
    except (etree.LxmlError, ValueError, AssertionError):
        return []
    return list(root.iter("table"))


def _html_row(row: HtmlElement, rows_left: int) -> list[_Piece]:
    within_head = next(row.iterancestors("thead", "table"), row).tag == "thead"
    return [
        _Piece(
            "\n".join(_texts(cell)).strip(),
            within_head or cell.tag == "th",
            rows_left if cell.get("rowspan", "").strip() == "0" else _span(cell.get("rowspan")),
            _span(cell.get("colspan")),
        )
        for cell in row
        if cell.tag in ("th", "td")
    ]


def _texts(cell: HtmlElement) -> Iterator[str]:
    yield from cell.itertext()


def _span(said: str | None) -> int:
    text = (said or "").strip()
    return min(max(int(text[:5]), 1), MAX_SPAN) if text.isdecimal() else 1


class _GridBuilder:
    """Lays the cells of a table out row by row."""

    def __init__(self, height: int) -> None:
        self.cells: list[Cell] = []
        self.places: list[list[int | None]] = []
        self._height = height
        self._spanning: dict[int, int] = {}  # by column, the cell that spans it from above

    def add(self, pieces: Sequence[_Piece]) -> int:
        """Lay out a row, and return its width."""
        top, column, line = len(self.places), 0, dict(self._spanning)
        for piece in pieces:
            while column in self._spanning:
                column += 1
            rows = (top, min(top + piece.rows, self._height) - 1)
            columns = (column, column + piece.columns - 1)
            self.cells.append(Cell(normal_text(piece.text), piece.heading, rows, columns))
            line |= dict.fromkeys(range(column, column + piece.columns), len(self.cells) - 1)
            column += piece.columns
        self._spanning = {place: one for place, one in line.items() if self.cells[one].rows[1] > top}
        width = max(line, default=-1) + 1
        self.places.append([line.get(place) for place in range(width)])
        return width


def _grid(rows: Sequence[Sequence[_Piece]]) -> Grid | None:
    """Return the grid of rows; None if it has no cell, or more places than are permitted."""
    builder, widest = _GridBuilder(len(rows)), 0
    for pieces in rows:
        if sum(piece.columns for piece in pieces) > MAX_PLACES:
            return None
        widest = max(widest, builder.add(pieces))
        if widest * len(builder.places) > MAX_PLACES:
            return None
    if not builder.cells:
        return None
    places = [row + [None] * (widest - len(row)) for row in builder.places]
    return Grid(tuple(builder.cells), places)


_SIDES: Mapping[str, str] = {"top_heading": "up", "left_heading": "left"}


def table_result(test: PageTest, grids: Sequence[Grid]) -> TestResult:
    """Return whether a table has a cell with a text and the neighbours and heads that the test names."""
    if not grids:
        return failed("there is no table")
    why = ""
    for grid in grids:
        candidates = [number for number, one in enumerate(_alike(test, "cell", grid)) if one]
        if not candidates:
            continue
        related = {relation: _related(test, relation, grid) for relation in RELATIONS if test.text(relation)}
        for number in candidates:
            missing = [name for name, cells in related.items() if not cells[number]]
            if not missing:
                return PASSED
            if not why:
                shown = ", ".join(f"{one} {shortened(test.text(one))}" for one in missing)
                why = f"a cell {shortened(grid.cells[number].text)} is there, but not with {shown}"
    return failed(why or f"no table has a cell {shortened(test.text('cell'))}")


def _related(test: PageTest, relation: str, grid: Grid) -> list[bool]:
    """Return for each cell whether it has the relation that a test names."""
    wanted, side = _alike(test, relation, grid), _SIDES.get(relation)
    return grid.headed(side, wanted) if side else grid.beside(relation, wanted)


def _alike(test: PageTest, name: str, grid: Grid) -> list[bool]:
    """Return for each cell whether its text is that of a field of a test."""
    from rapidfuzz import fuzz

    text = test.text(name)
    least = max(_LEAST, 1 - test.max_diffs / max(len(text), 1))
    return [fuzz.ratio(text, cell.text) / 100 >= least for cell in grid.cells]
