"""Rank correlations with ties, and how the metrics of a task go together, as Table A1 of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval."""

    #: None if there are too few pairs, or a variable does not vary.
    value: float | None = None
    #: Interval of 95 %; None without a value, or for fewer than FEWEST pairs.
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class PairedAgreement:
    """How far a variable goes with another one that is taken to be right, such as scores of people."""

    #: Number of pairs.
    n: int
    #: Pearson's correlation, from -1 to 1.
    pearson: Estimate
    #: Spearman's rho, from -1 to 1.
    spearman: Estimate
    #: Kendall's tau-b, from -1 to 1.
    kendall: Estimate
    #: Share of the pairs of things that differ in the right variable and that the other one orders alike, a
    #: tie of the other one counted as half; 0.5 without any relation. Equals (1 + Somers' D) / 2.
    accuracy: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON has them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Kinds:
    """The kinds of pairs there are: place of the values of each among the values of its variable."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    #: The values of each kind, less their mean and divided by the greatest distance from it.
    values: tuple[Floats, Floats]


def rank_correlation(pairs: Iterable[tuple[float, float]]) -> RankCorrelation:
    """Return the rank correlations of pairs.

    Draws of the bootstrap in which a variable does not vary are left out of the intervals.

    Args:
        pairs: Pairs in any order; finite numbers.
    """
    ordered = sorted(pairs)
    rho, tau = _estimates(ordered, (_spearman, _kendall))
    return RankCorrelation(len(ordered), rho.value, tau.value, rho.interval, tau.interval)


def paired_agreement(pairs: Iterable[tuple[float, float]]) -> PairedAgreement:
    """Return how far the first variable of pairs goes with the second one, which is taken to be right.

    Draws of the bootstrap in which a variable does not vary are left out of the intervals.

    Args:
        pairs: Pairs in any order; finite numbers.
    """
    ordered = sorted(pairs)
    measured = _estimates(ordered, (_pearson, _spearman, _kendall, _accuracy))
    exact = Estimate(pearson(ordered), measured[0].interval)
    return PairedAgreement(len(ordered), exact, *measured[1:])


def _estimates(
    ordered: Sequence[tuple[float, float]], statistics: Sequence[Callable[[Counts, _Kinds], Floats]]
) -> list[Estimate]:
    """Return statistics of sorted pairs, all from the same draws."""
    import numpy as np

    if len(ordered) < 2:
        return [Estimate() for _ in statistics]
    places = {pair: at for at, pair in enumerate(dict.fromkeys(ordered))}
    of_pairs = np.asarray([places[pair] for pair in ordered], np.intp)
    columns = [np.asarray([pair[at] for pair in places], np.float64) for at in (0, 1)]
    levels = [np.unique(column, return_inverse=True)[1] for column in columns]
    kinds = _Kinds(levels[0], levels[1], (_scaled(columns[0]), _scaled(columns[1])))
    observed = np.bincount(of_pairs, minlength=len(places))[np.newaxis]
    values = [float(statistic(observed, kinds)[0]) for statistic in statistics]
    known = [None if math.isnan(value) else value for value in values]
    if len(ordered) < FEWEST or not any(value is not None for value in known):
        return [Estimate(value) for value in known]
    drawn = resampled_counts(of_pairs, len(places))
    return [
        Estimate() if value is None else Estimate(value, _interval(statistic(drawn, kinds)))
        for value, statistic in zip(known, statistics, strict=True)
    ]


def _scaled(column: Floats) -> Floats:
    import numpy as np

    centred = column - column.mean()
    greatest = float(np.abs(centred).max())
    scaled: Floats = centred / greatest if greatest else centred
    return scaled


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


def _pearson(counts: Counts, kinds: _Kinds) -> Floats:
    """Return Pearson's correlation of each draw; NaN if a variable does not vary."""
    import numpy as np

    total = counts.sum(axis=1)
    x, y = (values - ((counts * values).sum(axis=1) / total)[:, np.newaxis] for values in kinds.values)
    squares = [(counts * centred * centred).sum(axis=1) for centred in (x, y)]
    varies = [(_by_level(counts, one) > 0).sum(axis=1) > 1 for one in (kinds.first, kinds.second)]
    # Rounded, so that the last digits of sums, which differ between machines, do not show.
    quotient = _quotient(
        (counts * x * y).sum(axis=1),
        *(np.where(one, square, 0.0) for one, square in zip(varies, squares, strict=True)),
    )
    rounded: Floats = np.clip(np.round(quotient, 9), -1.0, 1.0)
    return rounded


def _spearman(counts: Counts, kinds: _Kinds) -> Floats:
    """Return rho of each draw; NaN if a variable does not vary.

    Args:
        counts: How often each kind of pair is there.
        kinds: The kinds.
    """
    ranks = []
    for levels in (kinds.first, kinds.second):
        of_level = _by_level(counts, levels)
        # Twice the mean rank of a value, less twice that of all: so it is an integer, and 0 in the mean.
        below = of_level.cumsum(axis=1) - of_level
        ranks.append((2 * below + of_level - counts.sum(axis=1, keepdims=True))[:, levels])
    x, y = ranks
    both = (counts * x * y).sum(axis=1)
    return _quotient(both, (counts * x * x).sum(axis=1), (counts * y * y).sum(axis=1))


def _kendall(counts: Counts, kinds: _Kinds) -> Floats:
    """Return tau-b of each draw; NaN if a variable does not vary; arguments as of ``_spearman``."""
    both = _concordance(counts, kinds)
    return _quotient(both, _unequal(counts, kinds.first), _unequal(counts, kinds.second))


def _accuracy(counts: Counts, kinds: _Kinds) -> Floats:
    """Return the share of pairs that differ in the second variable and that the first orders alike.

    NaN if the second variable does not vary; arguments as of ``_spearman``.
    """
    import numpy as np

    unequal = _unequal(counts, kinds.second).astype(np.float64)
    share: Floats = np.full(len(unequal), np.nan)
    np.divide(unequal + _concordance(counts, kinds), 2 * unequal, out=share, where=unequal > 0)
    return share


def _concordance(counts: Counts, kinds: _Kinds) -> Floats:
    """Return the number of ordered pairs of things in the same order less that in the other order."""
    import numpy as np

    weights = counts.astype(np.float64)  # integers below 2^53, so products are exact
    first, second = kinds.first, kinds.second
    signs = np.sign(first[:, None] - first) * np.sign(second[:, None] - second)
    both: Floats = ((weights @ signs.astype(np.float64)) * weights).sum(axis=1)
    return both


def _unequal(counts: Counts, levels: NDArray[np.intp]) -> Counts:
    """Return the number of ordered pairs of things that differ in a variable."""
    unequal: Counts = counts.sum(axis=1) ** 2 - (_by_level(counts, levels) ** 2).sum(axis=1)
    return unequal


def _quotient(both: Counts | Floats, first: Counts | Floats, other: Counts | Floats) -> Floats:
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
    values = [record.score.metrics for record in records if record.outcome.counts and record.usable]
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
