"""The parts of a table of runs: titles, headings, lines; its forms for terminal, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import Any, Self, TextIO, TypeAlias

from i2s_sdk.consoles import print_in_parts, table_console
from i2s_sdk.report import figures
from i2s_sdk.report.figures import NOTHING
from i2s_sdk.report.published import published_table
from i2s_sdk.stats.aggregate import RENDERED, Summary
from i2s_sdk.stats.means import Mean
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.visible import visible, visible_line
from i2s_wire.metrics.profile import Profile

#: Titles of metrics of the paper, in the order of its columns.
METRIC_TITLES = {
    RENDERED: "Rendering success",
    "ems": "EMS",
    "pixel": "Pixel similarity",
    "exact": "Exact",
    "cis": "CIS",
    "lpips": "LPIPS",
    "ssim": "SSIM",
    "edit": "Edit sim.",
    "edit_tex": "Edit sim. of TeX",
    "edit_normal": "Edit sim., normalised",
    "block_match": "Block-Match",
    "block_text": "Block text",
    "block_position": "Block position",
    "block_color": "Block color",
    "clip": "CLIP",
    "design2code_dom": "Mean of blocks",
}

FAILED_COUNT_ZERO = "A failed rendering counts 0; wild subsets are left out."

#: Behind the name of a run that cannot be compared with the published rows below it.
MISMATCH_MARK = "‡"


def metric_title(task: str, name: str) -> str:
    """Return the title of a column of a task."""
    if name == RENDERED and not SPECS[task].renders:
        return "Usable"
    return METRIC_TITLES.get(name, name)


def table_title(title: str, number: str) -> str:
    """Return the title of a table, with the number of the paper's table of its layout if there is one."""
    label = published_table(number).label if number else ""
    return f"{title} (as {label} of the paper)" if label else title


def mismatch_notes(apart: Mapping[str, str]) -> list[str]:
    """Return why runs cannot be compared with published rows, as one note for each reason.

    Args:
        apart: Reasons by label.
    """
    by_reason: dict[str, list[str]] = {}
    for label, reason in apart.items():
        by_reason.setdefault(reason, []).append(label)
    return [
        f"{MISMATCH_MARK} Not comparable with the published rows, and not ranked among them: "
        f"{', '.join(labels)} ({reason})."
        for reason, labels in by_reason.items()
    ]


def profile_note(runs: Mapping[str, Summary], name: str = Profile.HELM) -> list[str]:
    """Return a note that names the runs of another profile than published values; empty if there are none.

    Args:
        runs: Numbers by label.
        name: What the profile of published values is called.
    """
    others = [label for label, summary in runs.items() if summary.profile != Profile.HELM]
    if not others:
        return []
    return [f"The published values follow the rules of profile {name}; not so: {', '.join(others)}."]


#: What is put into a place of a table.
Cell: TypeAlias = "Mean | float | str | None"


class TableBlock(IntEnum):
    """The blocks of a table, in the order in which they stand."""

    RUNS = 0
    PUBLISHED = 1
    REFERENCE_POINTS = 2


#: What stands above the blocks that are not those of runs.
BLOCK_TITLES = {
    TableBlock.PUBLISHED: "As published",
    TableBlock.REFERENCE_POINTS: "Reference points, not ranked",
}


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column: its name, and what it shares with its neighbours (empty for nothing)."""

    name: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table."""

    #: Model of the run, or of the paper.
    model: str
    #: Whether it is of the paper.
    published: bool
    #: One for each column after the model: a number, a text, or None for nothing.
    values: tuple[float | str | None, ...]
    #: One for each of these: with n and interval if it is a mean of a run, else None.
    means: tuple[Mean | None, ...]
    #: Whether the run cannot be compared with the published rows of the table.
    mark: bool = False
    #: Whether it is a reference point: the oracle or a baseline.
    unranked: bool = False

    @classmethod
    def of(
        cls,
        model: str,
        cells: Sequence[Cell],
        *,
        published: bool = False,
        mark: bool = False,
        unranked: bool = False,
    ) -> Self:
        """Make a row of what stands in its columns after the model."""
        means = tuple(cell if isinstance(cell, Mean) else None for cell in cells)
        values = tuple(cell.value if isinstance(cell, Mean) else cell for cell in cells)
        return cls(model, published, values, means, mark, unranked)

    @property
    def block(self) -> TableBlock:
        """The block of the table that the row stands in."""
        if self.published:
            return TableBlock.PUBLISHED
        return TableBlock.REFERENCE_POINTS if self.unranked else TableBlock.RUNS

    def cells(self, *, intervals: bool = False) -> list[str]:
        """Return the row as people read it, with intervals of means in parentheses if they are wanted."""
        shown = [value if isinstance(value, str) else figures.value(value) for value in self.values]
        if intervals:
            ends = [figures.interval(mean) if mean else "" for mean in self.means]
            shown = [f"{one} ({end})" if end else one for one, end in zip(shown, ends, strict=True)]
        return [self.model, *shown]

    def to_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the row as JSON has it; ``names`` are those of the columns after the model."""
        means = {name: mean for name, mean in zip(names, self.means, strict=True) if mean}
        return {
            "model": self.model,
            "published": self.published,
            "reference_point": self.unranked,
            "comparable": not self.mark,
            "values": dict(zip(names, self.values, strict=True)),
            "intervals": {name: mean.interval for name, mean in means.items()},
            "interval_kinds": {name: mean.interval_kind for name, mean in means.items()},
        }


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table."""

    #: What it shows.
    title: str
    #: One for each column.
    headings: tuple[Heading, ...]
    #: Rows, those of a block together; within a block in the order given.
    lines: tuple[TableRow, ...]
    #: What a reader must know.
    notes: tuple[str, ...] = ()
    #: Sentences about what became of the samples of runs; runs without losses have none.
    accounts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.lines, key=lambda line: line.block))
        object.__setattr__(self, "lines", ordered)

    @property
    def blocks(self) -> list[tuple[str, tuple[TableRow, ...]]]:
        """The rows of each block, with what stands above them: nothing if the table has no other block."""
        blocks = [(block, tuple(lines)) for block, lines in groupby(self.lines, key=lambda line: line.block)]
        return [
            ("" if len(blocks) == 1 or block is TableBlock.RUNS else BLOCK_TITLES[block], lines)
            for block, lines in blocks
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON has it."""
        names = [f"{heading.group} {heading.name}".strip() for heading in self.headings[1:]]
        rows = [line.to_json(names) for line in self.lines]
        return {
            "title": self.title,
            "headings": ["Model", *names],
            "lines": rows,
            "notes": self.notes,
            "accounts": self.accounts,
        }


def heading_groups(headings: Sequence[Heading]) -> list[tuple[str, tuple[Heading, ...]]]:
    """Return headings by what neighbours share; each that shares nothing is alone."""
    groups: list[tuple[str, tuple[Heading, ...]]] = []
    for heading in headings:
        if heading.group and groups and groups[-1][0] == heading.group:
            groups[-1] = (heading.group, (*groups[-1][1], heading))
        else:
            groups.append((heading.group, (heading,)))
    return groups


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
    heads = [
        f"{heading.group}: {heading.name}" if heading.group else heading.name for heading in table.headings
    ]
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
    groups = [
        (name, len(list(some))) for name, some in groupby(table.headings, key=lambda heading: heading.group)
    ]
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
    lines += [_latex_row([heading.name.translate(_LATEX) for heading in table.headings]), r"\midrule"]
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
