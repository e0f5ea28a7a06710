"""What a table of runs consists of: headings, and lines of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import Any, Self, TypeAlias

from i2s_sdk.report import figures
from i2s_sdk.stats.means import Mean

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
    """One row of a table.

    Attributes:
        model: Model of the run, or of the paper.
        published: Whether it is of the paper.
        values: One for each column after the model: a number, a text, or None for nothing.
        means: One for each of these: with n and interval if it is a mean of a run, else None.
        mark: Whether the run cannot be compared with the published rows of the table.
        unranked: Whether it is a reference point: the oracle or a baseline.
    """

    model: str
    published: bool
    values: tuple[float | str | None, ...]
    means: tuple[Mean | None, ...]
    mark: bool = False
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
        means = tuple(one if isinstance(one, Mean) else None for one in cells)
        values = tuple(one.value if isinstance(one, Mean) else one for one in cells)
        return cls(model, published, values, means, mark, unranked)

    @property
    def block(self) -> TableBlock:
        """The block of the table that the row stands in."""
        if self.published:
            return TableBlock.PUBLISHED
        return TableBlock.REFERENCE_POINTS if self.unranked else TableBlock.RUNS

    def cells(self, *, intervals: bool = False) -> list[str]:
        """Return the row as people read it, with intervals of means in parentheses if they are wanted."""
        shown = [one if isinstance(one, str) else figures.value(one) for one in self.values]
        if intervals:
            ends = [figures.interval(one) if one else "" for one in self.means]
            shown = [f"{one} ({end})" if end else one for one, end in zip(shown, ends, strict=True)]
        return [self.model, *shown]

    def to_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the row as JSON has it; ``names`` are those of the columns after the model."""
        means = {name: one for name, one in zip(names, self.means, strict=True) if one}
        return {
            "model": self.model,
            "published": self.published,
            "reference_point": self.unranked,
            "comparable": not self.mark,
            "values": dict(zip(names, self.values, strict=True)),
            "intervals": {name: one.interval for name, one in means.items()},
            "interval_kinds": {name: one.interval_kind for name, one in means.items()},
        }


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table.

    Attributes:
        title: What it shows.
        headings: One for each column.
        lines: Rows, those of a block together; within a block in the order given.
        notes: What a reader must know.
        accounts: Sentences about what became of the samples of runs; runs without losses have none.
    """

    title: str
    headings: tuple[Heading, ...]
    lines: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.lines, key=lambda line: line.block))
        object.__setattr__(self, "lines", ordered)

    @property
    def blocks(self) -> list[tuple[str, tuple[TableRow, ...]]]:
        """The rows of each block, with what stands above them: nothing if the table has no other block."""
        found = [(block, tuple(lines)) for block, lines in groupby(self.lines, key=lambda line: line.block)]
        return [
            ("" if len(found) == 1 or block is TableBlock.RUNS else BLOCK_TITLES[block], lines)
            for block, lines in found
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON has it."""
        names = [f"{one.group} {one.name}".strip() for one in self.headings[1:]]
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
    for one in headings:
        if one.group and groups and groups[-1][0] == one.group:
            groups[-1] = (one.group, (*groups[-1][1], one))
        else:
            groups.append((one.group, (one,)))
    return groups
