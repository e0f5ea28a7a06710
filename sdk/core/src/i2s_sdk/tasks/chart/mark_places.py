"""Where marks must be in the image of a figure, by their data and the limits of their axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from i2s_sdk.tasks.chart.pixels import Bools, Canvas, Floats, Ints
from i2s_wire.render.figure import Axes, Axis, Mark, MarkKind

#: The least and the greatest distance in pixels from a place within which a colour is looked for.
_LEAST_RADIUS, _MOST_RADIUS = 2.0, 12.0
#: How far around the end of a filled mark its colour and another one are looked for.
_EDGE_RADIUS = 4.0
#: Scales of axes on which places are known.
_LINEAR, _LOG = ("linear", "category"), "log"
#: Outlines of no more corners also have places between them.
_FEW_CORNERS = 100
#: The most values that cells have in the objects of a figure.
MOST_VALUES = 1000
#: The most bars, and corners of outlines, that places are compared with.
_MOST_BARS = 1000


@dataclass(frozen=True, slots=True)
class Places:
    """Places of a mark in pixels, not rounded."""

    #: Of shape (n, 2): column and row.
    points: Floats
    #: Number of the item that each is of, from 0.
    items: Ints
    #: Whether the mark ends at a place, so that another colour is there too.
    edges: Bools
    #: How far from a place the colour may be.
    radius: float
    #: Rectangles that the mark fills: left, top, right, bottom; of shape (m, 4).
    filled: Floats
    #: Outline that it fills, of shape (m, 2).
    outline: Floats

    def cover(self, points: Floats, margin: float) -> Bools:
        """Return which points the mark takes, or are within ``margin`` of its places."""
        taken: Bools = np.zeros(len(points), dtype=bool)
        reach = self.radius + margin
        for first in range(0, len(self.points), 500):
            some = self.points[None, first : first + 500]
            near: Bools = np.all(np.abs(points[:, None] - some) <= reach, axis=2)
            taken |= np.any(near, axis=1)
        if len(self.filled):
            left, top, right, bottom = (self.filled[:, number] for number in range(4))
            across = (points[:, :1] >= left - margin) & (points[:, :1] <= right + margin)
            taken |= (across & (points[:, 1:] >= top - margin) & (points[:, 1:] <= bottom + margin)).any(
                axis=1
            )
        return taken | _in_outline(points, self.outline)


def _in_outline(points: Floats, outline: Floats) -> Bools:
    """Return which points are in an outline, by the rule of even and odd crossings."""
    if len(outline) < 3:
        return np.zeros(len(points), dtype=bool)
    x, y = outline[:, 0], outline[:, 1]
    next_x, next_y = np.roll(x, -1), np.roll(y, -1)
    down = points[:, 1:]
    crosses = (y <= down) != (next_y <= down)
    at = x + (down - y) / (next_y - y) * (next_x - x)
    inside: Bools = (crosses & (points[:, :1] < at)).sum(axis=1) % 2 == 1
    return inside


def places_of(mark: Mark, axes: Axes | None, canvas: Canvas) -> Places | None:
    """Return where a mark must be; None if its data or its axes do not say it."""
    describe = _DESCRIBED.get(mark.kind)
    if describe is None:
        return None
    found = describe(mark, _Projection(mark, axes, canvas))
    if found is None or not len(found.points):
        return None
    known = np.isfinite(found.points).all(axis=1)
    if not known.any():
        return None
    return Places(
        found.points[known], found.items[known], found.edges[known], found.radius, found.filled, found.outline
    )


def cells_of(mark: Mark, axes: Axes | None, canvas: Canvas) -> list[list[Floats]]:
    """Return where the cells with the values of a mark may be: two ways, each of some places in each cell.

    Places are pixels, of shape (values, 2). There are none if it is not known which cells have the values.
    Rows are counted from above or from below, which the objects do not say.
    """
    if len(mark.sizes) != 2 or len(mark.x) != 2 or len(mark.y) != 2 or mark.total < len(mark.z):
        return []
    rows, columns = (int(size) for size in mark.sizes)
    if rows < 1 or columns < 1 or rows * columns != mark.total:
        return []
    if len(mark.z) not in (mark.total, MOST_VALUES):  # some have no value
        return []
    cells = np.linspace(0, mark.total - 1, len(mark.z)).round().astype(int)
    row, column = np.divmod(cells, columns)
    projection, ways = _Projection(mark, axes, canvas), []
    for down in (row, rows - 1 - row):
        way = []
        for inside in (0.2, 0.5, 0.8):
            across = mark.x[0] + (column + inside) / columns * (mark.x[1] - mark.x[0])
            along = mark.y[0] + (down + 1 - inside) / rows * (mark.y[1] - mark.y[0])
            points = projection.points(across, along)
            if points is None:
                return []
            way.append(points)
        ways.append(way)
    return ways


class _Projection:
    """From the data of axes to pixels."""

    def __init__(self, mark: Mark, axes: Axes | None, canvas: Canvas) -> None:
        self.canvas = canvas
        self._axes = None if mark.placed_by_figure else axes

    def points(self, x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> Floats | None:
        """Return points in pixels, of shape (n, 2), NaN where there are none; None if it is not known."""
        length = min(len(x), len(y))
        xs, ys = np.asarray(x, dtype=np.float64)[:length], np.asarray(y, dtype=np.float64)[:length]
        if self._axes is not None:
            if self._axes.projection != "rectilinear":
                return None
            across, up = _share(xs, self._axes.x), _share(ys, self._axes.y)
            if across is None or up is None:
                return None
            box = self._axes.box
            xs, ys = box.x + across * box.width, box.y + (1 - up) * box.height
        return self.canvas.places(np.column_stack([xs, ys]))


def _share(values: Floats, axis: Axis) -> Floats | None:
    """Return which part of an axis lies before values; None if that is not known of its scale."""
    first, last = axis.first, axis.last
    if axis.scale == _LOG:
        if first <= 0 or last <= 0:
            return None
        values, first, last = np.log10(values), math.log10(first), math.log10(last)
    elif axis.scale not in _LINEAR:
        return None
    if first == last:
        return None
    shares: Floats = (values - first) / (last - first)
    return shares


def _places(
    points: Floats,
    items: Ints | None = None,
    *,
    edges: Bools | bool = False,
    radius: float = _LEAST_RADIUS,
    filled: Floats | None = None,
    outline: Floats | None = None,
) -> Places:
    return Places(
        points,
        np.arange(len(points)) if items is None else items,
        np.full(len(points), edges) if isinstance(edges, bool) else edges,
        float(np.clip(radius, _LEAST_RADIUS, _MOST_RADIUS)),
        np.empty((0, 4)) if filled is None else filled[:_MOST_BARS],
        np.empty((0, 2)) if outline is None else outline,
    )


def _line(mark: Mark, projection: _Projection) -> Places | None:
    if mark.z:  # of 3D
        return None
    points = projection.points(mark.x, mark.y)
    if points is None:
        return None
    stroke = mark.line_width * projection.canvas.per_point / 2 + 1
    if 1 < len(points) <= 200 and mark.total == len(points):
        between = points[:-1] + (points[1:] - points[:-1]) * 0.37
        points = np.concatenate([points, between])
    return _places(
        points, np.zeros(len(points), dtype=np.int64), radius=max(stroke, 4.0) if mark.marker else stroke
    )


def _points(mark: Mark, projection: _Projection) -> Places | None:
    if mark.z:
        return None
    points = projection.points(mark.x, mark.y)
    if points is None:
        return None
    middle = float(np.median(mark.sizes)) if mark.sizes else 36.0
    return _places(points, radius=math.sqrt(max(middle, 0.0)) / 2 * projection.canvas.per_point + 0.5)


def _bars(mark: Mark, projection: _Projection) -> Places | None:
    """Return the ends of bars, a quarter of their width from their middle."""
    lying = mark.kind is MarkKind.HORIZONTAL_BARS
    middles, lengths = (mark.y, mark.x) if lying else (mark.x, mark.y)
    columns = [np.asarray(one, dtype=np.float64) for one in (middles, lengths, mark.z, mark.sizes)]
    if len({len(column) for column in columns}) != 1:
        return None
    middle, length, foot, width = columns
    corners = []
    for beside, end in ((-0.25, 1.0), (0.25, 1.0), (-0.5, 0.0), (0.5, 1.0), (0.25, 0.5)):
        along, across = foot + length * end, middle + width * beside
        found = projection.points(along, across) if lying else projection.points(across, along)
        if found is None:
            return None
        corners.append(found)
    first, second = corners[2], corners[3]
    filled = np.column_stack([np.minimum(first, second), np.maximum(first, second)])
    drawn = np.abs(second - first).min(axis=1) > 0.3  # bars without a height show nothing
    items = np.flatnonzero(drawn)
    ends = np.concatenate([corners[0][drawn], corners[1][drawn]])
    edges: Bools = np.ones(len(ends), dtype=bool)
    whole = projection.canvas.whole
    cut = ~_in_view(ends, projection, whole.right, whole.bottom)
    ends = np.where(cut[:, None], np.tile(corners[4][drawn], (2, 1)), ends)
    return _places(ends, np.tile(items, 2), edges=edges & ~cut, radius=_EDGE_RADIUS, filled=filled[drawn])


def _in_view(points: Floats, projection: _Projection, width: int, height: int) -> Bools:
    inside: Bools = (points >= 0).all(axis=1) & (points[:, 0] < width) & (points[:, 1] < height)
    return inside


def _area(mark: Mark, projection: _Projection) -> Places | None:
    points = projection.points(mark.x, mark.y)
    if points is None:
        return None
    outline = points
    if 1 < len(points) <= _FEW_CORNERS:
        points = np.concatenate([points, (points[:-1] + points[1:]) / 2])
    return _places(
        points, np.zeros(len(points), dtype=np.int64), edges=True, radius=_EDGE_RADIUS, outline=outline
    )


#: Shapes whose corners are on their outline.
_STRAIGHT = ("Rectangle", "Polygon", "RegularPolygon", "FancyArrow", "CirclePolygon", "StepPatch")


def _shape(mark: Mark, projection: _Projection) -> Places | None:
    if mark.shape not in _STRAIGHT or mark.total > 1:
        return None
    points = projection.points(mark.x, mark.y)
    if points is None or len(points) < 2:
        return None
    between = (points[:-1] + points[1:]) / 2
    return _places(
        np.concatenate([points, between]),
        np.zeros(2 * len(points) - 1, dtype=np.int64),
        edges=True,
        radius=_EDGE_RADIUS,
        outline=points,
    )


def _steps(mark: Mark, projection: _Projection) -> Places | None:
    edges = np.asarray(mark.x, dtype=np.float64)
    points = projection.points((edges[:-1] + edges[1:]) / 2, mark.y)
    if points is None:
        return None
    around = projection.points(np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(mark.y, 2), [0.0]]))
    return _places(points, np.zeros(len(points), dtype=np.int64), radius=3.0, outline=around)


def _error_bars(mark: Mark, projection: _Projection) -> Places | None:
    """Return places on the bars of x and of y, a third of their length from the middle."""
    x, y, sizes = (np.asarray(one, dtype=np.float64) for one in (mark.x, mark.y, mark.sizes))
    count = len(x)
    if not count or len(y) != count or len(sizes) not in (count, 2 * count):
        return None
    found = []
    halves = [sizes] * 2 if len(sizes) == count else [sizes[:count], sizes[count:]]
    for side in (-0.8, 0.8):
        for along, half in enumerate(halves):
            moved = (
                projection.points(x + side * half, y) if along == 0 else projection.points(x, y + side * half)
            )
            if moved is None:
                return None
            found.append(moved)
    return _places(np.concatenate(found), np.tile(np.arange(count), len(found)), radius=3.0)


def _arrows(mark: Mark, projection: _Projection) -> Places | None:
    points = projection.points(mark.x, mark.y)
    return None if points is None else _places(points, radius=6.0)


def _segments(mark: Mark, projection: _Projection) -> Places | None:
    points = projection.points(mark.x, mark.y)
    if points is None:
        return None
    first, last = points[: len(points) // 2 * 2 : 2], points[1::2]
    parts = [first + (last - first) * share for share in (0.02, 0.3, 0.5, 0.7, 0.98)]
    stroke = mark.line_width * projection.canvas.per_point / 2 + 1
    return _places(np.concatenate(parts), np.tile(np.arange(len(first)), len(parts)), radius=stroke)


def _wedges(mark: Mark, projection: _Projection) -> Places | None:
    """Return places of a whole pie, which its box surrounds: the rim of each wedge, and where it begins."""
    begins, ends = np.asarray(mark.x, dtype=np.float64), np.asarray(mark.y, dtype=np.float64)
    if mark.box is None or len(begins) != len(ends) or abs(float((ends - begins).sum()) - 360) > 5:
        return None
    left, top, right, bottom = projection.canvas.corners(mark.box)
    middle, reach = (
        np.array([(left + right) / 2, (top + bottom) / 2]),
        np.array([right - left, bottom - top]) / 2,
    )
    some = []
    for angles, out in (((begins + ends) / 2, 1.0), (begins, 0.75), (ends, 0.75)):
        turned = np.radians(angles)
        some.append(middle + out * reach * np.column_stack([np.cos(turned), -np.sin(turned)]))
    items = np.tile(np.arange(len(begins)), len(some))
    return _places(np.concatenate(some), items, edges=True, radius=_EDGE_RADIUS + 1)


_DESCRIBED = {
    MarkKind.LINE: _line,
    MarkKind.POINTS: _points,
    MarkKind.BARS: _bars,
    MarkKind.HORIZONTAL_BARS: _bars,
    MarkKind.WEDGES: _wedges,
    MarkKind.AREA: _area,
    MarkKind.STEPS: _steps,
    MarkKind.ERROR_BARS: _error_bars,
    MarkKind.ARROWS: _arrows,
    MarkKind.SHAPE: _shape,
    MarkKind.SEGMENTS: _segments,
}
