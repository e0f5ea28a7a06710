"""The columns of a task in the tables of a run, and how each is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from i2s_sdk.run.storage.record import Record
from i2s_sdk.scoring.scorer import Aggregate, Average, Metric
from i2s_sdk.stats.estimates import Part
from i2s_sdk.stats.means import Mean, column_value, mean_of_columns, mean_with_interval, pooled, share


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that are computed of the samples of a task."""

    #: Metrics in the order shown.
    metrics: tuple[Metric, ...]
    #: Averages that are shown after them.
    averages: tuple[Average, ...] = ()
    #: Whether profile ``helm`` takes the unweighted mean over the groups of subset and difficulty.
    mean_of_cells: bool = False

    def values_of(self, records: Sequence[Record]) -> dict[str, Mean]:
        """Return the value of each column over some samples."""
        by_name = {}
        for metric in self.metrics:
            values = [record.score.metrics.get(metric.name) for record in records]
            match metric.aggregate:
                case Aggregate.MEAN:
                    by_name[metric.name] = mean_with_interval(values, metric.low, metric.high)
                case Aggregate.SHARE:
                    by_name[metric.name] = share([bool(value) for value in values if value is not None])
                case Aggregate.POOLED:
                    parts = [record.score.parts.get(metric.name) for record in records]
                    by_name[metric.name] = pooled(parts, metric.low, metric.high)
        for average in self.averages:
            columns = self.metrics_of(average.name)
            rows = [[part_of(record, m) for m in columns] for record in records]
            by_name[average.name] = mean_of_columns(rows, *mean_range(columns))
        return {name: by_name[name] for name in self.names}

    def of_sample(self, record: Record) -> dict[str, float | None]:
        """Return the values of a sample: those of its metrics, and its averages; none without a score.

        The average of pooled metrics is that of the ratios of the sample alone.
        """
        if not record.score.metrics:
            return {}
        averages = {
            average.name: column_value(
                [[part_of(record, metric) for metric in self.metrics_of(average.name)]]
            )
            for average in self.averages
        }
        return {**record.score.metrics, **averages}

    def metrics_of(self, name: str) -> tuple[Metric, ...]:
        """Return the metrics whose values, or the mean of them, are a column; none if there is none."""
        average = next((one for one in self.averages if one.name == name), None)
        names = average.of if average is not None else (name,)
        return tuple(metric for metric in self.metrics if metric.name in names)

    def both(self, other: Columns) -> Columns:
        """Return the columns that another run of the task has too."""
        metrics = tuple(metric for metric in self.metrics if metric in other.metrics)
        averages = tuple(average for average in self.averages if average in other.averages)
        return Columns(metrics, averages, self.mean_of_cells)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all columns, in the order shown."""
        return (*(metric.name for metric in self.metrics), *(average.name for average in self.averages))


def part_of(record: Record, metric: Metric) -> Part | None:
    """Return what a sample adds to a column."""
    if metric.aggregate is Aggregate.POOLED:
        return record.score.parts.get(metric.name)
    value = record.score.metrics.get(metric.name)
    return None if value is None else (value, 1.0)


def mean_range(metrics: Sequence[Metric]) -> tuple[float, float]:
    """Return the least and the greatest value of the mean of some metrics; 0 and 1 of none."""
    if not metrics:
        return 0.0, 1.0
    return fmean(metric.low for metric in metrics), fmean(metric.high for metric in metrics)
