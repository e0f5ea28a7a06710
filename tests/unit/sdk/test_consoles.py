"""Tables for files and other programs have no spaces at the ends of their lines."""

from __future__ import annotations

import io

from rich.table import Table

from i2s_sdk.consoles import PLAIN_WIDTH, table_console


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
