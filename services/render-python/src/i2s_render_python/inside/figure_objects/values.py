"""Places, numbers, colours, texts and sizes of artists as JSON has them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import Collection, QuadMesh
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.path import get_path_collection_extents
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform

_SURROGATE = re.compile("[\ud800-\udfff]")


def sendable(text: str) -> str:
    """Return a text without halves of surrogate pairs, which UTF-8 cannot hold: each becomes U+FFFD."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


KINDS = {
    "LINE": 1,
    "POINTS": 2,
    "BARS": 3,
    "HORIZONTAL_BARS": 4,
    "WEDGES": 5,
    "AREA": 6,
    "STEPS": 7,
    "ERROR_BARS": 8,
    "BOXES": 9,
    "CELLS": 10,
    "CONTOURS": 11,
    "ARROWS": 12,
    "SURFACE": 13,
    "SHAPE": 14,
    "SEGMENTS": 15,
}


#: The most sizes that are kept of one figure.
MAX_KEPT = 20_000
#: The most different lines with mathematics of one figure that are measured beside those that are kept. One
#: takes some milliseconds.
MAX_MATHEMATICS = 500

#: A line of text, its font, whether it is mathematics, and the resolution.
Measured = tuple[str, FontProperties, object, float]
#: Width, height and descent in pixels.
Size = tuple[float, float, float]
Sizes = Mapping[Measured, Size]


class MeasuringRenderer(RendererAgg):  # type: ignore[misc]  # of Any
    """Tells the sizes of texts, within bounds.

    Args:
        dpi: Resolution.
        known: Sizes of texts that were drawn.

    Attributes:
        exceeded: Whether a text was not measured because there were too many.
    """

    def __init__(self, dpi: float, known: Sizes) -> None:
        super().__init__(1, 1, dpi)
        self._known = known
        self._measured = 0
        self.exceeded = False

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: object) -> Size:
        """Return width, height and descent of a line of text in pixels.

        Raises:
            ValueError: Too many lines with mathematics were measured already.
        """
        found = self._known.get((s, prop, ismath, self.dpi))
        if found is not None:
            return found
        if ismath:
            self._measured += 1
            if self._measured > MAX_MATHEMATICS:
                self.exceeded = True
                raise ValueError("too many texts with mathematics")
        size: Size = super().get_text_width_height_descent(s, prop, ismath)
        return size


@contextmanager
def kept_sizes(sizes: MutableMapping[Measured, Size]) -> Iterator[None]:
    """Keep the sizes of texts that are drawn in the block.

    Args:
        sizes: Where they are kept, at most MAX_KEPT.
    """
    measure = RendererAgg.get_text_width_height_descent

    def measured(renderer: RendererAgg, s: str, prop: FontProperties, ismath: object) -> Size:
        size: Size = measure(renderer, s, prop, ismath)
        if len(sizes) < MAX_KEPT:
            # Fonts are compared by their properties, which the program may change.
            sizes[s, prop.copy(), ismath, renderer.dpi] = size
        return size

    RendererAgg.get_text_width_height_descent = measured
    try:
        yield
    finally:
        RendererAgg.get_text_width_height_descent = measure


#: The most points and colours of one mark, and numbers and colours of one figure.
MAX_POINTS, MAX_NUMBERS = 1000, 60_000
#: The most letters of one text, and of one figure.
MAX_LETTERS, MAX_ALL_LETTERS = 1000, 50_000
#: The most points that an artist may have for its place to be computed, which costs as much as drawing it.
MAX_POINTS_OF_BOX = 200_000
_DIGITS = 10

Object = Mapping[str, Any]


class Values:
    """Writes values down, within the bounds of one figure.

    Args:
        figure: The figure.
        sizes: Sizes of texts, from when it was drawn; None if they are not known.

    Attributes:
        truncated: Whether something was left out because there was too much of it.
    """

    def __init__(self, figure: Figure, sizes: Sizes | None = None) -> None:
        # A canvas of the program's own need not have one.
        self._renderer = MeasuringRenderer(figure.dpi, sizes or {})
        self._width, self._height = figure.bbox.width, figure.bbox.height
        self._numbers, self._letters = MAX_NUMBERS, MAX_ALL_LETTERS
        self.truncated = False

    def box(self, artist: Artist) -> Object | None:
        """Return the place of an artist as fractions of the figure, None if it has none."""
        try:
            if isinstance(artist, Text):  # that of an annotation takes in its arrow
                return self.place(Text.get_window_extent(artist, self._renderer))
            if isinstance(artist, Line2D) and not np.isfinite(artist.get_xydata()).all(axis=1).any():
                return None  # it has no points
            if isinstance(artist, Collection) and not isinstance(artist, QuadMesh):  # which can tell
                extent = _extent(artist)
                return self.place(extent) if extent is not None else None
            return self.place(artist.get_window_extent(self._renderer))
        except Exception:  # artists of programs do anything
            self.truncated |= self._renderer.exceeded
            return None

    def place(self, extent: Bbox) -> Object | None:
        """Return a rectangle of the display as fractions of the figure, from its top left corner."""
        x, y = extent.x0 / self._width, 1 - extent.y1 / self._height
        width, height = extent.width / self._width, extent.height / self._height
        if not all(map(math.isfinite, (x, y, width, height))):
            return None
        return {"x": _short(x), "y": _short(y), "width": _short(width), "height": _short(height)}

    def fractions(self, points: np.ndarray) -> np.ndarray:
        """Return points of the display, of shape (n, 2), as fractions of the figure from its top left."""
        return np.column_stack([points[:, 0] / self._width, 1 - points[:, 1] / self._height])

    def columns(self, *columns: Iterable[float]) -> tuple[list[list[float]], int]:
        """Return columns of numbers without the rows that are not finite, and how many rows there are.

        Too many rows are thinned out evenly, with the first and the last.
        """
        found, _, total = self.rows(*columns)
        return found, total

    def rows(self, *columns: Iterable[float]) -> tuple[list[list[float]], np.ndarray, int]:
        """Return what ``columns`` does, and between the two which rows those are, counted from 0."""
        arrays: list[Any] = [
            np.ma.filled(np.ma.asarray(column, dtype=float).ravel(), np.nan) for column in columns
        ]
        if not arrays or len({len(array) for array in arrays}) != 1:
            return [[] for _ in arrays], np.empty(0, int), 0
        finite = np.isfinite(arrays[0])
        for array in arrays[1:]:
            finite &= np.isfinite(array)
        rows = np.flatnonzero(finite)
        total = len(rows)
        room = min(MAX_POINTS, self._numbers // len(arrays))
        if total > room:
            self.truncated = True
            rows = rows[np.linspace(0, total - 1, room).round().astype(int)]
        self._numbers -= len(rows) * len(arrays)
        return [[_short(value) for value in array[rows].tolist()] for array in arrays], rows, total

    def numbers(self, values: Iterable[float]) -> list[float]:
        """Return one column of numbers; see ``columns``."""
        return self.columns(values)[0][0]

    def number(self, value: object) -> float:
        """Return a number, 0 for what is none."""
        try:
            found = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return 0.0
        return _short(found) if math.isfinite(found) else 0.0

    def text(self, text: object) -> str:
        """Return a text that can be sent."""
        whole = str(text)
        room = min(MAX_LETTERS, self._letters)
        if len(whole) > room:
            self.truncated = True
        kept = sendable(whole[:room])
        self._letters -= len(kept)
        return kept

    def color(self, color: object) -> str:
        """Return a colour as "#rrggbbaa", empty for none."""
        try:
            return str(to_hex(color, keep_alpha=True))
        except (TypeError, ValueError):
            return ""

    def colors(self, colors: Any, rows: np.ndarray | None = None) -> list[str]:  # noqa: ANN401 - as matplotlib
        """Return colours: one if all are equal, none if all are invisible.

        Args:
            colors: One colour or several, as matplotlib takes them.
            rows: Items that are returned; None for all. Too many colours are cut.
        """
        if isinstance(colors, str):
            colors = [to_rgba(colors)]
        table: np.ndarray = (
            np.atleast_2d(np.asarray(colors, dtype=float)) if len(np.shape(colors)) else np.empty((0, 4))
        )
        if rows is not None and len(table) > 1:
            table = table[rows % len(table)]  # matplotlib repeats colours too
        room = min(MAX_POINTS, self._numbers)
        found = [self.color(row) for row in table[:room]]
        if all(one[7:] == "00" for one in found):
            return []
        if len(set(found)) == 1:
            found = found[:1]
        elif len(table) > room:
            self.truncated = True
        self._numbers -= len(found)
        return found

    def around(self, points: Any) -> Object | None:  # noqa: ANN401 - points of shape (n, 2)
        """Return the place that points of the display take together, None if there are none."""
        table: np.ndarray = np.ma.filled(np.ma.asarray(points, dtype=float), np.nan).reshape(-1, 2)
        table = table[np.isfinite(table).all(axis=1)]
        return self.place(Bbox([table.min(axis=0), table.max(axis=0)])) if len(table) else None


def _extent(collection: Collection) -> Bbox | None:
    """Return what outlines take of the display, which matplotlib itself cannot tell of most collections."""
    paths = [path for path in collection.get_paths() if len(path.vertices)]
    if not paths or sum(len(path.vertices) for path in paths) > MAX_POINTS_OF_BOX:
        return None
    transform = collection.get_transform()
    bent = [transform.transform_path_non_affine(path) for path in paths]
    affine = transform.get_affine().frozen()
    found: Bbox = get_path_collection_extents(affine, bent, [], [(0, 0)], IdentityTransform())
    return found


def _short(value: float) -> float:
    """Return a number with ten significant digits, which the last bits of a sum do not change."""
    return float(f"{value:.{_DIGITS}g}")
