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
    """

    name: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float, ...]]

    def values(self, model: str) -> dict[str, float]:
        """Return the values of a model by column."""
        return dict(zip(self.columns, self.rows[model], strict=True))


@cache
def published_table(name: str) -> PublishedTable:
    """Return a table of the paper by its number there: "2", "A2", "A3", "A4"."""
    plain = _document()["tables"][name]
    rows = {model: tuple(values) for model, values in plain["rows"].items()}
    return PublishedTable(name, tuple(plain["columns"]), rows)


def published_source() -> str:
    """Return where the numbers are from."""
    return str(_document()["source"])


@cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = read_json(
        files("i2s_sdk.report").joinpath("published.json").read_text("utf-8")
    )
    return document
