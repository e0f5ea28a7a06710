"""How far metrics agree with people, from a CSV file with a score of people and values of metrics a line."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.files import reading
from i2s_sdk.stats.correlations import PairedAgreement, paired_agreement

#: Column of the scores of people, unless another is named.
HUMAN = "human"

#: Column of the systems, unless another is named.
SYSTEM = "system"

#: Column of names of lines, which is no metric.
ID = "id"

#: Most lines of all files together: memory grows with their square.
MOST_ROWS = 5000

_GREATEST = 1e60  # of numbers, so that the squares of their sums are finite


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """How far a metric agrees with people."""

    #: Name of the column.
    metric: str
    #: Over the lines that have a value of both.
    agreement: PairedAgreement

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON has them."""
        return {"metric": self.metric, **self.agreement.to_json()}


@dataclass(frozen=True, slots=True)
class SystemAgreement:
    """How far each metric agrees with people on what a system made."""

    #: Name of the system; empty for all of them.
    system: str
    #: Number of lines with a score of people.
    rows: int
    #: In the order of the columns.
    metrics: tuple[MetricAgreement, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON has them."""
        return {
            "system": self.system,
            "rows": self.rows,
            "metrics": [metric.to_json() for metric in self.metrics],
        }


@dataclass(frozen=True, slots=True)
class _Row:
    system: str
    human: float
    values: tuple[float | None, ...]


def agreement(
    files: Path | str | Sequence[Path | str],
    *,
    human: str = HUMAN,
    metrics: Sequence[str] = (),
    system: str | None = None,
) -> list[SystemAgreement]:
    """Return how far each metric of CSV files agrees with people, over all lines and for each system.

    An empty cell is a missing value: the line is left out for that metric, and for all if the score of people
    is missing.

    >>> agreement("ratings.csv", human="rating")  # doctest: +SKIP

    Args:
        files: CSV files in UTF-8 whose first line names the columns; their lines are taken together.
        human: Column of the scores of people; greater is better.
        metrics: Columns of metrics; none takes every column of numbers of the first file, "id" left out.
        system: Column of the systems; None takes "system" if there is one.

    Returns:
        All lines, and then each system in the order in which they come, if there are several.

    Raises:
        DataError: A file cannot be read, lacks a column, has a cell that is no finite number where there has
            to be one, or more than MOST_ROWS lines.
        UsageError: No file is named, or a column is named twice.
    """
    paths = [Path(files)] if isinstance(files, (Path, str)) else [Path(file) for file in files]
    if not paths:
        raise UsageError("no CSV file is named")
    if len({human, *metrics}) <= len(metrics) or system in (human, *metrics):
        raise UsageError(
            f"the columns {', '.join(filter(None, (human, *metrics, system)))} are not different ones"
        )
    rows: list[_Row] = []
    for path in paths:
        names, cells = _table(path)
        groups = system or (SYSTEM if SYSTEM in names and SYSTEM not in (human, *metrics) else None)
        metrics = metrics or _columns_of_numbers(path, names, cells, (human, groups or SYSTEM, ID))
        for name in (human, *metrics, *([groups] if groups else ())):
            if name not in names:
                raise DataError(path, 1, f"has no column {name!r}; it has {', '.join(names)}")
        for line, row in cells:
            score = _number(path, line, human, row[human])
            values = tuple(_number(path, line, name, row[name]) for name in metrics)
            if score is not None:
                rows.append(_Row(row[groups] if groups else "", score, values))
        if len(rows) > MOST_ROWS:
            raise DataError(path, 0, f"makes more than {MOST_ROWS:,} lines; take a sample of them")
    if not rows:
        raise DataError(paths[0], 0, f"has no line with a score in the column {human!r}")
    systems = dict.fromkeys(row.system for row in rows)
    agreed = [_agreement("", rows, metrics)]
    if len(systems) > 1:
        agreed += [_agreement(name, [row for row in rows if row.system == name], metrics) for name in systems]
    return agreed


def _agreement(system: str, rows: Sequence[_Row], metrics: Sequence[str]) -> SystemAgreement:
    columns = (
        [(value, row.human) for row in rows if (value := row.values[at]) is not None]
        for at in range(len(metrics))
    )
    measured = (
        MetricAgreement(name, paired_agreement(pairs)) for name, pairs in zip(metrics, columns, strict=True)
    )
    return SystemAgreement(system, len(rows), tuple(measured))


#: Separators of other files of tables, and what they are called.
_SEPARATORS = {";": "semicolons", "\t": "tabulators", "|": "vertical bars"}


def _table(path: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Return the columns of a file, and its lines with their numbers."""
    cells: list[tuple[int, dict[str, str]]] = []
    try:
        with reading(path), path.open(encoding="utf-8-sig", newline="") as text:
            reader = csv.reader(text, strict=True)
            head = next(reader, [])
            names = [" ".join(name.split()) for name in head]
            if not any(names):
                raise DataError(path, 0, "is empty: its first line has to name the columns")
            if len(head) == 1 and (mark := next((mark for mark in _SEPARATORS if mark in head[0]), None)):
                advice = "export it with commas between cells and points in numbers"
                raise DataError(path, 1, f"has {_SEPARATORS[mark]} between its cells: {advice}")
            if twice := next((name for name in names if name and names.count(name) > 1), None):
                raise DataError(path, 1, f"has the column {twice!r} twice")
            for row in reader:
                if not row:
                    continue
                if len(row) != len(names):
                    raise DataError(path, reader.line_num, f"has {len(row)} cells for {len(names)} columns")
                cells.append((reader.line_num, dict(zip(names, map(str.strip, row), strict=True))))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(path, 0, f"is no CSV file in UTF-8: {error}") from None
    return names, cells


def _columns_of_numbers(
    path: Path, names: Iterable[str], cells: Sequence[tuple[int, dict[str, str]]], others: Sequence[str]
) -> list[str]:
    """Return the columns in which there is a number."""
    columns = [
        name
        for name in names
        if name and name not in others and any(_is_number(row[name]) for _, row in cells)
    ]
    if not columns:
        raise DataError(path, 0, "has no column of numbers beside the scores of people")
    return columns


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(path: Path, line: int, column: str, cell: str) -> float | None:
    if not cell:
        return None
    number = float(cell) if _is_number(cell) else math.nan
    if not abs(number) <= _GREATEST:
        raise DataError(
            path,
            line,
            f"{cell[:40]!r} in the column {column!r} is no finite number; leave a missing value empty, or "
            "name the metrics to read with --metric",
        )
    return number
