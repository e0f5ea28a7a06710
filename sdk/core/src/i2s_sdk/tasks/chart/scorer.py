"""The scorer of charts: the objects of their figures, as the plotting library holds them, and their text."""

from __future__ import annotations

import json
from abc import abstractmethod
from dataclasses import asdict, dataclass

from i2s_sdk.json_text import JsonFields, read_json
from i2s_sdk.scoring.scorer import Metric, MetricValues, NotUsable, Scorable, Scorer
from i2s_sdk.tasks.chart.elements import SCORES, missing, not_shown, objects_in_image, scores
from i2s_sdk.tasks.chart.evidence import Unseen
from i2s_sdk.tasks.chart.published import NO_CALLS, PUBLISHED
from i2s_wire.render.figure import Figure


def figure_to_text(figure: Figure, unseen: Unseen | None = None) -> str:
    """Return the objects of a figure as one line of JSON.

    Args:
        figure: The figure.
        unseen: What of them its image does not show; None if they were not compared with it.
    """
    plain = asdict(figure) if unseen is None else {**asdict(figure), "unseen": asdict(unseen)}
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def unseen_from_text(text: str) -> Unseen | None:
    """Return what an image does not show, as ``figure_to_text`` was given it; None if that is not known.

    Raises:
        ValueError: It is not such a text.
    """
    try:
        plain = JsonFields(read_json(text))
        return (
            JsonFields(plain.value("unseen")).read_as(Unseen) if plain.value("unseen") is not None else None
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"no objects of a figure: {error}") from None


def figure_from_text(text: str) -> Figure:
    """Return the figure that ``figure_to_text`` was given.

    Raises:
        ValueError: It is not such a text.
    """
    try:
        plain = JsonFields(read_json(text))
        return plain.read_as(Figure, page=plain.whole("page"))
    except (KeyError, TypeError) as error:
        raise ValueError(f"no objects of a figure: {error}") from None


#: Name of the scorer in the manifest of a run and in the detail of a sample.
NAME = "chart elements"

_SUMMARIES = {
    "text": "F1 of the visible texts of both figures: equal words.",
    "text_place": "F1 of the visible texts of both figures: equal words, weighted by their distance.",
    "kind": "F1 of the marks of both figures: equal kind and class of shapes.",
    "color": "F1 of the colours of marks of both figures, by their distance in CIEDE2000.",
    "layout": "F1 of the axes of both figures: equal projection and place in the grid.",
    "data": "F1 of the marks of both figures: equal kind, weighted by the part of the points that is equal.",
    "objects_in_image": (
        "Part of the texts, marks and axes that the image of the figure shows, by that of the reference."
    ),
    "chartmimic_text": "F1 of the lines of visible texts, as ChartMimic computes it.",
    "chartmimic_layout": "F1 of the axes by their place in the grid, as ChartMimic computes it.",
    "chartmimic_type": "F1 of the calls of plotting functions, as ChartMimic computes it.",
    "chartmimic_color": "F1 of the colours of each kind of mark, as ChartMimic computes it.",
    "plot2code_text": "Matches of visible texts by words and place, as Plot2Code computes them.",
}
#: Metric that says how far the objects of a figure can be believed.
IN_IMAGE = "objects_in_image"
_METRICS = tuple(Metric(name, summary=_SUMMARIES[name]) for name in (*SCORES, IN_IMAGE))
#: Why the objects of a figure are not compared with its image.
NOT_COMPARED = "the objects of the figure were not compared with its image"


#: Name of the scorer that computes the scores of other benchmarks.
PUBLISHED_NAME = "published chart scores"


class _FigureScorer(Scorer):
    """Compares the objects of the figure of a program with those of the ground truth."""

    __slots__ = ()
    metrics: tuple[Metric, ...]

    def applies(self, sample: Scorable) -> bool:
        """Return whether the objects of the ground truth are known: whether there is a program of it."""
        return bool(sample.truth)

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the values of a program that has a figure."""
        reference = figure_from_text(sample.truth or "")
        try:
            candidate = figure_from_text(sample.text or "")
        except ValueError:
            return NotUsable("the objects of the figure cannot be read")
        unseen = unseen_from_text(sample.truth or ""), unseen_from_text(sample.text or "")
        return self._compared(reference, candidate, *unseen)

    @abstractmethod
    def _compared(
        self,
        reference: Figure,
        candidate: Figure,
        reference_unseen: Unseen | None,
        candidate_unseen: Unseen | None,
    ) -> MetricValues:
        """Return the values of two figures.

        Args:
            reference: Figure of the ground truth.
            candidate: Figure of the answer.
            reference_unseen: What the image of the reference does not show; None if that is not known.
            candidate_unseen: The same of the answer.
        """


@dataclass(frozen=True, slots=True)
class PublishedScorer(_FigureScorer):
    """Computes the scores of ChartMimic and Plot2Code from the objects of both figures."""

    name: str = PUBLISHED_NAME
    version: str = "2"
    metrics: tuple[Metric, ...] = tuple(Metric(name, summary=_SUMMARIES[name]) for name in PUBLISHED)
    in_worker: bool = True

    def _compared(
        self,
        reference: Figure,
        candidate: Figure,
        reference_unseen: Unseen | None,
        candidate_unseen: Unseen | None,
    ) -> MetricValues:
        values = {name: score(reference, candidate) for name, score in PUBLISHED.items()}
        return MetricValues(
            values, undefined={name: NO_CALLS for name, value in values.items() if value is None}
        )


@dataclass(frozen=True, slots=True)
class ElementScorer(_FigureScorer):
    """Computes the element scores of this project."""

    name: str = NAME
    version: str = "2"
    metrics: tuple[Metric, ...] = _METRICS
    in_worker: bool = True
    #: Whether objects count as far as the image shows them.
    by_image: bool = True

    def _compared(
        self,
        reference: Figure,
        candidate: Figure,
        reference_unseen: Unseen | None,
        candidate_unseen: Unseen | None,
    ) -> MetricValues:
        detail = missing(reference, candidate)
        values: dict[str, float | None] = {**scores(reference, candidate)}
        if reference_unseen is None or candidate_unseen is None:
            return MetricValues({**values, IN_IMAGE: None}, undefined={IN_IMAGE: NOT_COMPARED}, detail=detail)
        unseen = reference_unseen, candidate_unseen
        shown = objects_in_image(reference, candidate, *unseen)
        if self.by_image:
            believed = scores(reference, candidate, *unseen)
            values = {name: min(value, shown) for name, value in believed.items()}
        hidden = not_shown(candidate, candidate_unseen)
        return MetricValues({**values, IN_IMAGE: shown}, detail={**detail, **hidden})
