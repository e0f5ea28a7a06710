"""Rank correlations with ties, and how the metrics of a task go together, as Table A1 of the paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from i2s_sdk.run.storage.record import Record
from i2s_sdk.stats.bootstrap import FEWEST, Interval, percentiles, resampled_counts

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]  # shape (draws, kinds of pairs)


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """How alike two variables order the same things."""

    #: Number of pairs.
    n: int
    #: Spearman's rho, from -1 to 1; None if a variable does not vary.
    spearman: float | None = None
    #: Kendall's tau-b, the same.
    kendall: float | None = None
    #: Interval of 95 %; None without a value, or for fewer than FEWEST pairs.
    spearman_interval: Interval | None = None
    #: The same.
    kendall_interval: Interval | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON has them."""
        return asdict(self)


def rank_correlation(pairs: Iterable[tuple[float, float]]) -> RankCorrelation:
    """Return the rank correlations of pairs.

    Draws of the bootstrap in which a variable does not vary are left out of the intervals.

    Args:
        pairs: Pairs in any order; finite numbers.
    """
    import numpy as np

    ordered = sorted(pairs)
    if len(ordered) < 2:
        return RankCorrelation(len(ordered))
    kinds = {pair: at for at, pair in enumerate(dict.fromkeys(ordered))}
    of_pairs = np.asarray([kinds[pair] for pair in ordered], np.intp)
    first = np.unique(np.asarray([x for x, _ in kinds]), return_inverse=True)[1]
    second = np.unique(np.asarray([y for _, y in kinds]), return_inverse=True)[1]
    observed = np.bincount(of_pairs, minlength=len(kinds))[np.newaxis]
    rho, tau = (one(observed, first, second)[0] for one in (_spearman, _kendall))
    if np.isnan(rho):
        return RankCorrelation(len(ordered))
    if len(ordered) < FEWEST:
        return RankCorrelation(len(ordered), float(rho), float(tau))
    drawn = resampled_counts(of_pairs, len(kinds))
    return RankCorrelation(
        len(ordered),
        float(rho),
        float(tau),
        _interval(_spearman(drawn, first, second)),
        _interval(_kendall(drawn, first, second)),
    )


def _interval(values: Floats) -> Interval | None:
    import numpy as np

    there = values[~np.isnan(values)]
    return percentiles(there) if len(there) else None


def _by_level(counts: Counts, levels: NDArray[np.intp]) -> Counts:
    """Return how many of each draw are of each value of one variable."""
    import numpy as np

    table = np.zeros((len(counts), int(levels.max()) + 1), np.int64)
    for kind, level in enumerate(levels):
        table[:, level] += counts[:, kind]
    return table


def _spearman(counts: Counts, first: NDArray[np.intp], second: NDArray[np.intp]) -> Floats:
    """Return rho of each draw; NaN if a variable does not vary.

    Args:
        counts: How often each kind of pair is there.
        first: Place of the first value of each kind among the values.
        second: The same of the second.
    """
    ranks = []
    for levels in (first, second):
        of_level = _by_level(counts, levels)
        # Twice the mean rank of a value, less twice that of all: so it is an integer, and 0 in the mean.
        below = of_level.cumsum(axis=1) - of_level
        ranks.append((2 * below + of_level - counts.sum(axis=1, keepdims=True))[:, levels])
    x, y = ranks
    both = (counts * x * y).sum(axis=1)
    return _quotient(both, (counts * x * x).sum(axis=1), (counts * y * y).sum(axis=1))


def _kendall(counts: Counts, first: NDArray[np.intp], second: NDArray[np.intp]) -> Floats:
    """Return tau-b of each draw; NaN if a variable does not vary; arguments as of ``_spearman``."""
    import numpy as np

    weights = counts.astype(np.float64)  # integers below 2^53, so products are exact
    signs = np.sign(first[:, None] - first) * np.sign(second[:, None] - second)
    both = ((weights @ signs.astype(np.float64)) * weights).sum(axis=1)
    total = counts.sum(axis=1)
    apart = (total**2 - (_by_level(counts, levels) ** 2).sum(axis=1) for levels in (first, second))
    return _quotient(both, *apart)


def _quotient(both: Counts | Floats, first: Counts, other: Counts) -> Floats:
    import numpy as np

    below = np.sqrt(first.astype(np.float64)) * np.sqrt(other.astype(np.float64))
    quotient: Floats = np.divide(both, below, out=np.full(len(below), np.nan), where=below > 0)
    return quotient


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two metrics go together over the samples that have both."""

    #: Name of a metric.
    first: str
    #: Name of another one.
    second: str
    #: Pearson's correlation, from -1 to 1; None if one of them does not vary.
    pearson: float | None
    #: Spearman's and Kendall's correlations, with intervals.
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
    values = [one.score.metrics for one in records if one.outcome.counts and one.usable]
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
    pairs = []
    for value in values:
        x, y = value.get(first), value.get(second)
        if x is not None and y is not None:
            pairs.append((x, y))
    return pairs
