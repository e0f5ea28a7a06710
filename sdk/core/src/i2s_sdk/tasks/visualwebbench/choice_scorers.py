"""Scorers of choices, boxes and points: 1 for a right answer, 0 for any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from i2s_sdk.json_text import read_json
from i2s_sdk.scoring.scorer import Aggregate, Metric, Scorable, Values, values_of_unusable
from i2s_sdk.tasks.visualwebbench.boxes import LEAST_IOU, Box, contains, iou
from i2s_sdk.tasks.visualwebbench.letters import index_of
from i2s_sdk.tasks.visualwebbench.shown import shown_detail

ACCURACY = "accuracy"


@dataclass(frozen=True, slots=True)
class ChoiceScorer:
    """Gives 1 for a right answer, 0 for a wrong one, and 0 for none.

    Attributes:
        name: Name as the manifest calls it.
        is_right: Returns whether the structure of a sample is right; raises ValueError if the target or the
            options are not those of a choice.
        version: Version of the values.
        metrics: ``accuracy``, 0 or 1.
        in_worker: False: a letter, a box and a point are short.
    """

    name: str
    is_right: Callable[[Scorable], bool]
    version: str = "1"
    metrics: tuple[Metric, ...] = (Metric(ACCURACY, aggregate=Aggregate.SHARE),)
    in_worker: bool = False

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold choice."""
        return sample.target is not None

    def score(self, sample: Scorable) -> Values:
        """Return whether the answer is right.

        Raises:
            ValueError: The target or the options are none.
        """
        return Values({ACCURACY: float(self.is_right(sample))}, detail=shown_detail(sample))

    def unusable(self, sample: Scorable) -> Values:
        """Return 0: no answer is a wrong answer."""
        return replace(values_of_unusable(self.metrics), detail=shown_detail(sample))


def _is_gold_letter(sample: Scorable) -> bool:
    return index_of(sample.structure or "") == gold_index(sample)


def _is_gold_box(sample: Scorable) -> bool:
    x1, y1, x2, y2 = read_json(sample.structure or "")
    return iou((x1, y1, x2, y2), gold_box(sample)) >= LEAST_IOU


def _is_in_gold_box(sample: Scorable) -> bool:
    x, y = read_json(sample.structure or "")
    return contains(gold_box(sample), (x, y))


#: Compares a letter with the index of the gold choice, A being 0.
LETTER = ChoiceScorer("letter", _is_gold_letter)
#: Compares a box with that of the gold choice: right from an intersection over union of 0.5 on.
BOX = ChoiceScorer("box", _is_gold_box)
#: Compares a point with the box of the gold choice: right inside of it and on its edges.
POINT = ChoiceScorer("point", _is_in_gold_box)


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
