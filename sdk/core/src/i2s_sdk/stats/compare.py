"""Two runs sample by sample, and whether they differ by more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import NormalDist, stdev
from typing import Any

from i2s_sdk.run.storage.record import Record
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

#: Choices of signs that are drawn where there are too many to try all.
RESAMPLES = 10_000

#: Share of false alarms, and of true differences that are found, in ``instances_needed``.
ALPHA, POWER = 0.05, 0.8

_EXACT = 13  # differences up to which all signs are tried
_SEED = 20240622
_BLOCK = 250_000  # signs at a time, so that memory stays flat
_BITS = 64


def paired_p_value(differences: Iterable[float]) -> float | None:
    """Return the two-sided p-value of the hypothesis that two runs are alike.

    Args:
        differences: Differences of the same instances, in any order.

    Returns:
        A value in (0, 1]; None without a difference that is not 0, of which nothing can be said.
    """
    import numpy as np

    values = sorted((difference for difference in differences if difference), key=lambda one: (abs(one), one))
    if not values:
        return None
    magnitudes = np.abs(np.asarray(values, np.float64))
    # Sums of fixed point, so that ties with the observed sum are ties.
    scale = 2.0 ** (61 - math.ceil(math.log2(len(values) * max(1.0, float(magnitudes.max())))))
    fixed = np.rint(magnitudes * scale).astype(np.int64)
    observed = abs(int((np.sign(np.asarray(values)).astype(np.int64) * fixed).sum()))
    n = len(values)
    if n <= _EXACT:
        choices = np.arange(2**n, dtype=np.int64)[:, None] >> np.arange(n) & 1
        sums = np.abs(((2 * choices - 1) * fixed).sum(axis=1))
        return float((sums >= observed).mean())
    bits = np.random.PCG64(_SEED)
    words = -(-n // _BITS)
    rows = max(1, _BLOCK // n)
    extreme = 0
    for start in range(0, RESAMPLES, rows):
        count = min(rows, RESAMPLES - start)
        raw = bits.random_raw(count * words).astype("<u8").view(np.uint8).reshape(count, -1)
        signs = np.unpackbits(raw, axis=1, bitorder="little")[:, :n].astype(np.int64) * 2 - 1
        extreme += int((np.abs((signs * fixed).sum(axis=1)) >= observed).sum())
    return (extreme + 1) / (RESAMPLES + 1)


def instances_needed(differences: Iterable[float], difference: float) -> int | None:
    """Return how many instances a paired comparison needs to find a difference of means.

    The number of a two-sided test at ALPHA with power POWER, by the normal approximation with the standard
    deviation of the differences at hand.

    Args:
        differences: Differences of the same instances, in any order.
        difference: Difference that is to be found; not 0.

    Returns:
        None for fewer than two differences, or if all are equal.
    """
    values = list(differences)
    if len(values) < 2 or not difference:
        return None
    spread = stdev(values)
    if not spread:
        return None
    quantiles = NormalDist().inv_cdf(1 - ALPHA / 2) + NormalDist().inv_cdf(POWER)
    return math.ceil((quantiles * spread / difference) ** 2)


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
    """One metric of one task in two runs, over the samples that have it in both."""

    #: Task, such as "latex".
    task: str
    #: Its name; RENDERED is whether there is an image.
    metric: str
    #: Mean in the first run.
    first: float | None
    #: Mean in the second.
    second: float | None
    #: Mean of the second minus the first, with the interval of the mean of the differences of samples; of
    #: RENDERED with that of a paired difference of shares.
    difference: Mean
    #: Samples in which the second is better: higher, or lower in a metric in which less is better.
    better: int
    #: Samples in which it is worse.
    worse: int
    #: Samples that the second is furthest ahead in, largest difference first.
    gains: tuple[SamplePair, ...]
    #: Samples that it is furthest behind in, largest difference first.
    losses: tuple[SamplePair, ...]
    #: Whether samples have values of the metric; a mean of columns has none, and ``better`` and ``worse`` are
    #: 0.
    by_sample: bool = True
    #: The p-value of the paired permutation test that the runs are alike in the metric; None if all samples
    #: are equal, or samples have no values of it.
    p_value: float | None = None
    #: Instances that a paired comparison needs to find a difference as large as the observed one, or as large
    #: as the caller asked for; None if that cannot be said.
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
            have another reference image are left out; so are the wild subsets.
        columns: Columns that both runs have, by task.
        difference: Difference that ``needed`` instances find; None takes the observed one.
    """
    shared = [(record, second[name]) for name, record in first.items() if name in second]
    shared = [(record, other) for record, other in shared if _comparable(record, other)]
    comparisons = []
    for task, known in columns.items():
        own = [pair for pair in shared if pair[0].instance.task == task]
        for metric in (Metric(RENDERED, aggregate=Aggregate.SHARE), *known.metrics):
            pairs = sorted(_pairs(own, metric.name), key=lambda pair: (-_gain(metric, pair), pair.id))
            if pairs:
                comparisons.append(_comparison(task, metric, own, pairs, difference))
        metrics = {one.name: one for one in known.metrics}
        for average in known.averages:
            averaged = _of_columns(own, [metrics[name] for name in average.of if name in metrics])
            if averaged is not None:
                comparisons.append(Comparison(task, average.name, *averaged, 0, 0, (), (), by_sample=False))
    return comparisons


def _comparable(first: Record, other: Record) -> bool:
    return (
        first.outcome.counts
        and other.outcome.counts
        and first.instance.has_data_of(other.instance)
        and not excluded_from_totals(first.instance.subset)
    )


def _pairs(records: list[tuple[Record, Record]], metric: str) -> Iterator[SamplePair]:
    for own, other in records:
        first, second = value_of(own, metric), value_of(other, metric)
        if first is not None and second is not None:
            yield SamplePair(own.instance.id, first, second)


def _gain(metric: Metric, pair: SamplePair) -> float:
    """Return by how much the second run is better in a sample."""
    return -pair.difference if metric.lower_is_better else pair.difference


def _comparison(
    task: str,
    metric: Metric,
    records: list[tuple[Record, Record]],
    pairs: list[SamplePair],
    wanted: float | None,
) -> Comparison:
    differences = [pair.difference for pair in pairs]
    gained = [_gain(metric, pair) for pair in pairs]
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
        better=sum(one > 0 for one in gained),
        worse=sum(one < 0 for one in gained),
        gains=tuple(pair for pair in pairs[:NAMED] if _gain(metric, pair) > 0),
        losses=tuple(pair for pair in reversed(pairs[-NAMED:]) if _gain(metric, pair) < 0),
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
    rows = [tuple([part_of(record, metric) for metric in metrics] for record in pair) for pair in records]
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
