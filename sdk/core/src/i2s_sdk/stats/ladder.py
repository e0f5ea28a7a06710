"""How often a metric puts answers of a known order into that order.

Answers are graded by construction (``i2s_sdk.tasks.graded``): perfect, one token wrong, a tenth missing, half
missing, and three that know nothing (the ground truth of another instance, blank, constant), of which none is
better than another. Equivalent answers are as right as the perfect one. Of each pair of answers to one
instance whose order is known, a metric has 1 if the better one has the greater value (the lesser, in a metric
in which less is better), one half if both have the same, and 0 else. A pair is left out if a metric has no
value for one of the two, or if the degraded or rewritten answer did not render: what its metrics count then
says nothing of the metric.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

from i2s_sdk.stats.means import Mean, pooled
from i2s_sdk.tasks.graded import Rung

_ORDER = (Rung.PERFECT, Rung.ONE_WRONG, Rung.TENTH_MISSING, Rung.HALF_MISSING)
_KNOWING_NOTHING = (Rung.OTHER, Rung.BLANK, Rung.CONSTANT)


class PairKind(StrEnum):
    """Which pairs of answers are judged."""

    #: All pairs whose order is known, equivalent answers left out.
    ALL = "all pairs"
    #: Each rung over the next: perfect, one wrong, a tenth missing, half missing.
    FINE = "fine rungs"
    #: Half missing over those that know nothing.
    NOTHING = "half over nothing"
    #: Equivalent answers over half missing.
    OVER_HALF = "equivalent over half"
    #: Equivalent answers over those that know nothing.
    OVER_NOTHING = "equivalent over nothing"


@dataclass(frozen=True, slots=True)
class GradedValue:
    """An answer to an instance, and the values that metrics gave it."""

    #: Id of the instance.
    id: str
    rung: Rung
    #: The rung, or the name of the equivalent form.
    name: str
    #: Values by metric; None if a metric has none.
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class MetricOrder:
    """How often a metric orders pairs as they are."""

    metric: str
    #: The shares of pairs, with intervals over instances; a share of no pairs has no value. n counts
    #: instances.
    shares: Mapping[PairKind, Mean]
    #: The share of equivalent answers over half missing, by the name of the form.
    forms: Mapping[str, Mean]
    #: Mean value by rung or form.
    means: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        shares = {str(kind): asdict(mean) for kind, mean in self.shares.items()}
        forms = {name: asdict(mean) for name, mean in self.forms.items()}
        return {"metric": self.metric, "pairs": shares, "forms": forms, "means": dict(self.means)}

    @property
    def misleads(self) -> bool:
        """Whether a right answer in another form has less than half an answer, more often than not."""
        return any(mean.value is not None and mean.value < 0.5 for mean in self.forms.values())


@dataclass(frozen=True, slots=True)
class TaskLadder:
    """The order that each metric of a task gives to graded answers."""

    task: str
    #: Subset; empty for all of the task.
    subset: str
    #: Instances with graded answers.
    instances: int
    #: Graded answers that did not render or have no structure, and are left out.
    left_out: int
    #: All answers that are judged.
    judged: int
    metrics: tuple[MetricOrder, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {
            "task": self.task,
            "subset": self.subset,
            "instances": self.instances,
            "answers": self.judged,
            "left_out": self.left_out,
            "metrics": [metric.to_json() for metric in self.metrics],
        }


def metric_orders(
    answers: Sequence[GradedValue], metrics: Sequence[str], lower_is_better: Collection[str] = ()
) -> list[MetricOrder]:
    """Return how each metric orders graded answers.

    Args:
        answers: Answers to instances of one task, or of one subset.
        metrics: Names of the metrics.
        lower_is_better: Those in which less is better; in all others more is.
    """
    by_instance: dict[str, list[GradedValue]] = {}
    for answer in answers:
        by_instance.setdefault(answer.id, []).append(answer)
    forms = list(dict.fromkeys(answer.name for answer in answers if answer.rung is Rung.EQUIVALENT))
    return [
        _order(metric, list(by_instance.values()), forms, -1 if metric in lower_is_better else 1)
        for metric in metrics
    ]


def _order(
    metric: str, instances: Sequence[Sequence[GradedValue]], forms: Sequence[str], sign: int
) -> MetricOrder:
    shares = {
        kind: pooled([_judged(metric, own, kind, sign) for own in instances], 0.0, 1.0) for kind in PairKind
    }
    by_form = {
        form: pooled([_judged(metric, own, PairKind.OVER_HALF, sign, form) for own in instances], 0.0, 1.0)
        for form in forms
    }
    values: dict[str, list[float]] = {}
    for own in instances:
        for answer in own:
            if (value := answer.values.get(metric)) is not None:
                values.setdefault(answer.name, []).append(value)
    means = {name: sum(known) / len(known) for name, known in values.items()}
    return MetricOrder(metric, shares, by_form, means)


def _judged(
    metric: str, answers: Sequence[GradedValue], kind: PairKind, sign: int, form: str = ""
) -> tuple[float, float] | None:
    """Return points and number of the pairs of an instance; None if there is none."""
    points = pairs = 0.0
    for better in answers:
        if form and better.name != form:
            continue
        for worse in answers:
            if not _is_pair(better.rung, worse.rung, kind):
                continue
            high, low = better.values.get(metric), worse.values.get(metric)
            if high is None or low is None:
                continue
            pairs += 1
            ahead = sign * (high - low)
            points += 1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0
    return (points, pairs) if pairs else None


def _is_pair(better: Rung, worse: Rung, kind: PairKind) -> bool:
    match kind:
        case PairKind.ALL:
            return better in _ORDER and (
                worse in _KNOWING_NOTHING or worse in _ORDER[_ORDER.index(better) + 1 :]
            )
        case PairKind.FINE:
            return (better, worse) in pairwise(_ORDER)
        case PairKind.NOTHING:
            return better is Rung.HALF_MISSING and worse in _KNOWING_NOTHING
        case PairKind.OVER_HALF:
            return better is Rung.EQUIVALENT and worse is Rung.HALF_MISSING
        case PairKind.OVER_NOTHING:
            return better is Rung.EQUIVALENT and worse in _KNOWING_NOTHING
