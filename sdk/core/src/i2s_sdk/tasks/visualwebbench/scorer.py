"""Scorers of choices, boxes and points, and of texts: ROUGE against the gold text, F1 against the best golds.

If the released evaluation stops with an exception there is no value: to profile ``helm`` such a sample
has none, with the exception as the reason. Its limit of about 1000 words, which is that of recursion in
Python, is kept in neither profile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_sdk.scoring.scorer import Aggregate, Metric, MetricValues, Scorable, ScorerLimits, values_of_unusable
from i2s_sdk.tasks.visualwebbench.boxes import LEAST_IOU, Box, contains, iou
from i2s_sdk.tasks.visualwebbench.letters import index_of
from i2s_sdk.tasks.visualwebbench.texts import unquoted, without_marks
from i2s_sdk.tasks.visualwebbench.word_overlap import (
    EPSILON,
    EmptyTextError,
    RougeScores,
    rouge_scores,
    squad_f1,
)
from i2s_wire.metrics.profile import Profile

_INPUTS = ("question", "elem_desc", "instruction", "bbox", "options")
_CHARACTERS = 2000
_ENTRIES = 16


def shown_detail(sample: Scorable) -> dict[str, Any]:
    """Return the inputs and the target of a sample that a report shows, as a JSON object."""
    inputs = {name: bounded(sample.inputs[name]) for name in _INPUTS if name in sample.inputs}
    return {**inputs, "target": bounded(sample.target)}


def bounded(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """Return a JSON value with long texts and long lists cut off; of other types None."""
    match value:
        case str():
            return value if len(value) <= _CHARACTERS else value[: _CHARACTERS - 1] + "…"
        case list() | tuple():
            return [bounded(one) for one in value[:_ENTRIES]]
        case bool() | int() | float():
            return value
    return None


ACCURACY = "accuracy"


@dataclass(frozen=True, slots=True)
class ChoiceScorer:
    """Gives 1 for a right answer, 0 for a wrong one, and 0 for none."""

    #: Name as the manifest calls it.
    name: str
    #: Returns whether the structure of a sample is right; raises ValueError if the target or the options are
    #: not those of a choice.
    is_right: Callable[[Scorable], bool]
    #: Version of the values.
    version: str = "1"
    #: ``accuracy``, 0 or 1.
    metrics: tuple[Metric, ...] = (
        Metric(
            ACCURACY, aggregate=Aggregate.SHARE, summary="Share of samples whose choice or place is right."
        ),
    )
    #: False: a letter, a box and a point are short.
    in_worker: bool = False

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold choice."""
        return sample.target is not None

    def score(self, sample: Scorable) -> MetricValues:
        """Return whether the answer is right.

        Raises:
            ValueError: The target or the options are none.
        """
        return MetricValues({ACCURACY: float(self.is_right(sample))}, detail=shown_detail(sample))

    def unusable(self, sample: Scorable) -> MetricValues:
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
        ValueError: The target is not an index.
    """
    index = sample.target
    if not isinstance(index, int) or isinstance(index, bool) or index < 0:
        raise ValueError(f"the target of {sample.id!r} must be the index of a choice, counted from 0")
    return index


def gold_box(sample: Scorable) -> Box:
    """Return the box of the gold choice, in ratios of width and height.

    Raises:
        ValueError: The target is not an index of the input ``options``, or what it names is not a box.
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


ROUGE_L, ROUGE_1, ROUGE_2, F1 = "rouge_l", "rouge_1", "rouge_2", "f1"

#: CPU time and memory for a sample.
LIMITS = ScorerLimits(cpu_seconds=10.0)

_ROUGES = (
    Metric(ROUGE_L, summary="F1 of the longest common subsequence of words of the answer and the gold text."),
    Metric(ROUGE_1, summary="F1 of the words of the answer and the gold text."),
    Metric(ROUGE_2, summary="F1 of the pairs of neighbouring words of the answer and the gold text."),
)
_BLANK = " "  # what the released evaluation compares where an answer has no text


@dataclass(frozen=True, slots=True)
class RougeScorer:
    """Compares a text with the gold text."""

    #: ``helm`` computes what the released evaluation computes; ``paper`` leaves out what it adds to the
    #: denominator, gives 0 to an answer of full stops alone, and to two texts of one word each the same
    #: ``rouge_2`` as ``rouge_1``.
    profile: Profile
    #: Characters of the shortest answer that ``helm`` compares at all.
    least: int = 1
    #: Name as the manifest calls it.
    name: str = "rouge"
    #: Version of the values.
    version: str = "1"
    #: ``rouge_l``, ``rouge_1`` and ``rouge_2``, from 0 to 1.
    metrics: tuple[Metric, ...] = _ROUGES
    #: True: the time grows with the length of the answer times that of the gold text.
    in_worker: bool = True
    #: CPU time and memory for a sample.
    limits: ScorerLimits = LIMITS

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold text."""
        return sample.target is not None

    def score(self, sample: Scorable) -> MetricValues:
        """Return the values of a text.

        Raises:
            ValueError: The target is not a text.
        """
        gold, answer = sample.target, sample.structure or ""
        if not isinstance(gold, str):
            raise ValueError(f"the target of {sample.id!r} must be a text")
        released = self.profile is Profile.HELM
        values = self._released(answer, gold) if released else self._defined(answer, gold)
        return replace(values, detail=shown_detail(sample))

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return 0 for each metric."""
        return replace(values_of_unusable(self.metrics), detail=shown_detail(sample))

    def _defined(self, answer: str, gold: str) -> MetricValues:
        gold = unquoted(without_marks(gold))  # as the answer is read
        try:
            scores = rouge_scores(answer, gold, epsilon=0.0)
        except EmptyTextError:
            scores = RougeScores(0.0, 0.0, 0.0)
        if len(answer.split()) == len(gold.split()) == 1:  # neither has a pair of words
            scores = replace(scores, rouge_2=scores.rouge_1)
        return _values(scores)

    def _released(self, answer: str, gold: str) -> MetricValues:
        compared = answer if len(answer) >= self.least else _BLANK
        try:
            return _values(rouge_scores(compared, gold, EPSILON))
        except EmptyTextError as error:
            reason = f"the released evaluation stops with ValueError: {error}"
            names = [metric.name for metric in self.metrics]
            return MetricValues(dict.fromkeys(names), dict.fromkeys(names, reason))


def _values(scores: RougeScores) -> MetricValues:
    return MetricValues({ROUGE_L: scores.rouge_l, ROUGE_1: scores.rouge_1, ROUGE_2: scores.rouge_2})


@dataclass(frozen=True, slots=True)
class QuestionScorer:
    """Compares an answer with the best of several golds."""

    #: ``helm`` takes the F1 of ROUGE-1, ``paper`` that of SQuAD, which the paper names.
    profile: Profile
    #: Name as the manifest calls it.
    name: str = "question_f1"
    #: Version of the values.
    version: str = "1"
    #: ``f1``, from 0 to 1.
    metrics: tuple[Metric, ...] = (
        Metric(F1, summary="F1 of the words of the answer and of the gold answer that is nearest to it."),
    )
    #: True: the time grows with the length of the answer times the number of golds.
    in_worker: bool = True
    #: CPU time and memory for a sample.
    limits: ScorerLimits = LIMITS

    def applies(self, sample: Scorable) -> bool:
        """Return whether there are golds."""
        return sample.target is not None

    def score(self, sample: Scorable) -> MetricValues:
        """Return the value of an answer.

        Raises:
            ValueError: The target is not a list of texts, or an empty one.
        """
        golds, answer = sample.target, sample.structure or ""
        if not isinstance(golds, list) or not golds or not all(isinstance(gold, str) for gold in golds):
            raise ValueError(f"the target of {sample.id!r} must be a list of texts that is not empty")
        detail = shown_detail(sample)
        if self.profile is not Profile.HELM:
            return MetricValues({F1: max(squad_f1(answer, gold) for gold in golds)}, detail=detail)
        try:
            value = max(rouge_scores(answer or _BLANK, gold).rouge_1 for gold in golds)
        except EmptyTextError as error:
            reason = f"the released evaluation leaves the item out: ValueError: {error}"
            return MetricValues({F1: None}, {F1: reason}, detail=detail)
        return MetricValues({F1: value}, detail=detail)

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return 0 for each metric."""
        return replace(values_of_unusable(self.metrics), detail=shown_detail(sample))
