"""Benchmarks: tasks that were published together, and the values of models that were published with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from i2s_sdk.json_text import read_json


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a publication."""

    #: Name, such as "A2".
    name: str
    #: Names as they are here: "win_rate", "ems", "latex rendered".
    columns: tuple[str, ...]
    #: Values by model; None where none was published.
    rows: Mapping[str, tuple[float | None, ...]]
    #: Where the numbers are from.
    source: str
    #: Names of the data sets that they are over, as ``i2s_sdk.data.locations`` has them.
    data: tuple[str, ...] = ()
    #: Whether the name is the number of the table in its publication.
    numbered: bool = False
    #: Why values of runs cannot be compared with those of a column, by column; other columns can be.
    departs: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name of the table in messages: "Table A2"; empty if its publication has no number for it."""
        return f"Table {self.name}" if self.numbered else ""

    @property
    def where(self) -> str:
        """Where the numbers are from, with the name of the table."""
        return f"{self.source}, {self.label}".removesuffix(", ")

    @property
    def departure_notes(self) -> list[str]:
        """What stands below a table with these rows: which columns are measured otherwise, and why."""
        if not self.departs:
            return []
        reasons: dict[str, list[str]] = {}
        for name, why in self.departs.items():
            reasons.setdefault(why, []).append(name)
        said = "; ".join(f"{', '.join(names)} ({why})" for why, names in reasons.items())
        return [f"Not comparable with the published rows, and not ranked against them: {said}."]

    def of_task(self, task: str) -> PublishedTable:
        """Return the columns of one task, without its name; a table of one task is returned as it is."""
        places = [place for place, name in enumerate(self.columns) if name.startswith(f"{task} ")]
        if not places:
            return self
        columns = tuple(self.columns[place].removeprefix(f"{task} ") for place in places)
        rows = {model: tuple(values[place] for place in places) for model, values in self.rows.items()}
        departs = {
            name.removeprefix(f"{task} "): why for name, why in self.departs.items() if name in self.columns
        }
        return PublishedTable(self.name, columns, rows, self.source, self.data, self.numbered, departs)

    def values(self, model: str) -> dict[str, float]:
        """Return the values of a model by column, without those that were not published."""
        pairs = zip(self.columns, self.rows[model], strict=True)
        return {name: value for name, value in pairs if value is not None}


@cache
def published_tables(package: str) -> Mapping[str, PublishedTable]:
    """Return the tables of the file published.json of a package, by name; nothing if it has no such file.

    Args:
        package: Full name of the package of a task.
    """
    file = files(package).joinpath("published.json")
    if not file.is_file():
        return {}
    document = read_json(file.read_text("utf-8"))
    return {
        name: PublishedTable(
            name,
            tuple(table["columns"]),
            {model: tuple(values) for model, values in table["rows"].items()},
            document["source"],
            tuple(table.get("data", ())),
            document.get("numbered", False),
            table.get("departs", {}),
        )
        for name, table in document["tables"].items()
    }


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Tasks that were published together, and are ranked together."""

    #: Name as results and commands call it.
    name: str
    #: Its name in tables.
    title: str
    #: Main metrics by the name of the task.
    main_metrics: Mapping[str, str]
    #: Whether it has one number, the unweighted mean of the main metrics of its tasks.
    has_mean: bool = True
    #: Name of the published table over all tasks; empty if there is none.
    published_table: str = ""
    #: Published tables of more than one task, by name.
    published: Mapping[str, PublishedTable] = field(default_factory=dict)
