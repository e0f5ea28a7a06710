"""Axes as data: their place, projection, scales, cell of the grid."""

from __future__ import annotations

import contextlib
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.category import StrCategoryConverter

from i2s_render_python.inside.figure_objects.values import Object, Values


def describe_axes(axes: Axes, values: Values) -> Object:
    """Return axes without their texts and marks; of odd ones what can be told."""
    described: dict[str, Any] = {"projection": "rectilinear"}
    for part in (_frame, _axis_lines, _grid_cell, _legend):
        with contextlib.suppress(Exception):  # axes of programs do anything
            described |= part(axes, values)
    return described


def _frame(axes: Axes, values: Values) -> Object:
    box = values.place(axes.get_window_extent())
    frame_on = getattr(axes, "get_frame_on", None)  # axes of 3d have none
    shown = axes.get_visible() and _has_axis_lines(axes) and (frame_on is None or frame_on())
    return {
        **({"box": box} if box is not None else {}),
        "projection": values.text(axes.name)[:100],
        "colorbar": hasattr(axes, "_colorbar"),
        "frame": bool(shown),
        "color": values.color(axes.get_facecolor()),
    }


def _axis_lines(axes: Axes, values: Values) -> Object:
    described: dict[str, Any] = {}
    gridded = False
    for name in ("x", "y", "z"):
        axis: Axis | None = getattr(axes, f"{name}axis", None)
        if axis is not None:
            first, last = axis.get_view_interval() if name == "z" else getattr(axes, f"get_{name}lim")()
            described[name] = {
                "scale": values.text(_scale(axis))[:100],
                "first": values.number(first),
                "last": values.number(last),
            }
            gridded |= bool(axis.get_tick_params().get("gridOn"))
    gridded = getattr(axes, "_draw_grid", gridded)  # of 3d
    return {**described, "grid": bool(gridded) and _has_axis_lines(axes)}


def _has_axis_lines(axes: Axes) -> bool:
    return bool(getattr(axes, "_axis3don", axes.axison))


def _scale(axis: Axis) -> str:
    if isinstance(axis.get_converter(), StrCategoryConverter):
        return "category"
    return str(axis.get_scale())


def _grid_cell(axes: Axes, values: Values) -> Object:
    cell = axes.get_subplotspec()
    if cell is None:
        return {}
    cell = cell.get_topmost_subplotspec()  # a colour bar takes a part of the cell of its axes
    rows, columns = cell.get_gridspec().get_geometry()
    return {
        "rows": int(rows),
        "columns": int(columns),
        "first_row": int(cell.rowspan.start),
        "last_row": int(cell.rowspan.stop) - 1,
        "first_column": int(cell.colspan.start),
        "last_column": int(cell.colspan.stop) - 1,
    }


def _legend(axes: Axes, values: Values) -> Object:
    legend = axes.get_legend()
    box = values.box(legend) if legend is not None and legend.get_visible() else None
    return {"legend": box} if box is not None else {}
