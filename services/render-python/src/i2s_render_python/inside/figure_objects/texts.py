"""Texts of figures as data: what they say, what they are, where they are."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.axis import Axis, Tick
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure, FigureBase
from matplotlib.legend import Legend
from matplotlib.offsetbox import OffsetBox
from matplotlib.table import Table
from matplotlib.text import Annotation, Text
from mpl_toolkits.mplot3d.art3d import Text3D
from mpl_toolkits.mplot3d.axis3d import Axis as Axis3D
from mpl_toolkits.mplot3d.proj3d import proj_transform

from i2s_render_python.inside.figure_objects.values import Object, Values

ROLES = {
    "TITLE": 1,
    "FIGURE_TITLE": 2,
    "X_LABEL": 3,
    "Y_LABEL": 4,
    "Z_LABEL": 5,
    "X_TICK": 6,
    "Y_TICK": 7,
    "Z_TICK": 8,
    "LEGEND_TITLE": 9,
    "LEGEND_ENTRY": 10,
    "TABLE_CELL": 11,
    "TEXT": 12,
}


def texts_of_axes(axes: Axes, values: Values) -> Iterator[Object]:
    """Yield the visible texts of axes."""
    yield from _all_described(_of_axes(axes), values)


def texts_of_figure(figure: Figure, values: Values) -> Iterator[Object]:
    """Yield the visible texts of a figure that are of no axes, with those of its sub-figures."""
    yield from _all_described(_of_figure(figure), values)


def _all_described(texts: Iterator[tuple[str, Text]], values: Values) -> Iterator[Object]:
    for role, text in texts:
        described: list[Object] = []
        with contextlib.suppress(Exception):  # texts of programs do anything
            described += _described(text, role, values)
        yield from described


def _of_axes(axes: Axes) -> Iterator[tuple[str, Text]]:
    for part in (_titles, _of_axis_lines, _of_children):
        with contextlib.suppress(Exception):  # axes of programs do anything
            yield from part(axes)


def _titles(axes: Axes) -> Iterator[tuple[str, Text]]:
    for title in (axes.title, axes._left_title, axes._right_title):
        yield "TITLE", title


def _of_axis_lines(axes: Axes) -> Iterator[tuple[str, Text]]:
    if getattr(axes, "_axis3don", axes.axison):
        for name in ("x", "y", "z"):
            axis: Axis | None = getattr(axes, f"{name}axis", None)
            if axis is not None and axis.get_visible():
                yield f"{name.upper()}_LABEL", axis.label
                for tick in _ticks(axis):
                    yield f"{name.upper()}_TICK", tick.label1
                    yield f"{name.upper()}_TICK", tick.label2
                yield f"{name.upper()}_TICK", axis.get_offset_text()


def _of_children(axes: Axes) -> Iterator[tuple[str, Text]]:
    for child in axes.get_children():
        if isinstance(child, Legend):
            yield from _of_legend(child)
        elif isinstance(child, Table) and child.get_visible():
            for cell in child.get_celld().values():
                yield "TABLE_CELL", cell.get_text()
        elif isinstance(child, OffsetBox) and child.get_visible():
            for text in child.findobj(Text):
                yield "TEXT", text
    for text in axes.texts:
        yield "TEXT", text


def _ticks(axis: Axis) -> list[Tick]:
    """Return the ticks that are drawn."""
    if not isinstance(axis, Axis3D):
        drawn: list[Tick] = axis._update_ticks()
        return drawn
    # Which would move the labels of a projection away from where they were drawn.
    low, high = sorted(axis.get_view_interval())
    ticks = axis.majorTicks[: len(axis.get_majorticklocs())]
    slack = (high - low) * 1e-9
    return [tick for tick in ticks if low - slack <= tick.get_loc() <= high + slack]


def _of_legend(legend: Legend) -> Iterator[tuple[str, Text]]:
    if legend.get_visible():
        yield "LEGEND_TITLE", legend.get_title()
        for text in legend.get_texts():
            yield "LEGEND_ENTRY", text


def _of_figure(figure: FigureBase) -> Iterator[tuple[str, Text]]:
    named = {"_suptitle": "FIGURE_TITLE", "_supxlabel": "X_LABEL", "_supylabel": "Y_LABEL"}
    roles = {id(getattr(figure, name, None)): role for name, role in named.items()}
    for text in figure.texts:
        yield roles.get(id(text), "TEXT"), text
    for legend in figure.legends:
        yield from _of_legend(legend)
    for part in figure.subfigs:
        yield from _of_figure(part)


def _as_drawn(text: Text) -> Text:
    """Return a text where it was drawn; one of 3d is there only while it is being drawn."""
    if not isinstance(text, Text3D):
        return text
    x, y, _ = proj_transform(*text.get_position_3d(), text.axes.M)
    drawn = copy.copy(text)
    drawn.set_x(x)
    drawn.set_y(y)
    return drawn


def _described(text: Text, role: str, values: Values) -> Iterator[Object]:
    words = values.text(text.get_text())
    if not text.get_visible() or text.get_alpha() == 0 or not words.strip():
        return
    if isinstance(text, Annotation) and not text._check_xy(None):  # it is of a point that is not in view
        return
    box = values.box(_as_drawn(text))
    if box is not None:
        yield {
            "text": words,
            "role": ROLES[role],
            "box": box,
            "color": values.color(to_rgba(text.get_color(), text.get_alpha())),
            "size": values.number(text.get_size()),
            "rotation": values.number(text.get_rotation()),
        }
