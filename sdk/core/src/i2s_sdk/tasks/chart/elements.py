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
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from i2s_sdk.scoring.assignment import best_assignment
from i2s_sdk.tasks.chart.colors import Lab, difference, lab, on_white
from i2s_sdk.tasks.chart.evidence import NOTHING_UNSEEN, Unseen
from i2s_wire.render.figure import Axes, Axis, Figure, FigureText, Mark, MarkKind

#: The most elements of one side that are matched with others that differ; further ones have no match.
MOST_MATCHED = 150

E_ = TypeVar("E_", bound=Hashable)
T_ = TypeVar("T_")


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
    values = np.array(
        [[similarity(element, other) for other in other_rest] for element in rest], dtype=np.float64
    )
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


@dataclass(frozen=True, slots=True)
class Elements:
    """What is compared of a figure, or of the part of it that its image shows, or does not show."""

    texts: tuple[FigureText, ...]
    marks: tuple[Mark, ...]
    #: Axes other than those of colour bars.
    frames: tuple[Axes, ...]
    #: The different colours of marks.
    colors: tuple[Lab, ...]
    #: All axes of the figure, of which marks have the number.
    axes: tuple[Axes, ...]


def elements_of(figure: Figure, unseen: Unseen = NOTHING_UNSEEN) -> tuple[Elements, Elements]:
    """Return the elements of a figure that its image shows, and those that it does not show."""
    shown, hidden = (
        Elements(
            _part(figure.texts, unseen.texts, seen),
            _part(figure.marks, unseen.marks, seen),
            tuple(axes for axes in _part(figure.axes, unseen.axes, seen) if not axes.colorbar),
            _colors(figure, unseen.colors, seen),
            figure.axes,
        )
        for seen in (True, False)
    )
    return shown, hidden


def _part(objects: Sequence[T_], unseen: Collection[int], seen: bool) -> tuple[T_, ...]:
    return tuple(element for number, element in enumerate(objects) if (number not in unseen) == seen)


#: Sum of the similarities of matched elements, and number of the elements of both figures.
Matches = tuple[float, int]


def _counted(first: Iterable[Hashable], second: Iterable[Hashable]) -> Matches:
    own, other = Counter(first), Counter(second)
    return (own & other).total(), own.total() + other.total()


def text_matches(reference: Elements, candidate: Elements) -> Matches:
    """Return how many texts both figures have, wherever they are."""
    return _counted(map(_words, reference.texts), map(_words, candidate.texts))


def text_place_matches(reference: Elements, candidate: Elements) -> Matches:
    """Return how many texts both figures have, and how near they are to their places."""
    groups: dict[str, tuple[list[FigureText], list[FigureText]]] = defaultdict(lambda: ([], []))
    for side, elements in enumerate((reference, candidate)):
        for text in elements.texts:
            groups[_words(text)][side].append(text)
    similar = sum(matched(first, second, _nearness) for first, second in groups.values() if first and second)
    return similar, len(reference.texts) + len(candidate.texts)


def kind_matches(reference: Elements, candidate: Elements) -> Matches:
    """Return how many marks of equal kinds both figures have."""
    first, second = (
        ((mark.kind, mark.shape) for mark in elements.marks) for elements in (reference, candidate)
    )
    return _counted(first, second)


def color_matches(reference: Elements, candidate: Elements) -> Matches:
    """Return how alike the different colours of the marks of both figures are."""
    first, second = reference.colors, candidate.colors
    similar = matched(first, second, lambda a, b: max(0.0, 1 - difference(a, b) / COLOR_REACH))
    return similar, len(first) + len(second)


def layout_matches(reference: Elements, candidate: Elements) -> Matches:
    """Return how many axes with equal projection and equal place in their grid both figures have."""
    return _counted(map(_cell, reference.frames), map(_cell, candidate.frames))


def data_matches(reference: Elements, candidate: Elements) -> Matches:
    """Return how much of the data of the marks of both figures is equal, but for the tolerance."""
    first = [mark for mark in reference.marks if mark.kind in _DATA_COLUMNS]
    second = [mark for mark in candidate.marks if mark.kind in _DATA_COLUMNS]
    similar = matched(first, second, lambda one, other: _alike(one, other, reference.axes))
    return similar, len(first) + len(second)


_MATCHES: dict[str, Callable[[Elements, Elements], Matches]] = {
    "text": text_matches,
    "text_place": text_place_matches,
    "kind": kind_matches,
    "color": color_matches,
    "layout": layout_matches,
    "data": data_matches,
}
#: Names of the scores.
SCORES = tuple(_MATCHES)


@np.errstate(all="ignore")  # differences of claimed numbers may be infinite
def scores(
    reference: Figure,
    candidate: Figure,
    reference_unseen: Unseen = NOTHING_UNSEEN,
    candidate_unseen: Unseen = NOTHING_UNSEEN,
) -> dict[str, float]:
    """Return all scores by name.

    Args:
        reference: Figure of the ground truth.
        candidate: Figure of an answer.
        reference_unseen: What the image of the reference does not show.
        candidate_unseen: The same of the answer. What an image does not show matches only what that of the
            other figure does not show either.
    """
    pairs = tuple(
        zip(elements_of(reference, reference_unseen), elements_of(candidate, candidate_unseen), strict=True)
    )
    found = {}
    for name, match in _MATCHES.items():
        matches = [match(*pair) for pair in pairs]
        found[name] = f1(sum(similar for similar, _ in matches), sum(total for _, total in matches))
    return found


def objects_in_image(
    reference: Figure, candidate: Figure, reference_unseen: Unseen, candidate_unseen: Unseen
) -> float:
    """Return which part of the objects of a figure its image shows.

    It is the mean of the parts of its texts, marks and axes, each divided by that of the reference, at most
    1. A figure without objects has 1.
    """
    own = _shown_parts(candidate, candidate_unseen)
    usual = _shown_parts(reference, reference_unseen)
    parts = [
        min(1.0, part / other) if other else 1.0
        for part, other in zip(own, usual, strict=True)
        if part is not None
    ]
    return sum(parts) / len(parts) if parts else 1.0


def _shown_parts(figure: Figure, unseen: Unseen) -> tuple[float | None, ...]:
    """Return which part of the texts, marks and axes is shown; None of what there is nothing of."""
    counts = (
        (len(figure.texts), len(unseen.texts)),
        (len(figure.marks), len(unseen.marks)),
        (len(figure.axes), len(unseen.axes)),
    )
    return tuple(1 - hidden / count if count else None for count, hidden in counts)


def missing(reference: Figure, candidate: Figure) -> dict[str, list[str]]:
    """Return the texts and kinds of marks that only one of the figures has, at most 20 of each."""
    texts = [Counter(map(_words, figure.texts)) for figure in (reference, candidate)]
    kinds = [Counter(mark.kind.name.lower() for mark in figure.marks) for figure in (reference, candidate)]
    return {
        "texts missing": _listed(texts[0] - texts[1]),
        "texts added": _listed(texts[1] - texts[0]),
        "marks missing": _listed(kinds[0] - kinds[1]),
        "marks added": _listed(kinds[1] - kinds[0]),
    }


def not_shown(figure: Figure, unseen: Unseen) -> dict[str, list[str]]:
    """Return the texts and kinds of marks that the image of a figure does not show."""
    texts = Counter(_words(figure.texts[number]) for number in unseen.texts)
    marks = Counter(figure.marks[number].kind.name.lower() for number in unseen.marks)
    found = {"texts not in the image": _listed(texts), "marks not in the image": _listed(marks)}
    return {title: names for title, names in found.items() if names}


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


def _colors(figure: Figure, unseen: Collection[str], seen: bool) -> tuple[Lab, ...]:
    names = dict.fromkeys(
        color for mark in figure.marks for color in (mark.colors or mark.edge_colors)[:MOST_MATCHED]
    )
    colors = []
    for name in names:
        if (name not in unseen) != seen:
            continue
        try:
            colors.append(lab(*on_white(name)))
        except ValueError:
            continue
    return tuple(colors)


def _cell(axes: Axes) -> tuple[object, ...]:
    cell = (axes.first_row, axes.last_row, axes.first_column, axes.last_column)
    return (axes.projection, axes.rows, axes.columns, *cell)


def _alike(mark: Mark, other: Mark, every_axes: Sequence[Axes]) -> float:
    """Return which part of the points of two marks is equal, but for the tolerance of the axes."""
    if mark.kind is not other.kind:
        return 0.0
    columns = _DATA_COLUMNS[mark.kind]
    close: NDArray[np.bool_] | None = None
    total = max(mark.total, other.total, 1)
    known = mark.axes is not None and 0 <= mark.axes < len(every_axes)
    axes = every_axes[mark.axes or 0] if known else Axes()
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
