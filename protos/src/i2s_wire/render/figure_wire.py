"""Objects of figures to messages of ``i2s.render.v1`` and back."""

from __future__ import annotations

from i2s.render.v1 import figure_pb2 as pb
from i2s_wire.errors import member
from i2s_wire.render.figure import Axes, Axis, Figure, FigureBox, FigureText, Mark, MarkKind, TextRole


def to_wire(figure: Figure) -> pb.Figure:
    """Return a figure as the wire has it.

    Raises:
        ValueError: A text holds a lone surrogate.
    """
    return pb.Figure(
        page=figure.page,
        width_inches=figure.width_inches,
        height_inches=figure.height_inches,
        dpi=figure.dpi,
        axes=[_axes_to_wire(one) for one in figure.axes],
        texts=[_text_to_wire(one) for one in figure.texts],
        marks=[_mark_to_wire(one) for one in figure.marks],
        truncated=figure.truncated,
    )


def from_wire(figure: pb.Figure) -> Figure:
    """Return a figure that was sent.

    Raises:
        UnknownValueError: A role or kind is unknown.
    """
    return Figure(
        page=figure.page,
        width_inches=figure.width_inches,
        height_inches=figure.height_inches,
        dpi=figure.dpi,
        axes=tuple(map(_axes_from_wire, figure.axes)),
        texts=tuple(map(_text_from_wire, figure.texts)),
        marks=tuple(map(_mark_from_wire, figure.marks)),
        truncated=figure.truncated,
    )


def _box_to_wire(box: FigureBox | None) -> pb.FigureBox | None:
    return pb.FigureBox(x=box.x, y=box.y, width=box.width, height=box.height) if box is not None else None


def _box_from_wire(box: pb.FigureBox) -> FigureBox:
    return FigureBox(box.x, box.y, box.width, box.height)


def _axis_to_wire(axis: Axis | None) -> pb.Axis | None:
    return pb.Axis(scale=axis.scale, first=axis.first, last=axis.last) if axis is not None else None


def _axis_from_wire(axis: pb.Axis) -> Axis:
    return Axis(axis.scale, axis.first, axis.last)


def _axes_to_wire(axes: Axes) -> pb.Axes:
    return pb.Axes(
        box=_box_to_wire(axes.box),
        projection=axes.projection,
        x=_axis_to_wire(axes.x),
        y=_axis_to_wire(axes.y),
        z=_axis_to_wire(axes.z),
        rows=axes.rows,
        columns=axes.columns,
        first_row=axes.first_row,
        last_row=axes.last_row,
        first_column=axes.first_column,
        last_column=axes.last_column,
        legend=_box_to_wire(axes.legend),
        colorbar=axes.colorbar,
        frame=axes.frame,
        grid=axes.grid,
        color=axes.color,
    )


def _axes_from_wire(axes: pb.Axes) -> Axes:
    return Axes(
        box=_box_from_wire(axes.box),
        projection=axes.projection,
        x=_axis_from_wire(axes.x),
        y=_axis_from_wire(axes.y),
        z=_axis_from_wire(axes.z) if axes.HasField("z") else None,
        rows=axes.rows,
        columns=axes.columns,
        first_row=axes.first_row,
        last_row=axes.last_row,
        first_column=axes.first_column,
        last_column=axes.last_column,
        legend=_box_from_wire(axes.legend) if axes.HasField("legend") else None,
        colorbar=axes.colorbar,
        frame=axes.frame,
        grid=axes.grid,
        color=axes.color,
    )


def _text_to_wire(text: FigureText) -> pb.FigureText:
    return pb.FigureText(
        text=text.text,
        role=pb.TextRole.ValueType(text.role),
        axes=text.axes,
        box=_box_to_wire(text.box),
        color=text.color,
        size=text.size,
        rotation=text.rotation,
    )


def _text_from_wire(text: pb.FigureText) -> FigureText:
    return FigureText(
        text=text.text,
        role=member(TextRole, text.role, "figures.texts.role"),
        axes=text.axes if text.HasField("axes") else None,
        box=_box_from_wire(text.box),
        color=text.color,
        size=text.size,
        rotation=text.rotation,
    )


def _mark_to_wire(mark: Mark) -> pb.Mark:
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
        box=_box_to_wire(mark.box),
        placed_by_figure=mark.placed_by_figure,
    )


def _mark_from_wire(mark: pb.Mark) -> Mark:
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
        box=_box_from_wire(mark.box) if mark.HasField("box") else None,
        placed_by_figure=mark.placed_by_figure,
    )
