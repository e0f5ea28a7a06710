"""Tables of the paper's layout for the terminal, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TextIO

from i2s_sdk.consoles import print_in_parts, table_console
from i2s_sdk.report.figures import NOTHING
from i2s_sdk.report.table_lines import Heading, PaperTable, TableRow
from i2s_sdk.report.table_titles import MISMATCH_MARK
from i2s_sdk.visible import visible, visible_line

FORMATS = ("terminal", "markdown", "latex")

_MARKDOWN = str.maketrans({one: f"\\{one}" for one in "\\|*_`<>[]~"} | {"\n": " ", "\r": " "})
_LATEX = str.maketrans(
    {one: f"\\{one}" for one in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", NOTHING: "--", "\n": " ", "\r": " "}
    | {MISMATCH_MARK: r"\ddag{}", "−": "$-$"}
)
_PLAIN_WIDTH = 200  # tables of the paper have many columns
_DAGGER = "†"  # after the name of a published row


def print_table(table: PaperTable, stream: TextIO, *, intervals: bool = False) -> None:
    """Print a table for people; rows of published values and of reference points are dimmed."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    console = table_console(stream, _PLAIN_WIDTH)
    shown = Table(
        title=Text(visible_line(table.title)), title_justify="left", title_style="bold", box=SIMPLE_HEAD
    )
    for at, heading in enumerate(table.headings):
        name = f"{heading.group}\n{heading.name}" if heading.group else heading.name
        shown.add_column(Text(visible(name)), justify="right" if at else "left")
    for title, lines in table.blocks:
        if title:
            shown.add_section()
            shown.add_row(Text(title), style="italic dim")
        for line in lines:
            cells = [Text(visible_line(cell)) for cell in _cells(line, f" {_DAGGER}", intervals)]
            shown.add_row(*cells, style="dim" if line.published or line.unranked else "")
    print_in_parts(console, shown)
    for note in _notes(table, _DAGGER):
        console.print(Text(visible(note)))


def markdown(table: PaperTable, *, intervals: bool = False) -> str:
    """Return a table in GitHub's Markdown."""
    heads = [f"{one.group}: {one.name}" if one.group else one.name for one in table.headings]
    rows = [heads, ["---", *(["---:"] * (len(heads) - 1))]]
    for title, lines in table.blocks:
        rows += [[f"*{title}*", *([""] * (len(heads) - 1))]] if title else []
        cells = [_cells(line, f" {_DAGGER}", intervals) for line in lines]
        rows += [[cell.translate(_MARKDOWN) for cell in line] for line in cells]
    body = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    notes = "\n\n".join(note.translate(_MARKDOWN) for note in _notes(table, _DAGGER))
    return f"**{table.title}**\n\n{body}\n\n{notes}\n"


def latex(table: PaperTable, *, intervals: bool = False) -> str:
    """Return a table in LaTeX; it needs the package booktabs."""
    groups = [(name, len(list(some))) for name, some in groupby(table.headings, key=lambda one: one.group)]
    lines = [
        r"\begin{table}[t]",
        r"\centering",
        rf"\caption{{{' '.join([table.title + '.', *_notes(table, '', dagger=False)]).translate(_LATEX)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.headings) - 1)}}}",
        r"\toprule",
    ]
    if any(name for name, _ in groups):
        spans = [
            rf"\multicolumn{{{n}}}{{c}}{{{name.translate(_LATEX)}}}" if name else "& " * (n - 1)
            for name, n in groups
        ]
        lines += [" & ".join(spans) + r" \\", _rules(groups)]
    lines += [_latex_row([one.name.translate(_LATEX) for one in table.headings]), r"\midrule"]
    for title, rows in table.blocks:
        if title:
            span = rf"\multicolumn{{{len(table.headings)}}}{{l}}{{\emph{{{title.translate(_LATEX)}}}}}"
            lines += [r"\midrule", rf"{span} \\"]
        for line in rows:
            model, *values = (cell.translate(_LATEX) for cell in _cells(line, "", intervals))
            lines.append(_latex_row([model + (r"$^\dagger$" if line.published else ""), *values]))
    if any(line.published for line in table.lines):
        lines.append(
            r"\midrule" + f"\n\\multicolumn{{{len(table.headings)}}}{{l}}{{$^\\dagger$ as published}} \\\\"
        )
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _rules(groups: Sequence[tuple[str, int]]) -> str:
    """Return a rule below each name that several columns share."""
    rules, at = [], 1
    for name, n in groups:
        if name:
            rules.append(rf"\cmidrule(lr){{{at}-{at + n - 1}}}")
        at += n
    return "".join(rules)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cells(line: TableRow, mark: str, intervals: bool) -> list[str]:
    model, *values = line.cells(intervals=intervals)
    return [f"{model} {MISMATCH_MARK}" if line.mark else model + mark if line.published else model, *values]


def _notes(table: PaperTable, mark: str, *, dagger: bool = True) -> list[str]:
    published = any(line.published for line in table.lines)
    return [*([f"{mark} as published."] if published and dagger else []), *table.notes, *table.accounts]


__all__ = ["FORMATS", "Heading", "latex", "markdown", "print_table"]
