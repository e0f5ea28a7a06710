"""Places, numbers, colours and texts of artists as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

#: The most points of one mark, numbers of one figure, letters of one text, and colours of one mark.
MAX_POINTS, MAX_NUMBERS, MAX_LETTERS, MAX_COLORS = 1000, 60_000, 1000, 1000
_DIGITS = 10

Object = Mapping[str, Any]


class Values:
    """Writes values down, within the bounds of one figure.

    Attributes:
        truncated: Whether something was left out because there was too much of it.
    """

    def __init__(self, figure: Figure) -> None:
        self._renderer = figure.canvas.get_renderer()
        self._width, self._height = figure.bbox.width, figure.bbox.height
        self._numbers = MAX_NUMBERS
        self.truncated = False

    def box(self, artist: Artist) -> Object | None:
        """Return the place of an artist as fractions of the figure, None if it has none."""
        try:
            return self.place(artist.get_window_extent(self._renderer))
        except Exception:  # artists of programs do anything
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
        arrays: list[Any] = [np.ma.filled(np.ma.asarray(one, dtype=float).ravel(), np.nan) for one in columns]
        if not arrays or len({len(one) for one in arrays}) != 1:
            return [[] for _ in arrays], 0
        table = np.column_stack(arrays)
        table = table[np.isfinite(table).all(axis=1)]
        total = len(table)
        room = min(MAX_POINTS, self._numbers // max(len(arrays), 1))
        if total > room:
            self.truncated = True
            table = table[np.linspace(0, total - 1, room).round().astype(int)] if room else table[:0]
        self._numbers -= table.size
        return [[_short(value) for value in column] for column in table.T.tolist()], total

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
        if len(whole) > MAX_LETTERS:
            self.truncated = True
        return whole[:MAX_LETTERS].encode("utf-8", "replace").decode("utf-8")

    def color(self, color: object) -> str:
        """Return a colour as "#rrggbbaa", empty for none."""
        try:
            return str(to_hex(color, keep_alpha=True))
        except (TypeError, ValueError):
            return ""

    def colors(self, colors: Any) -> list[str]:  # noqa: ANN401 - whatever matplotlib takes
        """Return colours: one if all are equal, none if all are invisible."""
        rows = np.atleast_2d(np.asarray(colors, dtype=float)) if len(np.shape(colors)) else np.empty((0, 4))
        found = [self.color(row) for row in rows[:MAX_COLORS]]
        if all(one[7:] == "00" for one in found):
            return []
        return found[:1] if len(set(found)) == 1 else found


def _short(value: float) -> float:
    """Return a number with ten significant digits, which the last bits of a sum do not change."""
    return float(f"{value:.{_DIGITS}g}")
