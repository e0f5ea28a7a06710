"""Tables for files and other programs have no spaces at the ends of their lines."""

from __future__ import annotations

import io
from collections import Counter

import pytest
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from i2s_sdk.consoles import PLAIN_WIDTH, print_in_parts, table_console


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _printed(stream: io.StringIO) -> str:
    table = Table(title="numbers")
    table.add_column("a column with a long name")
    table.add_row("1")
    console = table_console(stream)
    console.print(table)
    console.print("wörds " * 60)
    return stream.getvalue()


def test_lines_for_another_program_have_the_plain_width_and_no_padding() -> None:
    lines = _printed(io.StringIO()).splitlines()
    assert any("wörds" in line for line in lines)
    assert all(line == line.rstrip() for line in lines)
    assert PLAIN_WIDTH - 10 < max(map(len, lines)) <= PLAIN_WIDTH


def test_a_terminal_gets_what_is_printed_as_it_is() -> None:
    assert any(line != line.rstrip() for line in _printed(Terminal()).splitlines())


NAMES, METRICS = ("openai/a-model-of-a-long-name", "oracle"), [f"metric number {at}" for at in range(9)]


def _in_parts(width: int, labels: int = 1) -> list[str]:
    table = Table(title="Results", box=SIMPLE_HEAD, title_justify="left")
    for name in ("Model", *METRICS):
        table.add_column(name)
    for name in NAMES:
        table.add_row(name, *(f"{len(name)}.{at} of 17" for at in range(len(METRICS))))
    stream = io.StringIO()
    print_in_parts(Console(file=stream, width=width), table, labels)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("width", [50, 60, 80, 120, 400])
def test_a_wide_table_is_printed_in_parts_and_nothing_is_cut(width: int) -> None:
    lines = _in_parts(width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    cells = Counter({f"{len(name)}.{at} of 17": 1 for name in NAMES for at in range(len(METRICS))})
    assert all(text.count(cell) == count for cell, count in cells.items()), text
    parts = text.count("Model")
    assert [text.count(name) for name in NAMES] == [parts, parts]
    assert (parts == 1) == (width == 400)
    assert text.count("Results") == 1


@pytest.mark.parametrize("width", [25, 30, 38])
def test_labels_beside_which_no_column_fits_are_broken(width: int) -> None:
    lines = _in_parts(width)
    assert max(map(len, lines)) <= width
    text = "".join("".join(lines).split())
    assert all(f"{len(name)}.{at}of17" in text for name in NAMES for at in range(len(METRICS)))
    assert text.count("oracle") == len(METRICS)
