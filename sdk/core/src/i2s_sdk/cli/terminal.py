"""The output of commands: the one place where text goes to standard output and standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

import click

from i2s_sdk.consoles import print_in_parts, table_console
from i2s_sdk.visible import visible, visible_line


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text, with control characters of data and servers as escapes.

    Args:
        text: Text of one or more lines.
        err: Whether it goes to standard error.
        nl: Whether a line feed follows.
    """
    click.echo(visible(text), err=err, nl=nl)


def say_json(document: object) -> None:
    """Print a document as JSON."""
    say(json.dumps(document, indent=2))


def print_rows(
    title: str, texts: Sequence[str], numbers: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    """Print a table.

    Args:
        title: Title of the table; empty for none.
        texts: Heads of the first columns, which hold texts.
        numbers: Heads of the other columns, which hold numbers.
        rows: A cell for each column.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(visible_line(title)) if title else None,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
    )
    for name in texts:
        table.add_column(name)
    for name in numbers:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(Text(visible_line(cell)) for cell in row))
    print_in_parts(table_console(sys.stdout), table, labels=len(texts))
