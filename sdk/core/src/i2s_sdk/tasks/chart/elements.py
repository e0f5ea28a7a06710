"""How alike the elements of two figures are: texts, their places, kinds of marks, colours, layout, data.

Every score is an F1: twice the sum of the similarities of matched elements, divided by the number of elements
of both figures. It is from 0 to 1, 1 for equal figures, and the same if the figures change places, except
that of the data, whose tolerance is that of the reference. Two figures that both lack a kind of element
score 1. docs/chart.md has the definitions and their sources.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from i2s_sdk.scoring.assignment import best_assignment
from i2s_sdk.tasks.chart.colors import difference, lab, on_white
from i2s_wire.render.figure import Axes, Axis, Figure, FigureText, Mark, MarkKind

#: The most elements of one side that are matched with others that differ; further ones have no match.
MOST_MATCHED = 150

E_ = TypeVar("E_", bound=Hashable)


def f1(matches: float, total: int) -> float:
    """Return twice the sum of matches by the number of elements of both figures; 1 if there are none."""
    return min(1.0, 2 * matches / total) if total else 1.0


def counted(first: Iterable[Hashable], second: Iterable[Hashable]) -> float:
    """Return the F1 of equal elements, each matched once at most."""
    own, other = Counter(first), Counter(second)
    return f1((own & other).total(), own.total() + other.total())


def matched(first: Sequence[E_], second: Sequence[E_], similarity: Callable[[E_, E_], float]) -> float:
    """Return the sum of similarities of pairs, in which each element is at most once.

    Equal elements are pairs, however many there are. Of the others the pairs with the greatest sum are made.
    """
    ones, others = Counter(first), Counter(second)
    equal = (ones & others).total()
    rest = list((ones - others).elements())[:MOST_MATCHED]
    other_rest = list((others - ones).elements())[:MOST_MATCHED]
    if not rest or not other_rest:
        return float(equal)
    values = np.array([[similarity(one, other) for other in other_rest] for one in rest], dtype=np.float64)
    return equal + float(sum(values[row, column] for row, column in best_assignment(values)))


#: Part of the diagonal of a figure beyond which two places are not alike at all.
PLACE_REACH = 0.1
#: Colour difference beyond which two colours are not alike at all.
COLOR_REACH = 20.0
#: Part of the range of an axis by which values may differ.
DATA_TOLERANCE = 0.02
#: Points of a mark that are compared.
_POINTS = 200

_MATH = re.compile(r"\\mathdefault\{([^{}]*)\}")
_DATA_COLUMNS = {
    MarkKind.BARS: "xy",
    MarkKind.HORIZONTAL_BARS: "xy",
    MarkKind.LINE: "xyz",
    MarkKind.POINTS: "xyz",
    MarkKind.AREA: "xy",
    MarkKind.STEPS: "xy",
    MarkKind.ERROR_BARS: "xy",
    MarkKind.BOXES: "xy",
    MarkKind.ARROWS: "xy",
    MarkKind.WEDGES: "",
    MarkKind.CELLS: "",
    MarkKind.CONTOURS: "",
}


def text_score(reference: Figure, candidate: Figure) -> float:
    """Return how many texts both figures have, wherever they are."""
    first, second = Counter(map(_words, reference.texts)), Counter(map(_words, candidate.texts))
    return f1(sum((first & second).values()), first.total() + second.total())


def text_place_score(reference: Figure, candidate: Figure) -> float:
    """Return how many texts both figures have, and how near they are to their places."""
    groups: dict[str, tuple[list[FigureText], list[FigureText]]] = defaultdict(lambda: ([], []))
    for side, figure in enumerate((reference, candidate)):
        for text in figure.texts:
            groups[_words(text)][side].append(text)
    similar = sum(matched(first, second, _nearness) for first, second in groups.values() if first and second)
    return f1(similar, len(reference.texts) + len(candidate.texts))


def kind_score(reference: Figure, candidate: Figure) -> float:
    """Return how many marks of equal kinds both figures have."""
    return counted(
        ((mark.kind, mark.shape) for mark in reference.marks),
        ((mark.kind, mark.shape) for mark in candidate.marks),
    )


def color_score(reference: Figure, candidate: Figure) -> float:
    """Return how alike the different colours of the marks of both figures are."""
    first, second = _colors(reference), _colors(candidate)
    similar = matched(first, second, lambda a, b: max(0.0, 1 - difference(a, b) / COLOR_REACH))
    return f1(similar, len(first) + len(second))


def layout_score(reference: Figure, candidate: Figure) -> float:
    """Return how many axes with equal projection and equal place in their grid both figures have."""
    return counted(map(_cell, _frames(reference)), map(_cell, _frames(candidate)))


def data_score(reference: Figure, candidate: Figure) -> float:
    """Return how much of the data of the marks of both figures is equal, but for the tolerance."""
    first = [mark for mark in reference.marks if mark.kind in _DATA_COLUMNS]
    second = [mark for mark in candidate.marks if mark.kind in _DATA_COLUMNS]
    similar = matched(first, second, lambda one, other: _alike(one, other, reference))
    return f1(similar, len(first) + len(second))


SCORES: dict[str, Callable[[Figure, Figure], float]] = {
    "text": text_score,
    "text_place": text_place_score,
    "kind": kind_score,
    "color": color_score,
    "layout": layout_score,
    "data": data_score,
}


def missing(reference: Figure, candidate: Figure) -> dict[str, list[str]]:
    """Return the texts and kinds of marks that only one of the figures has, at most 20 of each."""
    texts = [Counter(map(_words, one.texts)) for one in (reference, candidate)]
    kinds = [Counter(mark.kind.name.lower() for mark in one.marks) for one in (reference, candidate)]
    return {
        "texts missing": _listed(texts[0] - texts[1]),
        "texts added": _listed(texts[1] - texts[0]),
        "marks missing": _listed(kinds[0] - kinds[1]),
        "marks added": _listed(kinds[1] - kinds[0]),
    }


def _listed(counted: Counter[str]) -> list[str]:
    return [
        name[:100] if many == 1 else f"{name[:100]} ({many})" for name, many in sorted(counted.items())[:20]
    ]


def _words(text: FigureText) -> str:
    plain = _MATH.sub(r"\1", text.text).replace("\N{MINUS SIGN}", "-")
    return " ".join(plain.replace("$", "").split())


def _nearness(text: FigureText, other: FigureText) -> float:
    across = text.box.x + text.box.width / 2 - other.box.x - other.box.width / 2
    down = text.box.y + text.box.height / 2 - other.box.y - other.box.height / 2
    return max(0.0, 1 - math.hypot(across, down) / math.sqrt(2) / PLACE_REACH)


def _colors(figure: Figure) -> list[tuple[float, float, float]]:
    names = dict.fromkeys(
        color for mark in figure.marks for color in (mark.colors or mark.edge_colors)[:MOST_MATCHED]
    )
    colors = []
    for name in names:
        try:
            colors.append(lab(*on_white(name)))
        except ValueError:
            continue
    return colors


def _frames(figure: Figure) -> list[Axes]:
    return [one for one in figure.axes if not one.colorbar]


def _cell(axes: Axes) -> tuple[object, ...]:
    cell = (axes.first_row, axes.last_row, axes.first_column, axes.last_column)
    return (axes.projection, axes.rows, axes.columns, *cell)


def _alike(mark: Mark, other: Mark, reference: Figure) -> float:
    """Return which part of the points of two marks is equal, but for the tolerance of the axes."""
    if mark.kind is not other.kind:
        return 0.0
    columns = _DATA_COLUMNS[mark.kind]
    close: NDArray[np.bool_] | None = None
    total = max(mark.total, other.total, 1)
    known = mark.axes is not None and 0 <= mark.axes < len(reference.axes)
    axes = reference.axes[mark.axes or 0] if known else Axes()
    for name in columns or ("z" if mark.z or other.z else "xy"):
        axis: Axis | None = getattr(axes, name) if columns else None
        first, second = _sampled(getattr(mark, name)), _sampled(getattr(other, name))
        if not len(first) and not len(second):
            continue
        shorter = min(len(first), len(second))
        first, second = _scaled(first[:shorter], axis), _scaled(second[:shorter], axis)
        spread = _range(axis) if axis is not None else float(np.ptp(first)) if shorter else 0.0
        near = np.abs(first - second) <= DATA_TOLERANCE * spread + 1e-9 * (1 + np.abs(first))
        close = near if close is None else close[:shorter] & near[: len(close)]
    if close is None:
        return 1.0 if mark.total == other.total else min(mark.total, other.total) / total
    share = float(np.mean(close)) if len(close) else 0.0
    return share * min(mark.total, other.total) / total


def _sampled(values: Sequence[float]) -> NDArray[np.float64]:
    whole: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    if len(whole) > _POINTS:
        whole = whole[np.linspace(0, len(whole) - 1, _POINTS).round().astype(int)]
    return whole


def _scaled(values: NDArray[np.float64], axis: Axis | None) -> NDArray[np.float64]:
    if axis is not None and axis.scale == "log":
        values = np.log10(np.maximum(values, 1e-300))
    return values


def _range(axis: Axis) -> float:
    ends = _scaled(np.array([axis.first, axis.last]), axis)
    return float(abs(ends[1] - ends[0]))
