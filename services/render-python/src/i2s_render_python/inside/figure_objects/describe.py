"""The objects of a figure of matplotlib as data, in the form of ``i2s_wire.render.figure``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.category import StrCategoryConverter
from matplotlib.figure import Figure

from i2s_render_python.inside.figure_objects.marks import marks_of_axes, marks_of_figure
from i2s_render_python.inside.figure_objects.texts import texts_of_axes, texts_of_figure
from i2s_render_python.inside.figure_objects.values import Object, Sizes, Values


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


#: The most axes, texts and marks of one figure.
MAX_AXES, MAX_TEXTS, MAX_MARKS = 200, 5000, 2000


def describe(
    figure: Figure, page: int, sizes: Sizes | None = None, calls: Callable[[], list[Object]] | None = None
) -> Object:
    """Return the objects of a figure that has been drawn.

    Args:
        figure: The figure.
        page: Number of its image.
        sizes: Sizes of its texts, from when it was drawn; None if they are not known.
        calls: Returns the calls of plotting functions so far; None if they are not known.

    Returns:
        The fields of ``i2s_wire.render.figure.Figure``, ready for JSON: less than 4 MiB of it, by the bounds
        here and in ``values``, and no number that is not finite.
    """
    try:
        return {**_described(figure, page, sizes), **({"calls": calls()} if calls is not None else {})}
    except Exception:  # figures of programs do anything
        return {"page": page, "truncated": True}


def _described(figure: Figure, page: int, sizes: Sizes | None) -> Object:
    values = Values(figure, sizes)
    every_axes = list(_with_insets(figure.axes))
    truncated = len(every_axes) > MAX_AXES
    del every_axes[MAX_AXES:]
    axes: list[Object] = []
    texts: list[Object] = []
    marks: list[Object] = []
    for index, every_axis in enumerate(every_axes):
        axes.append(describe_axes(every_axis, values))
        if every_axis.get_visible():
            truncated |= _collect(texts, texts_of_axes(every_axis, values), MAX_TEXTS, index)
            truncated |= _collect(marks, marks_of_axes(every_axis, values), MAX_MARKS, index)
    truncated |= _collect(texts, texts_of_figure(figure, values), MAX_TEXTS, None)
    truncated |= _collect(marks, marks_of_figure(figure, values), MAX_MARKS, None)
    width, height = figure.get_size_inches()
    return {
        "page": page,
        "width_inches": values.number(width),
        "height_inches": values.number(height),
        "dpi": values.number(figure.dpi),
        "axes": axes,
        "texts": texts,
        "marks": marks,
        "truncated": truncated or values.truncated,
    }


def _with_insets(axes: Iterable[Axes]) -> Iterator[Axes]:
    """Yield axes, each with those that are set into it; axes of colour bars that are set in count too."""
    for axis in axes:
        yield axis
        yield from _with_insets(axis.child_axes)


def _collect(into: list[Object], part: Iterable[Object], most: int, axes: int | None) -> bool:
    """Add the objects of a part as long as there is room; returns whether some were left out."""
    with contextlib.suppress(Exception):  # artists of programs do anything
        for one in part:
            if len(into) == most:
                return True
            into.append({**one, "axes": axes} if axes is not None else one)
    return False
