"""Marks of figures as data: artists by themselves, or those that belong together as one mark."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, wraps
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import (
    CircleCollection,
    Collection,
    LineCollection,
    PatchCollection,
    PathCollection,
    PolyCollection,
    PolyQuadMesh,
    QuadMesh,
    RegularPolyCollection,
)
from matplotlib.colors import to_rgba
from matplotlib.container import BarContainer, ErrorbarContainer, StemContainer
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure, FigureBase
from matplotlib.image import AxesImage, FigureImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle, StepPatch, Wedge
from matplotlib.path import Path
from matplotlib.quiver import Barbs, Quiver
from matplotlib.spines import Spine
from matplotlib.table import Table
from matplotlib.text import Annotation, Text
from mpl_toolkits.mplot3d.art3d import (
    Line3D,
    Line3DCollection,
    Patch3DCollection,
    Path3DCollection,
    Poly3DCollection,
)

from i2s_render_python.inside.figure_objects.values import (
    KINDS,
    MAX_POINTS,
    MAX_POINTS_OF_BOX,
    Object,
    Values,
)

Described = dict[str, Any]
_NO_LINE = ("None", "none", " ", "")
_STYLES = {"solid": "-", "dashed": "--", "dotted": ":", "dashdot": "-."} | dict.fromkeys(_NO_LINE, "none")
_NO_MARKER = (None, "None", "none", " ", "", ",")


def described_artist(artist: Artist, axes: Axes | None, values: Values) -> Described | None:
    """Return an artist as a mark without label and place, None for one that is no mark or shows nothing.

    Args:
        artist: The artist.
        axes: Its axes, None if it is of the figure.
        values: The object that writes values down.
    """
    for kind, describe in _DESCRIBERS:
        if isinstance(artist, kind):
            described: Described | None = describe(artist, axes, values)
            return described
    return None


def _placed(points: Any, artist: Artist, axes: Axes | None, values: Values) -> Described:  # noqa: ANN401
    """Return points of shape (n, 2) as data of the axes, or as fractions of the figure if placed so."""
    table, of_figure = _places(points, artist, axes, values)
    (x, y), total = values.columns(table[:, 0], table[:, 1])
    return {"x": x, "y": y, "total": total, **({"placed_by_figure": True} if of_figure else {})}


def _places(points: Any, artist: Artist, axes: Axes | None, values: Values) -> tuple[np.ndarray, bool]:  # noqa: ANN401
    """Return what ``_placed`` does as a table of all points, and whether it is of the figure."""
    table = np.asarray(points, dtype=float).reshape(-1, 2)
    transform = artist.get_transform()
    of_data = axes is not None and transform.contains_branch(axes.transData)
    if of_data and axes is not None and transform != axes.transData and isinstance(artist, Line2D):
        of_data = all(transform.contains_branch_seperately(axes.transData))  # not a line across the axes
    return (table, False) if of_data else (values.fractions(transform.transform(table)), True)


def _fractions(display: np.ndarray, values: Values) -> Described:
    places = values.fractions(display)
    (x, y), total = values.columns(places[:, 0], places[:, 1])
    return {"x": x, "y": y, "total": total, "placed_by_figure": True}


def _line(line: Line2D, axes: Axes | None, values: Values) -> Described | None:
    marker = line.get_marker() if line.get_marker() not in _NO_MARKER else ""
    style = str(line.get_linestyle())
    bare = style in _NO_LINE or line.get_linewidth() == 0
    if bare and not marker:
        return None
    if isinstance(line, Line3D):
        (x, y, z), total = values.columns(*line.get_data_3d())
        data: Described = {"x": x, "y": y, "z": z, "total": total}
    else:
        data = _placed(np.column_stack(line.get_data(orig=False)), line, axes, values)
    if data["total"] == 0:
        return None
    kind = "POINTS" if bare else "LINE"
    if kind == "LINE" and data.get("placed_by_figure") and data["total"] == 2:  # a line across the axes
        kind, data["total"] = "SEGMENTS", 1
    alpha = line.get_alpha()
    fill = to_rgba(line.get_markerfacecolor() if bare else line.get_color(), alpha)
    return {
        "kind": KINDS[kind],
        **data,
        "colors": values.colors([fill]),
        "edge_colors": values.colors([to_rgba(line.get_markeredgecolor(), alpha)]) if marker else [],
        "line_style": "none" if bare else style,
        "line_width": values.number(line.get_linewidth()),
        "marker": values.text(marker)[:100],
        "sizes": [values.number(line.get_markersize() ** 2)] if bare else [],
    }


def _points(points: Any, axes: Axes | None, values: Values) -> Described | None:  # noqa: ANN401
    offsets: Any = np.ma.filled(np.ma.asarray(points.get_offsets(), dtype=float), np.nan)
    display = points.get_offset_transform().transform(offsets)
    of_figure = axes is None or points.get_offset_transform() != axes.transData
    if isinstance(points, Path3DCollection):
        columns = tuple(points._offsets3d)
        of_figure = False
    else:
        columns = tuple((values.fractions(display) if of_figure else offsets).T)
    sizes = np.resize(points.get_sizes(), len(columns[0]))
    (*places, areas), rows, total = values.rows(*columns, sizes)
    if total == 0:
        return None
    return {
        "kind": KINDS["POINTS"],
        **dict(zip("xyz", places, strict=False)),
        "sizes": areas[:1] if len(set(areas)) == 1 else areas,
        "marker": _symbol(points.get_paths()),
        "total": total,
        **_paint(points, values, rows),
        **_around(display, values),
        **({"placed_by_figure": True} if of_figure else {}),
    }


def _symbol(paths: Any) -> str:  # noqa: ANN401 - a sequence of paths
    """Return the symbol that has the outline of the points, empty if there are several or it is unknown."""
    found = {_symbols().get(_outline(path), "") for path in paths[: len(_symbols())]}
    return found.pop() if len(found) == 1 and len(paths) <= len(_symbols()) else ""


@cache
def _symbols() -> dict[tuple[bytes, bytes], str]:
    styles = [MarkerStyle(name) for name in MarkerStyle.markers if isinstance(name, str)]
    known = [style for style in styles if style.get_marker() not in _NO_MARKER]
    outlines = [_outline(style.get_path().transformed(style.get_transform())) for style in known]
    return {outline: str(style.get_marker()) for outline, style in zip(outlines, known, strict=True)}


def _outline(path: Path) -> tuple[bytes, bytes]:
    vertices = np.round(np.asarray(path.vertices, dtype=float), 6) + 0.0  # which makes -0.0 into 0.0
    return vertices.tobytes(), b"" if path.codes is None else np.asarray(path.codes).tobytes()


def _around(display: Any, values: Values) -> Described:  # noqa: ANN401 - points of the display, of shape (n, 2)
    """Return the place of points, without their symbols, which matplotlib itself cannot tell."""
    box = values.around(display)
    return {"box": box} if box is not None else {}


def _paint(collection: Collection, values: Values, rows: np.ndarray | None = None) -> Described:
    # Colours without the shades that points of 3d have by their depth.
    fills = Collection.get_facecolor(collection)
    strokes = fills if isinstance(collection._edgecolors, str) else Collection.get_edgecolor(collection)
    mapped = collection.get_array() is not None
    widths = np.atleast_1d(collection.get_linewidth())
    return {
        "colors": values.colors(fills, rows),
        "edge_colors": values.colors(strokes, rows),
        "line_width": values.number(widths[0]) if len(widths) else 0.0,
        **({"color_map": values.text(collection.get_cmap().name)[:100]} if mapped else {}),
    }


def _polygons(polygons: PolyCollection, axes: Axes | None, values: Values) -> Described | None:
    paths = polygons.get_paths()
    if not paths:
        return None
    if polygons.get_array() is not None:  # hexagons
        counts = values.numbers(np.ma.filled(np.ma.asarray(polygons.get_array(), float).ravel(), np.nan))
        return {
            "kind": KINDS["CELLS"],
            "z": counts,
            "total": int(np.size(polygons.get_array())),
            **_around(polygons.get_offset_transform().transform(polygons.get_offsets()), values),
            **_paint(polygons, values),
        }
    outlines = np.concatenate([path.vertices for path in paths])
    return {"kind": KINDS["AREA"], **_placed(outlines, polygons, axes, values), **_paint(polygons, values)}


def _patches(patches: PatchCollection, axes: Axes | None, values: Values) -> Described | None:
    paths = patches.get_paths()
    if not paths:
        return None
    return {
        "kind": KINDS["SHAPE"],
        **_placed(np.concatenate([path.vertices for path in paths]), patches, axes, values),
        **_paint(patches, values),
        "shape": type(patches).__name__[:100],
        "total": len(paths),
    }


def _lines(lines: LineCollection, axes: Axes | None, values: Values) -> Described | None:
    parts = [path.vertices for path in lines.get_paths() if len(path.vertices)]
    if not parts:
        return None
    ends = np.array([[part[0], part[-1]] for part in parts], dtype=float)
    places, of_figure = _places(ends, lines, axes, values)
    # A segment is thinned out or left out as a whole, so that the ends stay pairs.
    (first_x, first_y, last_x, last_y), rows, total = values.rows(*places.reshape(-1, 4).T)
    if total == 0:
        return None
    return {
        "kind": KINDS["SEGMENTS"],
        "x": [end for pair in zip(first_x, last_x, strict=True) for end in pair],
        "y": [end for pair in zip(first_y, last_y, strict=True) for end in pair],
        **_around(lines.get_transform().transform(ends.reshape(-1, 2)), values),
        "colors": values.colors(lines.get_color(), rows),
        "line_width": values.number(np.max(lines.get_linewidth())),
        "total": total,
        **({"placed_by_figure": True} if of_figure else {}),
    }


def _surface(surface: Collection, axes: Axes | None, values: Values) -> Described:
    paint = _paint(surface, values)
    return {"kind": KINDS["SURFACE"], **paint, "total": len(surface.get_paths())}


def _cells(cells: AxesImage | QuadMesh | PolyQuadMesh, axes: Axes | None, values: Values) -> Described | None:
    array = cells.get_array()
    if array is None:
        return None
    if isinstance(cells, AxesImage):
        left, right, bottom, top = cells.get_extent()
        x, y = (left, right), (bottom, top)
        rows, columns = array.shape[:2]
    else:
        corners = cells.get_coordinates()
        x = (float(corners[..., 0].min()), float(corners[..., 0].max()))
        y = (float(corners[..., 1].min()), float(corners[..., 1].max()))
        rows, columns = corners.shape[0] - 1, corners.shape[1] - 1
    plain = np.ndim(array) == 3 and np.shape(array)[-1] in (3, 4)
    return {
        "kind": KINDS["CELLS"],
        "x": values.numbers(x),
        "y": values.numbers(y),
        "z": [] if plain else values.numbers(np.ma.filled(np.ma.asarray(array, float).ravel(), np.nan)),
        "sizes": [float(rows), float(columns)],
        "color_map": "" if plain else values.text(cells.get_cmap().name)[:100],
        "total": int(rows) * int(columns),
    }


def _image(image: FigureImage, axes: Axes | None, values: Values) -> Described:
    rows, columns = np.shape(image.get_array())[:2]
    return {
        "kind": KINDS["CELLS"],
        "sizes": [float(rows), float(columns)],
        "total": int(rows) * int(columns),
        "placed_by_figure": True,
    }


def _contours(contours: ContourSet, axes: Axes | None, values: Values) -> Described:
    levels = values.numbers(contours.levels)
    return {
        "kind": KINDS["CONTOURS"],
        "z": levels,
        "total": len(levels),
        "color_map": values.text(contours.get_cmap().name)[:100],
        "colors": values.colors(contours.get_facecolor() if contours.filled else contours.get_edgecolor()),
    }


def _arrows(arrows: Quiver | Barbs, axes: Axes | None, values: Values) -> Described:
    offsets: np.ndarray = np.ma.filled(np.ma.asarray(arrows.get_offsets(), dtype=float), np.nan)
    along: list[Any] = [np.ma.filled(np.ma.asarray(part, float).ravel(), np.nan) for part in _lengths(arrows)]
    (x, y, along_x, along_y), total = values.columns(offsets[:, 0], offsets[:, 1], *along)
    return {
        "kind": KINDS["ARROWS"],
        **{"x": x, "y": y, "total": total},
        "sizes": along_x + along_y,
        **_around(arrows.get_offset_transform().transform(offsets), values),
        **_paint(arrows, values),
    }


def _lengths(arrows: Quiver | Barbs) -> tuple[Any, Any]:
    return (arrows.U, arrows.V) if isinstance(arrows, Quiver) else (arrows.u, arrows.v)


def _steps(steps: StepPatch, axes: Axes | None, values: Values) -> Described:
    heights, edges, _ = steps.get_data()
    return {
        "kind": KINDS["STEPS"],
        "x": values.numbers(edges),
        "y": values.numbers(heights),
        "total": len(heights),
        **_patch_paint(steps, values),
    }


def _shape(patch: Patch, axes: Axes | None, values: Values) -> Described | None:
    if isinstance(patch, FancyArrowPatch):
        extent = patch.get_window_extent()
        data = _fractions(np.array([extent.min, extent.max]), values)
    else:
        outline = patch.get_path().transformed(patch.get_patch_transform()).vertices
        whole = patch.get_transform()
        shown = axes is not None and whole.contains_branch(axes.transData)
        data = (
            _data(outline, values)
            if shown
            else _fractions(whole.transform_path(patch.get_path()).vertices, values)
        )
    paint = _patch_paint(patch, values)
    if not paint["colors"] and (not paint["edge_colors"] or patch.get_linewidth() == 0):
        return None
    return {"kind": KINDS["SHAPE"], **data, "total": 1, "shape": type(patch).__name__[:100], **paint}


def _data(points: np.ndarray, values: Values) -> Described:
    (x, y), _ = values.columns(points[:, 0], points[:, 1])
    return {"x": x, "y": y}


def _patch_paint(patch: Patch, values: Values) -> Described:
    return {
        "colors": values.colors([patch.get_facecolor()]) if patch.get_fill() else [],
        "edge_colors": values.colors([patch.get_edgecolor()]) if patch.get_linewidth() else [],
        "line_style": _STYLES.get(str(patch.get_linestyle()), str(patch.get_linestyle())[:100]),
        "line_width": values.number(patch.get_linewidth()),
    }


#: What describes artists of a class; the first that fits does.
_DESCRIBERS: tuple[tuple[type | tuple[type, ...], Any], ...] = (
    (Line2D, _line),
    ((Poly3DCollection, Line3DCollection, Patch3DCollection), _surface),
    (ContourSet, _contours),
    ((Quiver, Barbs), _arrows),
    ((PathCollection, RegularPolyCollection, CircleCollection), _points),
    ((QuadMesh, PolyQuadMesh), _cells),
    (PolyCollection, _polygons),
    (LineCollection, _lines),
    (PatchCollection, _patches),
    (AxesImage, _cells),
    (FigureImage, _image),
    (StepPatch, _steps),
    (Patch, _shape),
)


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
    for container in axes.containers:
        described: list[Object] = []
        used: set[int] = set()
        with contextlib.suppress(Exception):  # the parts of an odd one are described one by one
            described = list(_container(container, axes, values, taken, used))
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
    boxes = [values.box(artist) for artist in artists] if len(artists) <= MAX_POINTS else []
    known = [box for box in boxes if box is not None]
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
        first, last = [wedge.theta1 for wedge in wedges], [wedge.theta2 for wedge in wedges]
        (xs, ys, sizes), total = values.columns(first, last, [radius] * len(wedges))
        yield {
            "kind": KINDS["WEDGES"],
            **{"x": xs, "y": ys, "sizes": sizes, "total": total},
            "colors": values.colors([wedge.get_facecolor() for wedge in wedges]),
            "edge_colors": values.colors([wedge.get_edgecolor() for wedge in wedges]),
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
