"""Scorers of texts: ROUGE against the gold text, F1 against the best of several golds.

If the released evaluation stops with an exception there is no value: to profile ``helm`` such a sample
has none, with the exception as the reason. Its limit of about 1000 words, which is that of recursion in
Python, is kept in neither profile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from i2s_sdk.scoring.limits import ScorerLimits
from i2s_sdk.scoring.scorer import Metric, Scorable, Values, values_of_unusable
from i2s_sdk.tasks.visualwebbench.rouge import EPSILON, EmptyTextError, RougeScores, rouge_scores
from i2s_sdk.tasks.visualwebbench.shown import shown_detail
from i2s_sdk.tasks.visualwebbench.squad import squad_f1
from i2s_sdk.tasks.visualwebbench.texts import unquoted, without_marks
from i2s_wire.metrics.profile import Profile

ROUGE_L, ROUGE_1, ROUGE_2, F1 = "rouge_l", "rouge_1", "rouge_2", "f1"

#: CPU time and memory for a sample.
LIMITS = ScorerLimits(cpu_seconds=10.0)

_ROUGES = tuple(map(Metric, (ROUGE_L, ROUGE_1, ROUGE_2)))
_BLANK = " "  # what the released evaluation compares where an answer has no text


@dataclass(frozen=True, slots=True)
class RougeScorer:
    """Compares a text with the gold text.

    Attributes:
        profile: ``helm`` computes what the released evaluation computes; ``paper`` leaves out what it adds to
            the denominator, gives 0 to an answer of full stops alone, and to two texts of one word each the
            same ``rouge_2`` as ``rouge_1``.
        least: Characters of the shortest answer that ``helm`` compares at all.
        name: Name as the manifest calls it.
        version: Version of the values.
        metrics: ``rouge_l``, ``rouge_1`` and ``rouge_2``, from 0 to 1.
        in_worker: True: the time grows with the length of the answer times that of the gold text.
        limits: CPU time and memory for a sample.
    """

    profile: Profile
    least: int = 1
    name: str = "rouge"
    version: str = "1"
    metrics: tuple[Metric, ...] = _ROUGES
    in_worker: bool = True
    limits: ScorerLimits = LIMITS

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a gold text."""
        return sample.target is not None

    def score(self, sample: Scorable) -> Values:
        """Return the values of a text.

        Raises:
            ValueError: The target is no text.
        """
        gold, answer = sample.target, sample.structure or ""
        if not isinstance(gold, str):
            raise ValueError(f"the target of {sample.id!r} must be a text")
        released = self.profile is Profile.HELM
        values = self._released(answer, gold) if released else self._defined(answer, gold)
        return replace(values, detail=shown_detail(sample))

    def unusable(self, sample: Scorable) -> Values:
        """Return 0 for each metric."""
        return replace(values_of_unusable(self.metrics), detail=shown_detail(sample))

    def _defined(self, answer: str, gold: str) -> Values:
        gold = unquoted(without_marks(gold))  # as the answer is read
        try:
            scores = rouge_scores(answer, gold, epsilon=0.0)
        except EmptyTextError:
            scores = RougeScores(0.0, 0.0, 0.0)
        if len(answer.split()) == len(gold.split()) == 1:  # neither has a pair of words
            scores = replace(scores, rouge_2=scores.rouge_1)
        return _values(scores)

    def _released(self, answer: str, gold: str) -> Values:
        compared = answer if len(answer) >= self.least else _BLANK
        try:
            return _values(rouge_scores(compared, gold, EPSILON))
        except EmptyTextError as error:
            reason = f"the released evaluation stops with ValueError: {error}"
            names = [metric.name for metric in self.metrics]
            return Values(dict.fromkeys(names), dict.fromkeys(names, reason))


def _values(scores: RougeScores) -> Values:
    return Values({ROUGE_L: scores.rouge_l, ROUGE_1: scores.rouge_1, ROUGE_2: scores.rouge_2})


@dataclass(frozen=True, slots=True)
class QuestionScorer:
    """Compares an answer with the best of several golds.

    Attributes:
        profile: ``helm`` takes the F1 of ROUGE-1, ``paper`` that of SQuAD, which the paper names.
        name: Name as the manifest calls it.
        version: Version of the values.
        metrics: ``f1``, from 0 to 1.
        in_worker: True: the time grows with the length of the answer times the number of golds.
        limits: CPU time and memory for a sample.
    """

    profile: Profile
    name: str = "question_f1"
    version: str = "1"
    metrics: tuple[Metric, ...] = (Metric(F1),)
    in_worker: bool = True
    limits: ScorerLimits = LIMITS

    def applies(self, sample: Scorable) -> bool:
        """Return whether there are golds."""
        return sample.target is not None

    def score(self, sample: Scorable) -> Values:
        """Return the value of an answer.

        Raises:
            ValueError: The target is no list of texts, or an empty one.
        """
        golds, answer = sample.target, sample.structure or ""
        if not isinstance(golds, list) or not golds or not all(isinstance(one, str) for one in golds):
            raise ValueError(f"the target of {sample.id!r} must be a list of texts that is not empty")
        detail = shown_detail(sample)
        if self.profile is not Profile.HELM:
            return Values({F1: max(squad_f1(answer, gold) for gold in golds)}, detail=detail)
        try:
            value = max(rouge_scores(answer or _BLANK, gold).rouge_1 for gold in golds)
        except EmptyTextError as error:
            reason = f"the released evaluation leaves the item out: ValueError: {error}"
            return Values({F1: None}, {F1: reason}, detail=detail)
        return Values({F1: value}, detail=detail)

    def unusable(self, sample: Scorable) -> Values:
        """Return 0 for each metric."""
        return replace(values_of_unusable(self.metrics), detail=shown_detail(sample))
