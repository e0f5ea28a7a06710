"""Which marks of a figure its image shows: their colours, where their data says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from i2s_sdk.tasks.chart.mark_places import Places, cells_of, places_of
from i2s_sdk.tasks.chart.pixels import (
    VISIBLE,
    Bools,
    Canvas,
    Floats,
    Ink,
    Ints,
    Region,
    color_counts,
    grounds,
    is_noise,
    laid_over,
    matching,
)
from i2s_wire.render.figure import Axes, Figure, FigureBox, Mark, MarkKind

#: Places of one mark that are looked at, and places beside it.
_PROBES, _BESIDE = 64, 48
#: The least part of the places of a mark that have its colour, and how much less common it is beside it.
_LEAST_SHARE, _LEAST_DIFFERENCE = 0.25, 0.2
#: The fewest places beside a mark that say something.
_FEWEST_BESIDE = 8
#: How far from places of marks those beside it are, in pixels.
_APART = 6.0
#: The most colours of a mark that are each looked for; of more, all count as shown.
_FEW_COLORS = 12
#: The most colours of a mark without known places that are looked for.
_MOST_COLORS = 24
#: The most marks of axes whose places are not beside another one of like colours.
_MOST_MARKS = 500
#: Colours of a mark that are compared with those of others.
_ALIKE_COLORS = 4
#: Difference in RGB of 0 to 255 up to which colours are alike.
_ALIKE = 60.0
#: The most comparisons of colours with pixels for one figure; marks beyond are not shown.
_MOST_COMPARISONS = 6_000
#: What the look at a box, for a colour or for values, counts among them, and that at axes.
_COST_OF_REGION, _COST_OF_SCENE = 10, 15
#: Pixels of a colour that are enough where its places are not known.
_FEWEST_PIXELS = 2
#: How far around a place both sides of an edge are looked for, in pixels, at least.
_EDGE_RADIUS = 4.0


def shown_marks(canvas: Canvas, figure: Figure) -> tuple[list[bool], set[str]]:
    """Return for each mark whether the image shows it, and the colours of marks that no mark shows."""
    scenes: dict[int | None, _Scene] = {}
    seen: list[bool] = []
    claimed: set[str] = set()
    found: set[str] = set()
    for mark in figure.marks:
        known = None
        if sum(scene.comparisons for scene in scenes.values()) < _MOST_COMPARISONS:
            if mark.axes not in scenes:
                scenes[mark.axes] = _Scene.of(canvas, figure, mark.axes)
            known = scenes[mark.axes].shown_colors(mark)
        seen.append(known is not None)
        claimed |= {*mark.colors, *mark.edge_colors}
        found |= known or set()
    return seen, claimed - found


@dataclass(slots=True)
class _Scene:
    """Axes in an image, or what of a figure belongs to no axes."""

    canvas: Canvas
    figure: Figure
    #: Number of the axes; None for none.
    number: int | None
    #: The axes; None if they are not known.
    axes: Axes | None
    #: Where marks are drawn.
    region: Region
    #: Its most frequent colours.
    grounds: Floats
    #: Whether nothing can be seen in it.
    noise: bool
    #: Places in the region that no text or legend takes.
    anywhere: Floats
    #: Places of marks by their identity, None for those that are not known.
    places: dict[int, Places | None] = field(default_factory=dict)
    comparisons: int = _COST_OF_SCENE
    #: Some colours of each mark, of shape (marks, colours, 3), and which places of ``anywhere`` it takes.
    colors: Floats = field(default_factory=lambda: np.empty((0, _ALIKE_COLORS, 3)))
    taken: Bools | None = None

    @classmethod
    def of(cls, canvas: Canvas, figure: Figure, number: int | None) -> _Scene:
        known = number is not None and number < len(figure.axes)
        axes = figure.axes[number or 0] if known else None
        region = canvas.region(axes.box, 1.0) if axes is not None else canvas.whole
        pixels = canvas.sample(region) if not region.empty else np.empty((0, 0, 3))
        order = (
            np.arange(1, _BESIDE + 1)[:, None] * np.array([0.754877666, 0.569840296]) % 1.0
        )  # even, not a grid
        size = np.array([region.right - region.left, region.bottom - region.top])
        anywhere = np.array([region.left, region.top]) + order * np.maximum(size, 0)
        boxes = [text.box for text in figure.texts if text.axes == number]
        boxes += [axes.legend] if axes is not None and axes.legend is not None else []
        taken = _in_boxes(anywhere, canvas, boxes)
        return cls(canvas, figure, number, axes, region, grounds(pixels), is_noise(pixels), anywhere[~taken])

    def shown_colors(self, mark: Mark) -> set[str] | None:
        """Return the colours of a mark that the image shows; None if it does not show the mark."""
        if self.region.empty or self.noise:
            return None
        names = set(mark.colors) | set(mark.edge_colors)
        if mark.kind in (MarkKind.CELLS, MarkKind.SURFACE) or (mark.kind is MarkKind.CONTOURS and not names):
            return names if self._varies(mark) else None
        if not names:
            return None
        places = self._places(mark)
        return self._at_places(mark, places) if places is not None else self._in_region(mark)

    def _places(self, mark: Mark) -> Places | None:
        if id(mark) not in self.places:
            self.places[id(mark)] = places_of(mark, self.axes, self.canvas)
        return self.places[id(mark)]

    def _at_places(self, mark: Mark, places: Places) -> set[str] | None:
        inside = np.flatnonzero(_within(places.points, self.region))
        if not len(inside):  # of marks that are not clipped by their axes
            inside = np.flatnonzero(_within(places.points, self.canvas.whole))
        if not len(inside):
            return None
        if len(inside) > _PROBES:
            inside = inside[np.linspace(0, len(inside) - 1, _PROBES).round().astype(int)]
        points, items, edges = places.points[inside], places.items[inside], places.edges[inside]
        matched, found, looked = self._matched(mark, points, places.radius, items, edges)
        share = float(matched.mean())
        if share < _LEAST_SHARE or share - self._share_beside(mark, places, items) < _LEAST_DIFFERENCE:
            return None
        names = {*mark.colors, *mark.edge_colors}
        return names if len(names) > _FEW_COLORS else found | (names - looked)

    def _matched(
        self, mark: Mark, points: Floats, radius: float, items: Ints, edges: Bools
    ) -> tuple[Bools, set[str], set[str]]:
        """Return which places have the colour of their item, the colours that were found, and looked for."""
        matched: Bools = np.zeros(len(points), dtype=bool)
        found: set[str] = set()
        looked: set[str] = set()
        width = mark.line_width * self.canvas.per_point
        fills = self._stand_out(mark.colors)
        kinds = ((mark.colors, mark.kind in _STROKED, True), (mark.edge_colors, True, not fills))
        for colors, thin, counts in kinds:
            if not colors:
                continue
            named = np.asarray(items, dtype=int) % len(colors)
            for number in np.unique(named):
                own = named == number
                looked.add(colors[number])
                hits = self._hits(
                    points[own], radius, colors[number], width if thin and width > 0 else 1.0, edges[own]
                )
                if counts:
                    matched[own] |= hits
                if hits.any():
                    found.add(colors[number])
        return matched, found, looked

    def _stand_out(self, colors: Sequence[str]) -> bool:
        """Return whether fills can be told from the background, so that their strokes do not matter."""
        inks = [ink for ink in map(Ink.of, colors[:_ALIKE_COLORS]) if ink is not None]
        steps = [
            ink.alpha * np.linalg.norm(self.grounds[:1] - ink.rgb, axis=1).max(initial=0) for ink in inks
        ]
        return any(step >= 3 * VISIBLE for step in steps)

    def _hits(self, points: Floats, radius: float, color: str, width: float, edges: Bools) -> Bools:
        ink = Ink.of(color)
        hits: Bools = np.zeros(len(points), dtype=bool)
        if ink is None:
            return hits
        self.comparisons += 1
        if np.linalg.norm(self.grounds[:1] - ink.rgb, axis=1).min(initial=VISIBLE) < VISIBLE:
            edges = np.ones(len(points), dtype=bool)  # as a background the colour says nothing
        if edges.any():
            hits[edges] = laid_over(self.canvas.ring(points[edges], max(radius + 2, _EDGE_RADIUS)), ink)
        if not edges.all():
            pixels = self.canvas.around(points[~edges], radius)
            hits[~edges] = matching(pixels, ink, self.grounds, width).any(axis=1)
        return hits

    def _share_beside(self, mark: Mark, places: Places, items: Ints) -> float:
        """Return at which part of the places beside a mark there is its colour too."""
        beside = self.anywhere[~self._taken(mark)]
        if len(beside) < _FEWEST_BESIDE:
            return 0.0
        some, edges = np.resize(items, len(beside)), np.full(len(beside), bool(places.edges.any()))
        matched, _, _ = self._matched(mark, beside, places.radius, some, edges)
        return float(matched.mean())

    def _taken(self, mark: Mark) -> Bools:
        """Return which places of the region a mark takes, or another one of like colours."""
        if self.taken is None:
            own = [one for one in self.figure.marks if one.axes == self.number][:_MOST_MARKS]
            self.colors = np.array([_rgb(one) for one in own]).reshape(len(own), _ALIKE_COLORS, 3)
            self.taken = np.array([self._taken_by(one) for one in own]).reshape(len(own), len(self.anywhere))
        away = np.linalg.norm(self.colors[:, :, None] - _rgb(mark)[None, None], axis=3).min(axis=(1, 2))
        taken: Bools = self.taken[away <= _ALIKE].any(axis=0) | self._taken_by(mark)
        return taken

    def _taken_by(self, mark: Mark) -> Bools:
        places = self._places(mark)
        if places is not None:
            return places.cover(self.anywhere, _APART)
        return _in_boxes(self.anywhere, self.canvas, [mark.box] if mark.box else [])

    def _in_region(self, mark: Mark) -> set[str] | None:
        """Look for the colours of a mark anywhere in its box."""
        region = self._region_of(mark)
        names = list(dict.fromkeys((*mark.colors, *mark.edge_colors)))
        if region.empty:
            return None
        if len(names) > _MOST_COLORS:
            names = names[:: len(names) // _MOST_COLORS]
        pixels = self.canvas.sample(region)
        if is_noise(pixels):
            return None
        backgrounds = np.concatenate([grounds(pixels), self.grounds])
        colors, counts = color_counts(pixels)
        found = set()
        for name in names:
            ink = Ink.of(name)
            self.comparisons += _COST_OF_REGION
            if ink is not None and counts[matching(colors, ink, backgrounds)].sum() >= _FEWEST_PIXELS:
                found.add(name)
        if len(found) < _LEAST_SHARE * len(names) or not found:
            return None
        every = {*mark.colors, *mark.edge_colors}
        return every if len(every) > _FEW_COLORS else found

    def _region_of(self, mark: Mark) -> Region:
        if mark.box is None:
            return self.region
        margin = 2 + mark.line_width * self.canvas.per_point
        own, whole = self.canvas.region(mark.box, margin), self.region
        part = Region(
            max(own.left, whole.left),
            max(own.top, whole.top),
            min(own.right, whole.right),
            min(own.bottom, whole.bottom),
        )
        return own if part.empty else part

    def _order_of_cells(self, mark: Mark) -> float | None:
        """Return how much cells with neighbouring values differ in colour, by the difference of any two.

        A map from values to colours makes it small. None if it is not known which cell has which value.
        """
        places = cells_of(mark, self.axes, self.canvas)
        if not places or len(set(mark.z)) < _FEWEST_CELLS:
            return None
        order = np.argsort(np.asarray(mark.z), kind="stable")
        any_order = np.random.default_rng(0).permutation(len(order))
        found = []
        for points in places:
            colors = np.median([self.canvas.at(some) for some in points], axis=0)[order]
            known = colors[np.isfinite(colors).all(axis=1)]
            if len(known) < _FEWEST_CELLS:
                continue
            mixed = known[any_order[any_order < len(known)]]
            step, usual = (
                float(np.linalg.norm(np.diff(one, axis=0), axis=1).mean()) for one in (known, mixed)
            )
            found.append(step / usual if usual > 0 else 1.0)
        return min(found, default=None)

    def _varies(self, mark: Mark) -> bool:
        """Return whether cells, or a surface, have several colours if they have several values."""
        self.comparisons += _COST_OF_REGION
        region = self._region_of(mark)
        if region.empty:
            return False
        pixels = self.canvas.sample(region)
        if is_noise(pixels):
            return False
        values = len(set(mark.z)) if mark.z else len(set(mark.colors)) or mark.total
        if values < 2:
            return True
        order = self._order_of_cells(mark)
        if order is not None and order > _MOST_DISORDER:
            return False
        packed = (pixels.reshape(-1, 3) // 8).astype(np.int64) @ np.array([1024, 32, 1])
        _, counts = np.unique(packed, return_counts=True)
        return bool((counts >= max(1, len(packed) // 2000)).sum() >= min(values, 3))


#: How much cells with values next to each other may differ in colour, by the difference of any two cells.
_MOST_DISORDER = 0.8
#: The fewest values of cells whose order says something.
_FEWEST_CELLS = 8
#: Marks that are lines, whose colour is thinned out where they are thinner than a pixel.
_STROKED = (MarkKind.LINE, MarkKind.SEGMENTS, MarkKind.ERROR_BARS, MarkKind.CONTOURS, MarkKind.ARROWS)


def _within(points: Floats, region: Region) -> Bools:
    left, top, right, bottom = region.left - 1, region.top - 1, region.right + 1, region.bottom + 1
    inside: Bools = (
        (points[:, 0] >= left) & (points[:, 0] < right) & (points[:, 1] >= top) & (points[:, 1] < bottom)
    )
    return inside


def _in_boxes(points: Floats, canvas: Canvas, boxes: Iterable[FigureBox]) -> Bools:
    inside: Bools = np.zeros(len(points), dtype=bool)
    for box in boxes:
        left, top, right, bottom = canvas.corners(box)
        across = (points[:, 0] >= left - 3) & (points[:, 0] <= right + 3)
        inside |= across & (points[:, 1] >= top - 3) & (points[:, 1] <= bottom + 3)
    return inside


def _rgb(mark: Mark) -> Floats:
    """Return some colours of a mark, of shape (_ALIKE_COLORS, 3), filled up with ones that none is like."""
    names = (*mark.colors[: _ALIKE_COLORS - 1], *mark.edge_colors[:1])
    inks = [ink for ink in map(Ink.of, names) if ink is not None]
    return np.array([ink.rgb for ink in inks] + [np.full(3, 1e4)] * (_ALIKE_COLORS - len(inks)))
