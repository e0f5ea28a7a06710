"""Objects of figures as messages of ``i2s.render.v1``. Texts must be valid Unicode."""

from __future__ import annotations

from i2s.render.v1 import figure_pb2 as pb
from i2s_wire.render.figure import Axes, Axis, Call, Figure, FigureBox, FigureText, Mark


def figure(one: Figure) -> pb.Figure:
    """Return a figure as the wire has it.

    Raises:
        ValueError: A text holds a lone surrogate.
    """
    return pb.Figure(
        page=one.page,
        width_inches=one.width_inches,
        height_inches=one.height_inches,
        dpi=one.dpi,
        axes=[_axes(one) for one in one.axes],
        texts=[_text(one) for one in one.texts],
        marks=[_mark(one) for one in one.marks],
        truncated=one.truncated,
        calls=_calls(one.calls) if one.calls is not None else None,
    )


def _calls(calls: tuple[Call, ...]) -> pb.Calls:
    return pb.Calls(functions=[pb.Call(function=one.function, count=one.count) for one in calls])


def _box(box: FigureBox | None) -> pb.FigureBox | None:
    return pb.FigureBox(x=box.x, y=box.y, width=box.width, height=box.height) if box is not None else None


def _axis(axis: Axis | None) -> pb.Axis | None:
    return pb.Axis(scale=axis.scale, first=axis.first, last=axis.last) if axis is not None else None


def _axes(axes: Axes) -> pb.Axes:
    return pb.Axes(
        box=_box(axes.box),
        projection=axes.projection,
        x=_axis(axes.x),
        y=_axis(axes.y),
        z=_axis(axes.z),
        rows=axes.rows,
        columns=axes.columns,
        first_row=axes.first_row,
        last_row=axes.last_row,
        first_column=axes.first_column,
        last_column=axes.last_column,
        legend=_box(axes.legend),
        colorbar=axes.colorbar,
        frame=axes.frame,
        grid=axes.grid,
        color=axes.color,
    )


def _text(text: FigureText) -> pb.FigureText:
    return pb.FigureText(
        text=text.text,
        role=pb.TextRole.ValueType(text.role),
        axes=text.axes,
        box=_box(text.box),
        color=text.color,
        size=text.size,
        rotation=text.rotation,
    )


def _mark(mark: Mark) -> pb.Mark:
    return pb.Mark(
        kind=pb.MarkKind.ValueType(mark.kind),
        axes=mark.axes,
        label=mark.label,
        x=mark.x,
        y=mark.y,
        z=mark.z,
        sizes=mark.sizes,
        colors=mark.colors,
        edge_colors=mark.edge_colors,
        line_style=mark.line_style,
        line_width=mark.line_width,
        marker=mark.marker,
        shape=mark.shape,
        color_map=mark.color_map,
        total=mark.total,
        box=_box(mark.box),
        placed_by_figure=mark.placed_by_figure,
    )
