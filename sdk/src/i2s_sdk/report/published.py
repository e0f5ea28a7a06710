"""The numbers of the paper, as printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from i2s_sdk.json_text import read_json


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of the paper.

    Attributes:
        name: Such as "A2".
        columns: Names as they are here: "win_rate", "ems", "latex rendered".
        rows: Values by model.
        source: Where the numbers are from.
        data: Names of the data sets that they are over, as ``i2s_sdk.data.origin`` has them.
    """

    name: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float, ...]]
    source: str
    data: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What the table is called in messages: "Table A2"; empty for a table of another paper."""
        return f"Table {self.name}" if self.source == published_source() else ""

    @property
    def where(self) -> str:
        """Where the numbers are from, with the name of the table."""
        return f"{self.source}, {self.label}".removesuffix(", ")

    def of_task(self, task: str) -> PublishedTable:
        """Return the columns of one task, without its name; a table of one task is returned as it is."""
        places = [place for place, name in enumerate(self.columns) if name.startswith(f"{task} ")]
        if not places:
            return self
        columns = tuple(self.columns[place].removeprefix(f"{task} ") for place in places)
        rows = {model: tuple(values[place] for place in places) for model, values in self.rows.items()}
        return PublishedTable(self.name, columns, rows, self.source, self.data)

    def values(self, model: str) -> dict[str, float]:
        """Return the values of a model by column."""
        return dict(zip(self.columns, self.rows[model], strict=True))


@cache
def published_table(name: str) -> PublishedTable:
    """Return a table of the paper by its number there, or one of another benchmark by its name here.

    Args:
        name: Such as "2", "A2", "visualwebbench grounding" or "readoc arxiv".
    """
    plain = _document()["tables"][name]
    rows = {model: tuple(values) for model, values in plain["rows"].items()}
    source, data = plain.get("source", published_source()), tuple(plain.get("data", ()))
    return PublishedTable(name, tuple(plain["columns"]), rows, source, data)


def published_source() -> str:
    """Return where the numbers of Image2Struct are from."""
    return str(_document()["source"])


@cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = read_json(
        files("i2s_sdk.report").joinpath("published.json").read_text("utf-8")
    )
    return document
