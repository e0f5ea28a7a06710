"""Objects of figures, read from messages of ``i2s.render.v1``."""

from __future__ import annotations

from i2s.render.v1 import figure_pb2 as pb
from i2s_wire.errors import member
from i2s_wire.render.figure import Axes, Axis, Call, Figure, FigureBox, FigureText, Mark, MarkKind, TextRole


def figure(one: pb.Figure) -> Figure:
    """Return a figure that was sent.

    Raises:
        UnknownValueError: A role or kind is unknown.
    """
    return Figure(
        page=one.page,
        width_inches=one.width_inches,
        height_inches=one.height_inches,
        dpi=one.dpi,
        axes=tuple(map(_axes, one.axes)),
        texts=tuple(map(_text, one.texts)),
        marks=tuple(map(_mark, one.marks)),
        truncated=one.truncated,
        calls=_calls(one.calls) if one.HasField("calls") else None,
    )


def _calls(calls: pb.Calls) -> tuple[Call, ...]:
    return tuple(Call(one.function, one.count) for one in calls.functions)


def _box(box: pb.FigureBox) -> FigureBox:
    return FigureBox(box.x, box.y, box.width, box.height)


def _axis(axis: pb.Axis) -> Axis:
    return Axis(axis.scale, axis.first, axis.last)


def _axes(axes: pb.Axes) -> Axes:
    return Axes(
        box=_box(axes.box),
        projection=axes.projection,
        x=_axis(axes.x),
        y=_axis(axes.y),
        z=_axis(axes.z) if axes.HasField("z") else None,
        rows=axes.rows,
        columns=axes.columns,
        first_row=axes.first_row,
        last_row=axes.last_row,
        first_column=axes.first_column,
        last_column=axes.last_column,
        legend=_box(axes.legend) if axes.HasField("legend") else None,
        colorbar=axes.colorbar,
        frame=axes.frame,
        grid=axes.grid,
        color=axes.color,
    )


def _text(text: pb.FigureText) -> FigureText:
    return FigureText(
        text=text.text,
        role=member(TextRole, text.role, "figures.texts.role"),
        axes=text.axes if text.HasField("axes") else None,
        box=_box(text.box),
        color=text.color,
        size=text.size,
        rotation=text.rotation,
    )


def _mark(mark: pb.Mark) -> Mark:
    return Mark(
        kind=member(MarkKind, mark.kind, "figures.marks.kind"),
        axes=mark.axes if mark.HasField("axes") else None,
        label=mark.label,
        x=tuple(mark.x),
        y=tuple(mark.y),
        z=tuple(mark.z),
        sizes=tuple(mark.sizes),
        colors=tuple(mark.colors),
        edge_colors=tuple(mark.edge_colors),
        line_style=mark.line_style,
        line_width=mark.line_width,
        marker=mark.marker,
        shape=mark.shape,
        color_map=mark.color_map,
        total=mark.total,
        box=_box(mark.box) if mark.HasField("box") else None,
        placed_by_figure=mark.placed_by_figure,
    )
