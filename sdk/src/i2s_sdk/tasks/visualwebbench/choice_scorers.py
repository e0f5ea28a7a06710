"""Scorers of choices, boxes and points: 1 for a right answer, 0 for any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from i2s_sdk.json_text import read_json
from i2s_sdk.scoring.scorer import Aggregate, Metric, Scorable, Values, values_of_unusable
from i2s_sdk.tasks.visualwebbench.boxes import LEAST_IOU, Box, contains, iou
from i2s_sdk.tasks.visualwebbench.letters import index_of
from i2s_sdk.tasks.visualwebbench.shown import shown_detail

ACCURACY = "accuracy"

_METRICS = (Metric(ACCURACY, aggregate=Aggregate.SHARE),)


@dataclass(frozen=True, slots=True)
class LetterScorer:
    """Compares a letter with the index of the gold choice, A being 0.

    Attributes:
        name: As the manifest calls it.
        version: Of the values.
        metrics: ``accuracy``, 0 or 1.
        in_worker: False: a letter is short.
    """

    name: str = "letter"
    version: str = "1"
    metrics: tuple[Metric, ...] = _METRICS
    in_worker: bool = False

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold choice."""
        return sample.target is not None

    def score(self, sample: Scorable) -> Values:
        """Return whether a letter is that of the gold choice.

        Raises:
            ValueError: The target is no index.
        """
        return _value(sample, index_of(sample.structure or "") == gold_index(sample))

    def unusable(self, sample: Scorable) -> Values:
        """Return 0: no answer is a wrong answer."""
        return _unusable(sample)


@dataclass(frozen=True, slots=True)
class BoxScorer:
    """Compares a box with the box of the gold choice; right from an intersection over union of 0.5 on.

    Attributes:
        name: As the manifest calls it.
        version: Of the values.
        metrics: ``accuracy``, 0 or 1.
        in_worker: False: a box is short.
    """

    name: str = "box"
    version: str = "1"
    metrics: tuple[Metric, ...] = _METRICS
    in_worker: bool = False

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold choice."""
        return sample.target is not None

    def score(self, sample: Scorable) -> Values:
        """Return whether a box is the gold box.

        Raises:
            ValueError: The target or the options are none.
        """
        x1, y1, x2, y2 = read_json(sample.structure or "")
        return _value(sample, iou((x1, y1, x2, y2), gold_box(sample)) >= LEAST_IOU)

    def unusable(self, sample: Scorable) -> Values:
        """Return 0: no answer is a wrong answer."""
        return _unusable(sample)


@dataclass(frozen=True, slots=True)
class PointScorer:
    """Compares a point with the box of the gold choice; right inside of it and on its edges.

    Attributes:
        name: As the manifest calls it.
        version: Of the values.
        metrics: ``accuracy``, 0 or 1.
        in_worker: False: a point is short.
    """

    name: str = "point"
    version: str = "1"
    metrics: tuple[Metric, ...] = _METRICS
    in_worker: bool = False

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold choice."""
        return sample.target is not None

    def score(self, sample: Scorable) -> Values:
        """Return whether a point lies in the gold box.

        Raises:
            ValueError: The target or the options are none.
        """
        x, y = read_json(sample.structure or "")
        return _value(sample, contains(gold_box(sample), (x, y)))

    def unusable(self, sample: Scorable) -> Values:
        """Return 0: no answer is a wrong answer."""
        return _unusable(sample)


def _value(sample: Scorable, right: bool) -> Values:
    return Values({ACCURACY: float(right)}, detail=shown_detail(sample))


def _unusable(sample: Scorable) -> Values:
    return replace(values_of_unusable(_METRICS), detail=shown_detail(sample))


def gold_index(sample: Scorable) -> int:
    """Return the index of the gold choice.

    Raises:
        ValueError: The target is no index.
    """
    index = sample.target
    if not isinstance(index, int) or isinstance(index, bool) or index < 0:
        raise ValueError(f"the target of {sample.id!r} must be the index of a choice, counted from 0")
    return index


def gold_box(sample: Scorable) -> Box:
    """Return the box of the gold choice, in ratios of width and height.

    Raises:
        ValueError: The target is no index of the input ``options``, or what it names is no box.
    """
    index, options = gold_index(sample), sample.inputs.get("options")
    if not isinstance(options, Sequence) or index >= len(options):
        raise ValueError(f"the input 'options' of {sample.id!r} must hold the box that the target names")
    return _box(sample.id, options[index])


def _box(identity: str, given: object) -> Box:
    match given:
        case [float() | int() as x1, float() | int() as y1, float() | int() as x2, float() | int() as y2]:
            return float(x1), float(y1), float(x2), float(y2)
    raise ValueError(f"an option of {identity!r} must be a box: [x1, y1, x2, y2]")
