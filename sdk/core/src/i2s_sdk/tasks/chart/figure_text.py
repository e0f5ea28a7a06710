"""The objects of a figure as text, which runs keep and scorers compare."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_wire.render.figure import Axes, Axis, Call, Figure, FigureBox, FigureText, Mark, MarkKind, TextRole


def figure_to_text(figure: Figure) -> str:
    """Return the objects of a figure as one line of JSON."""
    return json.dumps(asdict(figure), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def figure_from_text(text: str) -> Figure:
    """Return the figure that ``figure_to_text`` was given.

    Raises:
        ValueError: It is no such text.
    """
    try:
        fields: dict[str, Any] = read_json(text)
        return Figure(
            **{
                **fields,
                "axes": tuple(map(_axes, fields["axes"])),
                "texts": tuple(map(_text, fields["texts"])),
                "marks": tuple(map(_mark, fields["marks"])),
                "calls": _calls(fields.get("calls")),
            }
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"no objects of a figure: {error}") from None


def _calls(calls: Sequence[Mapping[str, Any]] | None) -> tuple[Call, ...] | None:
    return tuple(Call(**one) for one in calls) if calls is not None else None


def _box(fields: Mapping[str, float] | None) -> FigureBox | None:
    return FigureBox(**fields) if fields is not None else None


def _axes(fields: Mapping[str, Any]) -> Axes:
    axis = {name: Axis(**fields[name]) for name in ("x", "y", "z") if fields[name] is not None}
    boxes = {"box": FigureBox(**fields["box"]), "legend": _box(fields["legend"])}
    return Axes(**{**fields, **axis, **boxes})


def _text(fields: Mapping[str, Any]) -> FigureText:
    return FigureText(**{**fields, "role": TextRole(fields["role"]), "box": FigureBox(**fields["box"])})


def _mark(fields: Mapping[str, Any]) -> Mark:
    columns = {name: tuple(fields[name]) for name in ("x", "y", "z", "sizes", "colors", "edge_colors")}
    return Mark(**{**fields, **columns, "kind": MarkKind(fields["kind"]), "box": _box(fields["box"])})
