"""The scores of ChartMimic and Plot2Code, computed from the objects of figures.

ChartMimic (arXiv:2406.09961, chart2code/utils/evaluator) has F1 scores of texts, layout, chart types and
colours; Plot2Code (arXiv:2405.07990, plot2code/eval/text_match_score.py) has a ratio of texts. If the
released code depends on chance or on what objects do not tell, docs/chart.md says what is done here instead.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping

from i2s_sdk.tasks.chart.colors import Lab, difference, lab, on_white
from i2s_sdk.tasks.chart.elements import counted, f1, matched
from i2s_wire.render.figure import Figure, FigureText, Mark

#: Colour difference beyond which two colours are not alike at all, as ChartMimic has it.
COLOR_REACH = 100.0
#: Texts are near each other if exp(-distance / 100) is above 0.8, as Plot2Code has it.
POSITION_SCALE, POSITION_SIMILARITY = 100.0, 0.8
_PIXELS_PER_INCH = 100.0  # matplotlib's default, on which the distance depends


def chartmimic_text(reference: Figure, candidate: Figure) -> float:
    """Return the F1 of equal lines of texts."""
    return counted(_lines(reference), _lines(candidate))


def chartmimic_layout(reference: Figure, candidate: Figure) -> float:
    """Return the F1 of axes with equal place in an equal grid; axes in no grid do not count."""
    return counted(_cells(reference), _cells(candidate))


def chartmimic_type(reference: Figure, candidate: Figure) -> float | None:
    """Return the F1 of calls of plotting functions; None if those of the reference were not recorded."""
    if reference.calls is None:
        return None
    return counted(_calls(reference), _calls(candidate))


def chartmimic_color(reference: Figure, candidate: Figure) -> float:
    """Return the F1 of the different colours of each kind of mark, weighted by their similarity."""
    first, second = _colors(reference), _colors(candidate)
    similar = sum(matched(first[kind], second[kind], _similarity) for kind in first.keys() & second.keys())
    return f1(similar, sum(map(len, first.values())) + sum(map(len, second.values())))


def plot2code_text(reference: Figure, candidate: Figure) -> float:
    """Return the number of matched texts by that of all: matched ones once, the others of both figures."""
    groups: dict[str, tuple[list[FigureText], list[FigureText]]] = defaultdict(lambda: ([], []))
    for side, figure in enumerate((reference, candidate)):
        for text in figure.texts:
            groups[text.text.strip().lower()][side].append(text)
    similar = sum(_near(first, second, reference) for first, second in groups.values())
    total = len(reference.texts) + len(candidate.texts) - similar
    return similar / total if total else 1.0


#: Functions by the name of the metric.
PUBLISHED: dict[str, Callable[[Figure, Figure], float | None]] = {
    "chartmimic_text": chartmimic_text,
    "chartmimic_layout": chartmimic_layout,
    "chartmimic_type": chartmimic_type,
    "chartmimic_color": chartmimic_color,
    "plot2code_text": plot2code_text,
}
#: Metrics whose mean is the low-level score of ChartMimic.
CHARTMIMIC = tuple(name for name in PUBLISHED if name.startswith("chartmimic"))
#: Why ``chartmimic_type`` has no value.
NO_CALLS = "the renderer did not record the calls of plotting functions"


def _lines(figure: Figure) -> Iterator[str]:
    for text in figure.texts:
        for line in text.text.split("\n"):
            plain = line.count("$") - line.count(r"\$")
            # A line without mathematics is drawn with its dollar signs, without what escapes them.
            yield line if plain and plain % 2 == 0 else line.replace(r"\$", "$")


def _cells(figure: Figure) -> Iterator[tuple[int, ...]]:
    for axes in figure.axes:
        if axes.rows:
            cell = (axes.first_row, axes.last_row, axes.first_column, axes.last_column)
            yield (axes.rows, axes.columns, *cell)


def _calls(figure: Figure) -> Iterator[str]:
    for call in figure.calls or ():
        yield from [call.function] * call.count


def _colors(figure: Figure) -> Mapping[Hashable, list[str]]:
    """Return the different colours by the kind of mark: names of colour maps, or colours without alpha."""
    by_kind: dict[Hashable, dict[str, None]] = defaultdict(dict)
    for mark in figure.marks:
        by_kind[mark.kind, mark.shape] |= dict.fromkeys(_of_mark(mark))
    return {kind: list(names) for kind, names in by_kind.items()}


def _of_mark(mark: Mark) -> Iterator[str]:
    if mark.color_map:
        yield mark.color_map
        return
    for color in mark.colors or mark.edge_colors:
        if _lab(color) is not None:
            yield f"{color[:7]}ff".lower()


def _lab(color: str) -> Lab | None:
    try:
        return lab(*on_white(color))
    except ValueError:
        return None


def _similarity(name: str, other: str) -> float:
    """Return how alike two colours are; different names of colour maps are not alike at all."""
    first, second = _lab(name), _lab(other)
    if first is None or second is None:
        return float(name == other)
    return max(0.0, 1 - difference(first, second) / COLOR_REACH)


def _near(first: list[FigureText], second: list[FigureText], reference: Figure) -> int:
    """Return the number of pairs of texts that are near each other, each text in one at most."""
    width, height = reference.width_inches * _PIXELS_PER_INCH, reference.height_inches * _PIXELS_PER_INCH
    reach = -POSITION_SCALE * math.log(POSITION_SIMILARITY)
    return round(matched(first, second, lambda one, other: _distance(one, other, width, height) < reach))


def _distance(text: FigureText, other: FigureText, width: float, height: float) -> float:
    across = text.box.x + text.box.width / 2 - other.box.x - other.box.width / 2
    down = text.box.y + text.box.height / 2 - other.box.y - other.box.height / 2
    return math.hypot(across * width, down * height)
