"""Marks of figures as data: what belongs together comes as one mark, everything else by itself."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import wraps
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection
from matplotlib.container import BarContainer, ErrorbarContainer, StemContainer
from matplotlib.figure import Figure, FigureBase
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, Wedge
from matplotlib.spines import Spine
from matplotlib.table import Table
from matplotlib.text import Annotation, Text

from i2s_render_python.inside.figure_objects.artists import Described, described_artist
from i2s_render_python.inside.figure_objects.kinds import KINDS
from i2s_render_python.inside.figure_objects.values import MAX_POINTS, MAX_POINTS_OF_BOX, Object, Values

_NO_MARKS = (Spine, Axis, Legend, Text, Table)
#: Attribute of axes with what ``boxplot`` and ``violinplot`` have drawn there.
_BOXES = "_i2s_boxes"


def keep_boxes() -> None:
    """Have axes note what box plots and violins they are given, which nothing tells from lines afterwards."""
    for name, middle in (("bxp", "medians"), ("violin", "bodies")):
        drawn = getattr(Axes, name)

        @wraps(drawn)
        def noted(axes: Axes, *args: Any, _drawn: Any = drawn, _middle: str = middle, **kwargs: Any) -> Any:  # noqa: ANN401
            parts = _drawn(axes, *args, **kwargs)
            with contextlib.suppress(Exception):
                axes.__dict__.setdefault(_BOXES, []).append((_middle, parts))
            return parts

        setattr(Axes, name, noted)


def marks_of_axes(axes: Axes, values: Values) -> Iterator[Object]:
    """Yield the visible marks of axes, those that belong together first."""
    taken: set[int] = {id(axes.patch)}
    for group in (_boxes, _containers, _pies):
        with contextlib.suppress(Exception):  # axes of programs do anything
            yield from group(axes, values, taken)
    for child in axes.get_children():
        if id(child) not in taken and not isinstance(child, _NO_MARKS):
            yield from _single(child, axes, values)
        elif isinstance(child, Annotation) and child.arrow_patch is not None and child.get_visible():
            yield from _single(child.arrow_patch, axes, values)


def marks_of_figure(figure: Figure, values: Values) -> Iterator[Object]:
    """Yield the visible marks of a figure that are of no axes, with those of its sub-figures."""
    yield from _of_figure(figure, values)


def _of_figure(figure: FigureBase, values: Values) -> Iterator[Object]:
    for child in (*figure.artists, *figure.lines, *figure.patches, *figure.images):
        if not isinstance(child, _NO_MARKS):
            yield from _single(child, None, values)
    for part in figure.subfigs:
        yield from _of_figure(part, values)


def _single(artist: Artist, axes: Axes | None, values: Values) -> Iterator[Object]:
    if isinstance(artist, Axes) or not artist.get_visible() or np.all(artist.get_alpha() == 0):
        return
    placed: Object | None = None
    with contextlib.suppress(Exception):  # artists of programs do anything
        described = described_artist(artist, axes, values)
        placed = _with_place(described, artist, values) if described else None
    if placed is not None:
        yield placed


def _with_place(described: Described, artist: Artist, values: Values) -> Object:
    many = isinstance(artist, Line2D) and len(artist.get_xdata(orig=False)) > MAX_POINTS_OF_BOX
    box = None if many or "box" in described else values.box(artist)
    label = str(artist.get_label() or "")
    named = {"label": values.text(label)} if label and not label.startswith("_") else {}
    return {**described, **named, **({"box": box} if box is not None else {})}


def _containers(axes: Axes, values: Values, taken: set[int]) -> Iterator[Object]:
    for one in axes.containers:
        described: list[Object] = []
        used: set[int] = set()
        with contextlib.suppress(Exception):  # the parts of an odd one are described one by one
            described = list(_container(one, axes, values, taken, used))
            taken |= used
        yield from described


def _container(one: Any, axes: Axes, values: Values, taken: set[int], used: set[int]) -> Iterator[Object]:  # noqa: ANN401
    label = str(one.get_label() or "")
    named = {"label": values.text(label)} if label and not label.startswith("_") else {}
    if isinstance(one, BarContainer) and id(next(iter(one.patches), None)) not in taken:
        yield from _bars(one, values, used, named)
    elif isinstance(one, ErrorbarContainer):
        yield from _error_bars(one, values, used, named)
    elif isinstance(one, StemContainer):
        used.add(id(one.stemlines))
        stems = described_artist(one.stemlines, axes, values)
        if stems:
            yield {**stems, **named}


def _all(artists: Sequence[Artist], values: Values) -> Object:
    """Return the place of several artists together; none of so many that it would cost much."""
    boxes = [values.box(one) for one in artists] if len(artists) <= MAX_POINTS else []
    known = [one for one in boxes if one is not None]
    if not known:
        return {}
    left, top = min(one["x"] for one in known), min(one["y"] for one in known)
    right = max(one["x"] + one["width"] for one in known)
    bottom = max(one["y"] + one["height"] for one in known)
    return {"box": {"x": left, "y": top, "width": right - left, "height": bottom - top}}


def _bars(one: BarContainer, values: Values, taken: set[int], named: Object) -> Iterator[Object]:
    bars = [bar for bar in one.patches if bar.get_visible()]
    taken.update(map(id, one.patches))
    if not bars:
        return
    # Bars of 3d are of another class, and still have what rectangles have.
    x, y, width, height = (
        np.array([get(bar) for bar in bars], float)
        for get in (Rectangle.get_x, Rectangle.get_y, Rectangle.get_width, Rectangle.get_height)
    )
    lying = one.orientation == "horizontal"
    columns = (width, y + height / 2, x, height) if lying else (x + width / 2, height, y, width)
    (xs, ys, zs, sizes), rows, total = values.rows(*columns)
    yield {
        "kind": KINDS["HORIZONTAL_BARS" if lying else "BARS"],
        **{"x": xs, "y": ys, "z": zs, "sizes": sizes, "total": total},
        "colors": values.colors([bar.get_facecolor() for bar in bars], rows),
        "edge_colors": values.colors([bar.get_edgecolor() for bar in bars], rows),
        "line_width": values.number(bars[0].get_linewidth()),
        **_all(bars, values),
        **named,
    }


def _error_bars(one: ErrorbarContainer, values: Values, taken: set[int], named: Object) -> Iterator[Object]:
    line, caps, bars = one.lines
    taken.update(map(id, (*caps, *bars)))
    if not bars:
        return
    segments = [np.asarray(bar.get_segments(), float).reshape(-1, 2, 2) for bar in bars]
    lengths = [np.abs(part[:, 1] - part[:, 0]) / 2 for part in segments]
    middles = segments[0].mean(axis=1) if line is None else np.column_stack(line.get_data(orig=False))
    halves = [part[:, 0] if has_x else part[:, 1] for part, has_x in zip(lengths, _of_x(one), strict=False)]
    (xs, ys), total = values.columns(middles[:, 0], middles[:, 1])
    yield {
        "kind": KINDS["ERROR_BARS"],
        **{"x": xs, "y": ys, "total": total},
        "sizes": values.numbers(np.concatenate(halves)) if halves else [],
        "colors": values.colors(bars[0].get_color()),
        "line_width": values.number(np.max(bars[0].get_linewidth())),
        **_all([*caps, *bars], values),
        **named,
    }


def _of_x(one: ErrorbarContainer) -> list[bool]:
    return [True] * one.has_xerr + [False] * one.has_yerr


def _pies(axes: Axes, values: Values, taken: set[int]) -> Iterator[Object]:
    pies: dict[tuple[float, ...], list[Wedge]] = defaultdict(list)
    for patch in axes.patches:
        if isinstance(patch, Wedge) and patch.get_visible() and id(patch) not in taken:
            pies[(round(patch.r, 6), patch.width or 0)].append(patch)
    for (radius, _), wedges in pies.items():
        taken.update(map(id, wedges))
        first, last = [one.theta1 for one in wedges], [one.theta2 for one in wedges]
        (xs, ys, sizes), total = values.columns(first, last, [radius] * len(wedges))
        yield {
            "kind": KINDS["WEDGES"],
            **{"x": xs, "y": ys, "sizes": sizes, "total": total},
            "colors": values.colors([one.get_facecolor() for one in wedges]),
            "edge_colors": values.colors([one.get_edgecolor() for one in wedges]),
            "line_width": values.number(wedges[0].get_linewidth()),
            **_all(wedges, values),
        }


def _boxes(axes: Axes, values: Values, taken: set[int]) -> Iterator[Object]:
    for middle, parts in axes.__dict__.get(_BOXES, ()):
        groups = [group if isinstance(group, list) else [group] for group in parts.values()]
        artists = [artist for group in groups for artist in group]
        alive = [artist for artist in artists if artist.axes is axes]
        if not alive:
            continue  # they were removed
        taken.update(map(id, artists))
        bodies = parts.get("boxes") or parts.get("bodies") or alive
        centers: list[tuple[float, float]] = [_center(artist) for artist in parts[middle]]
        (xs, ys), total = values.columns([x for x, _ in centers], [y for _, y in centers])
        yield {
            "kind": KINDS["BOXES"],
            **{"x": xs, "y": ys, "total": total},
            "colors": values.colors([_fill(body) for body in bodies]),
            **_all(alive, values),
        }


def _center(artist: Artist) -> tuple[float, float]:
    if isinstance(artist, Line2D):
        x, y = artist.get_data(orig=False)
        return float(np.mean(x)), float(np.mean(y))
    if isinstance(artist, Collection):
        vertices = artist.get_paths()[0].vertices
        x, y = np.mean([vertices.min(axis=0), vertices.max(axis=0)], axis=0)
        return float(x), float(y)
    raise TypeError


def _fill(artist: Any) -> object:  # noqa: ANN401 - artists have no common class with a colour
    if isinstance(artist, Line2D):
        from matplotlib.colors import to_rgba

        return to_rgba(artist.get_color())
    return np.atleast_2d(artist.get_facecolor())[0]
