"""Where tables are printed: a terminal at its width, or plain lines for files and other programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, RenderableType
    from rich.table import Column, Table

#: Columns where a stream is not a terminal and has no width of its own.
PLAIN_WIDTH = 160

#: Columns of the terminal that the edges of a table take, and that lie between the contents of two columns.
_EDGES, _BETWEEN = 2, 3

_PADDING = re.compile(r"[ \t]+(?=\n)")


def table_console(stream: TextIO, plain_width: int = PLAIN_WIDTH) -> Console:
    """Return a console that prints to a stream.

    Args:
        stream: The stream; its lines end without spaces if it is not a terminal.
        plain_width: Columns if it is not a terminal.
    """
    from rich.console import Console

    if stream.isatty():
        return Console(file=stream, highlight=False)
    return Console(file=_Unpadded(stream), highlight=False, width=plain_width)  # type: ignore[arg-type]


def print_in_parts(console: Console, table: Table, labels: int = 1) -> None:
    """Print a table; one that is too wide is printed as several below each other, so that nothing is cut.

    Labels beside which not even one column fits are broken, so that they take more lines.

    Args:
        console: The console.
        table: The table; its box has one character between columns and at both edges.
        labels: How many columns at the left say what a row is; they are repeated in each part.
    """
    wanted = [max(_widths(str(one.header), *map(str, one.cells)), default=0) for one in table.columns]
    width = console.width - _EDGES
    needed = [_least_width(one, is_label=at < labels) for at, one in enumerate(table.columns)]
    if _width(wanted) <= width:
        console.print(table)
        return
    widest = max(needed[labels:], default=0)
    while max(needed[:labels]) > 1 and _width([*needed[:labels], widest]) > width:
        needed[needed.index(max(needed[:labels]))] -= 1
    for part in _parts(needed, labels, width):
        widths = [needed[at] for at in part]
        for at, column in enumerate(part):
            widths[at] += max(0, min(wanted[column] - widths[at], width - _width(widths)))
        console.print(_with_columns(table, part, widths, has_title=labels in part))


def _widths(*texts: str) -> Iterator[int]:
    """Return how many columns of the terminal each line of some texts takes."""
    from rich.cells import cell_len

    return (cell_len(line) for text in texts for line in text.splitlines())


def _width(contents: Sequence[int]) -> int:
    """Return the width of a table without its edges."""
    return sum(contents) + _BETWEEN * len(contents) - 1


def _least_width(column: Column, *, is_label: bool) -> int:
    """Return how wide a column has to be: its heading is broken at spaces, and cells of labels too."""
    texts = [str(cell) for cell in column.cells]
    words = str(column.header).split()
    words += [word for text in texts for word in text.split()] if is_label else texts
    return max(_widths(*words), default=0)


def _parts(needed: Sequence[int], labels: int, width: int) -> Iterator[list[int]]:
    """Return which columns stand beside each other: the labels and as many others as fit, one at least."""
    part = list(range(labels))
    for at in range(labels, len(needed)):
        if len(part) > labels and _width([needed[one] for one in (*part, at)]) > width:
            yield part
            part = list(range(labels))
        part.append(at)
    yield part


def _with_columns(table: Table, columns: Sequence[int], widths: Sequence[int], *, has_title: bool) -> Table:
    """Return a table of some columns of another, each of a width."""
    from rich.table import Table

    narrow = Table(
        title=table.title if has_title else None,
        title_justify=table.title_justify,
        title_style=table.title_style,
        box=table.box,
    )
    cells: list[list[RenderableType]] = []
    for at, width in zip(columns, widths, strict=True):
        column = table.columns[at]
        narrow.add_column(column.header, justify=column.justify, width=width, overflow="fold")
        cells.append(list(column.cells))
    for row, own in zip(table.rows, zip(*cells, strict=True), strict=True):
        narrow.add_row(*own, style=row.style, end_section=row.end_section)
    return narrow


class _Unpadded:
    """Passes text on without the spaces by which lines are padded to one width.

    A console writes whole lines at once.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = getattr(stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        self._stream.write(_PADDING.sub("", text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return False
