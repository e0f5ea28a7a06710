"""How the metrics of a task go together, as Table A1 of the paper: correlations over samples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.rank_correlation import RankCorrelation, rank_correlation


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two metrics go together over the samples that have both.

    Attributes:
        first: Name of a metric.
        second: Name of another one.
        pearson: Pearson's correlation, from -1 to 1; None if one of them does not vary.
        ranks: Spearman's and Kendall's correlations, with intervals.
    """

    first: str
    second: str
    pearson: float | None
    ranks: RankCorrelation

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON has them."""
        return asdict(self)


def correlations(records: Iterable[Record], metrics: Sequence[str]) -> list[Correlation]:
    """Return the correlation of every metric with every other one.

    Args:
        records: Samples of a task, of one run or several. Those that are not usable are left out: all metrics
            are 0 there, which would make them alike.
        metrics: Names of the metrics.
    """
    values = [one.metrics for one in records if one.outcome.counts and one.usable]
    return [
        Correlation(first, second, pearson(pairs), rank_correlation(pairs))
        for at, first in enumerate(metrics)
        for second in metrics[at + 1 :]
        if (pairs := _pairs(values, first, second))
    ]


def pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return Pearson's correlation of pairs; None for fewer than two, or if a variable does not vary.

    Sums are exact, so that the order of the pairs changes nothing.
    """
    if len(pairs) < 2:
        return None
    means = [math.fsum(pair[at] for pair in pairs) / len(pairs) for at in (0, 1)]
    centred = [(x - means[0], y - means[1]) for x, y in pairs]
    both = math.fsum(x * y for x, y in centred)
    squares = [math.fsum(pair[at] ** 2 for pair in centred) for at in (0, 1)]
    if not all(squares):
        return None
    return max(-1.0, min(1.0, both / math.sqrt(squares[0] * squares[1])))


def _pairs(
    values: Sequence[Mapping[str, float | None]], first: str, second: str
) -> list[tuple[float, float]]:
    found = []
    for one in values:
        x, y = one.get(first), one.get(second)
        if x is not None and y is not None:
            found.append((x, y))
    return found
