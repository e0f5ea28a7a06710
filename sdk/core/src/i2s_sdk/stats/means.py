"""Means and shares with their n and interval: of shares by Wilson (1927) and Newcombe (1998)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from i2s_sdk.stats.bootstrap import Interval, estimate_interval
from i2s_sdk.stats.estimates import (
    Part,
    SampleEstimate,
    estimated_columns,
    estimated_difference,
    estimated_mean,
    estimated_mean_of,
)

#: Quantile of the normal distribution that leaves 2.5 % above it.
_Z = 1.959963984540054


def share_interval(successes: int, n: int) -> Interval:
    """Return the 95 % interval of a share.

    Args:
        successes: How many of ``n`` have what is counted.
        n: Number of values, at least 1.
    """
    share, spread = successes / n, _Z * _Z / n
    half = _Z * math.sqrt(share * (1 - share) / n + spread / n / 4)
    middle, scale = share + spread / 2, 1 + spread
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def mean_share_interval(counts: Sequence[tuple[int, int]]) -> Interval:
    """Return the 95 % interval of the unweighted mean of the shares of several groups.

    Of one group it is the interval of its share.

    Args:
        counts: Successes and size of each group, at least one, each of at least one.
    """
    shares = [successes / n for successes, n in counts]
    ends = [share_interval(successes, n) for successes, n in counts]
    mean = math.fsum(shares) / len(shares)
    below = math.hypot(*(share - low for share, (low, _) in zip(shares, ends, strict=True)))
    above = math.hypot(*(high - share for share, (_, high) in zip(shares, ends, strict=True)))
    return max(0.0, mean - below / len(shares)), min(1.0, mean + above / len(shares))


def paired_difference_interval(both: int, first: int, second: int, neither: int) -> Interval:
    """Return the 95 % interval of the difference of two shares of the same samples, second minus first.

    Args:
        both: Samples that count in both shares.
        first: Samples that count in the first only.
        second: Samples that count in the second only.
        neither: Samples that count in neither.
    """
    n = both + first + second + neither
    p, q = (both + second) / n, (both + first) / n
    (p_low, p_high), (q_low, q_high) = share_interval(both + second, n), share_interval(both + first, n)
    correlation = _correlation(both, first, second, neither)
    below = _combined(p - p_low, q_high - q, correlation)
    above = _combined(p_high - p, q - q_low, correlation)
    return max(-1.0, p - q - below), min(1.0, p - q + above)


def _combined(a: float, b: float, correlation: float) -> float:
    return math.sqrt(max(0.0, a * a - 2 * correlation * a * b + b * b))


def _correlation(both: int, first: int, second: int, neither: int) -> float:
    """Return the correlation of the two outcomes, corrected for continuity if it is positive."""
    n = both + first + second + neither
    scale = math.sqrt((both + first) * (second + neither) * (both + second) * (first + neither))
    if not scale:
        return 0.0
    product = both * neither - first * second
    return (max(product - n / 2, 0.0) if product > 0 else product) / scale


class IntervalKind(StrEnum):
    """How an interval was found, or why there is none."""

    #: The Bayesian bootstrap with half an observation at each end of the range.
    BAYESIAN_BOOTSTRAP = "bayesian_bootstrap"
    #: Percentiles of the bootstrap over samples, of a rank correlation.
    BOOTSTRAP = "bootstrap"
    #: Wilson's score interval of a share.
    WILSON = "wilson"
    #: Newcombe's method from Wilson's intervals, of a mean or difference of shares.
    NEWCOMBE = "newcombe"
    #: None: all values are equal, so that they show no spread.
    ALL_EQUAL = "all_equal"
    #: None: the values of each group are equal.
    EQUAL_IN_GROUPS = "equal_in_groups"
    #: None: fewer than five values, or of a share none.
    TOO_FEW = "too_few"
    #: None: it was not asked for.
    NOT_COMPUTED = "not_computed"


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and over how many values; None over none."""

    #: The mean.
    value: float | None
    #: Over how many.
    n: int
    #: The 95 % interval, or None.
    interval: Interval | None = None
    #: How it was found, or why there is none.
    interval_kind: IntervalKind = IntervalKind.NOT_COMPUTED


def mean(values: Iterable[float | None]) -> Mean:
    """Return the mean of the values that are there, and how many they are, without interval."""
    present = _present(values)
    return Mean(math.fsum(present) / len(present) if present else None, len(present))


def mean_with_interval(values: Iterable[float | None], low: float = 0.0, high: float = 1.0) -> Mean:
    """Return the mean of the values that are there with its interval.

    Args:
        values: Values in any order.
        low: The least value that there can be; values beyond it, or an infinite end, move it to the least of
            them.
        high: The greatest; the same applies.
    """
    present = _present(values)
    return mean_of_estimate(estimated_mean(present, low, high), len(present))


def mean_of_estimate(
    estimate: SampleEstimate | None, n: int, constant: IntervalKind = IntervalKind.ALL_EQUAL
) -> Mean:
    """Return the value of an estimate with its interval, or with why it has none.

    Args:
        estimate: The estimate; None if there is none.
        n: Over how many it is said to be.
        constant: Why there is no interval if no observation differs from the others.
    """
    if estimate is None:
        return Mean(None, n, None, IntervalKind.TOO_FEW)
    if estimate.is_constant and len(estimate.influence) > 1:
        return Mean(estimate.value, n, None, constant)
    ends = estimate_interval(estimate)
    kind = IntervalKind.TOO_FEW if ends is None else IntervalKind.BAYESIAN_BOOTSTRAP
    return Mean(estimate.value, n, ends, kind)


def share(values: Sequence[bool]) -> Mean:
    """Return the share of true values with Wilson's interval."""
    if not values:
        return Mean(None, 0, None, IntervalKind.TOO_FEW)
    ends = share_interval(sum(values), len(values))
    return Mean(sum(values) / len(values), len(values), ends, IntervalKind.WILSON)


def pooled(parts: Iterable[Part | None], low: float = 0.0, high: float = 1.0) -> Mean:
    """Return the sum of numerators by the sum of denominators over the samples that have them.

    None if there is none, or the denominators are all 0; n counts samples.
    """
    return mean_of_columns([[part] for part in parts], low, high)


def mean_of_columns(rows: Sequence[Sequence[Part | None]], low: float = 0.0, high: float = 1.0) -> Mean:
    """Return the mean of the values of columns; one that no sample has is left out.

    Args:
        rows: One for each sample: what it adds to each column. The n of the mean counts the rows that add to
            any column.
        low: The least value that there can be, as ``mean_with_interval`` takes it.
        high: The greatest.
    """
    present = [row for row in rows if any(one is not None for one in row)]
    return mean_of_estimate(estimated_columns(present, low, high), len(present))


def column_value(rows: Sequence[Sequence[Part | None]]) -> float | None:
    """Return the mean of the values of columns, as ``mean_of_columns`` does; None if no column has one."""
    estimate = estimated_columns(rows, 0.0, 1.0)
    return estimate.value if estimate is not None else None


def paired_column_difference(
    first: Sequence[Sequence[Part | None]],
    second: Sequence[Sequence[Part | None]],
    low: float = 0.0,
    high: float = 1.0,
) -> Mean:
    """Return the second minus the first of what ``mean_of_columns`` returns of the same samples in two runs.

    Args:
        first: What each sample adds to each column in the first run.
        second: The same samples in the same order in the second run.
        low: The least value that there can be, as ``mean_with_interval`` takes it.
        high: The greatest.
    """
    before, after = estimated_columns(first, low, high), estimated_columns(second, low, high)
    if before is None or after is None:
        return Mean(None, 0, None, IntervalKind.TOO_FEW)
    return mean_of_estimate(estimated_difference(before, after), len(first))


def mean_of_groups(groups: Sequence[Iterable[float | None]], low: float = 0.0, high: float = 1.0) -> Mean:
    """Return the unweighted mean of the means of groups; its n counts groups that have a value.

    Args:
        groups: Values of each; those without values are left out.
        low: The least value that there can be, as ``mean_with_interval`` takes it.
        high: The greatest.
    """
    of_groups = (estimated_mean(group, low, high) for group in groups)
    estimates = [group for group in of_groups if group is not None]
    if not estimates:
        return Mean(None, 0, None, IntervalKind.TOO_FEW)
    over = estimated_mean_of(estimates)
    if any(len(estimate.influence) > 1 for estimate in estimates) and all(
        estimate.is_constant for estimate in estimates
    ):
        same = max(estimate.value for estimate in estimates) == min(estimate.value for estimate in estimates)
        kind = IntervalKind.ALL_EQUAL if same else IntervalKind.EQUAL_IN_GROUPS
        return Mean(over.value, len(estimates), None, kind)
    return mean_of_estimate(over, len(estimates))


def share_of_groups(groups: Sequence[Sequence[bool]]) -> Mean:
    """Return the unweighted mean of the shares of groups, none of them empty; its n counts groups."""
    counts = [(sum(group), len(group)) for group in groups]
    over = mean(successes / n for successes, n in counts)
    if not counts:
        return Mean(None, 0, None, IntervalKind.TOO_FEW)
    return Mean(over.value, over.n, mean_share_interval(sorted(counts)), IntervalKind.NEWCOMBE)


def paired_share_difference(pairs: Sequence[tuple[bool, bool]]) -> Mean:
    """Return the difference of two shares of the same samples, second minus first; at least one pair."""
    both = sum(first and second for first, second in pairs)
    first_only = sum(first and not second for first, second in pairs)
    second_only = sum(second and not first for first, second in pairs)
    ends = paired_difference_interval(
        both, first_only, second_only, len(pairs) - both - first_only - second_only
    )
    value = (second_only - first_only) / len(pairs)
    return Mean(value, len(pairs), ends, IntervalKind.NEWCOMBE)


def _present(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
