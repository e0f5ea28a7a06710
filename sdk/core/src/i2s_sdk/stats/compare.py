"""Two runs sample by sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from i2s_sdk.runlog.record import Record
from i2s_sdk.scoring.scorer import Aggregate, Metric
from i2s_sdk.stats.aggregate import RENDERED, excluded_from_totals, value_of
from i2s_sdk.stats.columns import Columns, mean_range, part_of
from i2s_sdk.stats.means import (
    Mean,
    column_value,
    mean,
    mean_with_interval,
    paired_column_difference,
    paired_share_difference,
)
from i2s_sdk.stats.permutation import instances_needed, paired_p_value

#: Samples that a comparison names at each end.
NAMED = 10


@dataclass(frozen=True, slots=True)
class SamplePair:
    """One sample in both runs; the difference is the second minus the first."""

    id: str
    first: float
    second: float

    @property
    def difference(self) -> float:
        """The value of the second run less that of the first."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of one task in two runs, over the samples that have it in both.

    Attributes:
        task: Task, such as "latex".
        metric: Its name; RENDERED is whether there is a picture.
        first: Mean in the first run.
        second: Mean in the second.
        difference: Mean of the second minus the first, with the interval of the mean of the differences of
            samples; of RENDERED with that of a paired difference of shares.
        better: Samples in which the second is higher.
        worse: Samples in which the second is lower.
        gains: Samples that the second is furthest ahead in, largest difference first.
        losses: Samples that it is furthest behind in, largest difference first.
        by_sample: Whether samples have values of the metric; a mean of columns has none, and ``better`` and
            ``worse`` are 0.
        p_value: The p-value of the paired permutation test that the runs are alike in the metric; None if
            all samples are equal, or samples have no values of it.
        needed: Instances that a paired comparison needs to find a difference as large as the observed one, or
            as large as the caller asked for; None if that cannot be said.
    """

    task: str
    metric: str
    first: float | None
    second: float | None
    difference: Mean
    better: int
    worse: int
    gains: tuple[SamplePair, ...]
    losses: tuple[SamplePair, ...]
    by_sample: bool = True
    p_value: float | None = None
    needed: int | None = None

    @property
    def equal(self) -> int:
        """Return in how many samples both have the same value."""
        return self.difference.n - self.better - self.worse

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return asdict(self)


def compare(
    first: Mapping[str, Record],
    second: Mapping[str, Record],
    columns: Mapping[str, Columns],
    difference: float | None = None,
) -> list[Comparison]:
    """Return how two runs differ, task by task.

    Args:
        first: Records by instance.
        second: The same of the other run. Samples that only one has, that have no score in one, or that
            have another reference picture are left out; so are the wild subsets.
        columns: Columns that both runs have, by task.
        difference: Difference that ``needed`` instances find; None takes the observed one.
    """
    shared = [(one, second[name]) for name, one in first.items() if name in second]
    shared = [(one, other) for one, other in shared if _comparable(one, other)]
    found = []
    for task, known in columns.items():
        own = [pair for pair in shared if pair[0].task == task]
        for metric in (Metric(RENDERED, aggregate=Aggregate.SHARE), *known.metrics):
            pairs = sorted(_pairs(own, metric.name), key=lambda pair: (-pair.difference, pair.id))
            if pairs:
                found.append(_comparison(task, metric, own, pairs, difference))
        metrics = {one.name: one for one in known.metrics}
        for average in known.averages:
            averaged = _of_columns(own, [metrics[name] for name in average.of if name in metrics])
            if averaged is not None:
                found.append(Comparison(task, average.name, *averaged, 0, 0, (), (), by_sample=False))
    return found


def _comparable(one: Record, other: Record) -> bool:
    return (
        one.outcome.counts
        and other.outcome.counts
        and one.has_data_of(other)
        and not excluded_from_totals(one.subset)
    )


def _pairs(records: list[tuple[Record, Record]], metric: str) -> Iterator[SamplePair]:
    for one, other in records:
        first, second = value_of(one, metric), value_of(other, metric)
        if first is not None and second is not None:
            yield SamplePair(one.id, first, second)


def _comparison(
    task: str,
    metric: Metric,
    records: list[tuple[Record, Record]],
    pairs: list[SamplePair],
    wanted: float | None,
) -> Comparison:
    differences = [pair.difference for pair in pairs]
    first, second = mean(pair.first for pair in pairs).value, mean(pair.second for pair in pairs).value
    difference = _difference(metric, pairs)
    is_mean = metric.aggregate is not Aggregate.POOLED
    to_find = wanted if wanted is not None else (difference.value or 0.0)
    if metric.aggregate is Aggregate.POOLED and (ratios := _of_columns(records, [metric])):
        first, second, difference = ratios
    return Comparison(
        task=task,
        metric=metric.name,
        first=first,
        second=second,
        difference=difference,
        better=sum(one > 0 for one in differences),
        worse=sum(one < 0 for one in differences),
        gains=tuple(pair for pair in pairs[:NAMED] if pair.difference > 0),
        losses=tuple(pair for pair in reversed(pairs[-NAMED:]) if pair.difference < 0),
        p_value=paired_p_value(differences) if is_mean else None,
        needed=instances_needed(differences, to_find) if is_mean else None,
    )


def _of_columns(
    records: list[tuple[Record, Record]], metrics: list[Metric]
) -> tuple[float | None, float | None, Mean] | None:
    """Return the mean of columns in both runs and the difference, over samples that both have any of.

    Returns:
        None if there is no such sample.
    """
    rows = [tuple([part_of(one, metric) for metric in metrics] for one in pair) for pair in records]
    rows = [pair for pair in rows if all(any(part is not None for part in row) for row in pair)]
    if not rows:
        return None
    first, second = ([pair[at] for pair in rows] for at in (0, 1))
    return (
        column_value(first),
        column_value(second),
        paired_column_difference(first, second, *mean_range(metrics)),
    )


def _difference(metric: Metric, pairs: list[SamplePair]) -> Mean:
    if metric.aggregate is Aggregate.SHARE:
        return paired_share_difference([(bool(pair.first), bool(pair.second)) for pair in pairs])
    reach = metric.high - metric.low
    return mean_with_interval((pair.difference for pair in pairs), -reach, reach)
