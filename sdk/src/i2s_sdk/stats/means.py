"""Means and shares with their n, an interval, and how it was found or why there is none.

Sums are exact (math.fsum), so the order of the values changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from i2s_sdk.stats.bootstrap import (
    Interval,
    Part,
    grouped_interval,
    mean_interval,
    mean_intervals,
    ratio_interval,
)
from i2s_sdk.stats.wilson import mean_share_interval, paired_difference_interval, share_interval


class IntervalKind(StrEnum):
    """How an interval was found, or why there is none."""

    #: The bootstrap over samples.
    BOOTSTRAP = "bootstrap"
    #: Wilson's score interval of a share.
    WILSON = "wilson"
    #: Newcombe's method from Wilson's intervals, of a mean or difference of shares.
    NEWCOMBE = "newcombe"
    #: None: all values are equal, so that drawing them again shows no spread.
    ALL_EQUAL = "all_equal"
    #: None: the values of each group are equal.
    EQUAL_IN_GROUPS = "equal_in_groups"
    #: None: fewer than two values, or of a share none.
    TOO_FEW = "too_few"
    #: None: it was not asked for.
    NOT_COMPUTED = "not_computed"


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and over how many values; None over none.

    Attributes:
        value: The mean.
        n: Over how many.
        interval: The 95 % interval, or None.
        interval_kind: How it was found, or why there is none.
    """

    value: float | None
    n: int
    interval: Interval | None = None
    interval_kind: IntervalKind = IntervalKind.NOT_COMPUTED


def mean(values: Iterable[float | None]) -> Mean:
    """Return the mean of the values that are there, and how many they are, without interval."""
    present = _present(values)
    return Mean(math.fsum(present) / len(present) if present else None, len(present))


def mean_with_interval(values: Iterable[float | None]) -> Mean:
    """Return the mean of the values that are there with its bootstrap interval."""
    present = _present(values)
    return _with_interval(present, mean_interval(present))


def means_with_intervals(columns: Sequence[Iterable[float | None]]) -> list[Mean]:
    """Return what ``mean_with_interval`` returns for each column."""
    present = [_present(column) for column in columns]
    return [_with_interval(*one) for one in zip(present, mean_intervals(present), strict=True)]


def share(values: Sequence[bool]) -> Mean:
    """Return the share of true values with Wilson's interval."""
    if not values:
        return Mean(None, 0, None, IntervalKind.TOO_FEW)
    ends = share_interval(sum(values), len(values))
    return Mean(sum(values) / len(values), len(values), ends, IntervalKind.WILSON)


def pooled(parts: Iterable[Part | None]) -> Mean:
    """Return the sum of numerators by the sum of denominators over the samples that have them.

    None if there is none, or the denominators are all 0; n counts samples.
    """
    present = [one for one in parts if one is not None]
    value = _ratio(present)
    ends = ratio_interval([[one] for one in present])
    if value is None or ends is None:
        return Mean(value, len(present), None, IntervalKind.TOO_FEW)
    if len({top / bottom for top, bottom in present if bottom}) == 1:
        return Mean(value, len(present), None, IntervalKind.ALL_EQUAL)
    return Mean(value, len(present), ends, IntervalKind.BOOTSTRAP)


def mean_of_columns(rows: Sequence[Sequence[Part | None]]) -> Mean:
    """Return the mean of the values of columns; one that no sample has is left out.

    Args:
        rows: One for each sample: what it adds to each column. The n of the mean counts the rows that add to
            any column.
    """
    present = [row for row in rows if any(one is not None for one in row)]
    value = column_value(present)
    if value is None:
        return Mean(None, 0, None, IntervalKind.TOO_FEW)
    ends = ratio_interval(present)
    if ends is None:
        return Mean(value, len(present), None, IntervalKind.TOO_FEW)
    if all(row == present[0] for row in present):
        return Mean(value, len(present), None, IntervalKind.ALL_EQUAL)
    return Mean(value, len(present), ends, IntervalKind.BOOTSTRAP)


def column_value(rows: Sequence[Sequence[Part | None]]) -> float | None:
    """Return the mean of the values of columns, as ``mean_of_columns`` does; None if no column has one."""
    columns = (_ratio([one for one in column if one is not None]) for column in zip(*rows, strict=True))
    values = [value for value in columns if value is not None]
    return math.fsum(values) / len(values) if values else None


def paired_column_difference(
    first: Sequence[Sequence[Part | None]], second: Sequence[Sequence[Part | None]]
) -> Mean:
    """Return the second minus the first of what ``mean_of_columns`` returns of the same samples in two runs.

    Args:
        first: What each sample adds to each column in the first run.
        second: The same samples in the same order in the second run.
    """
    before, after = mean_of_columns(first), mean_of_columns(second)
    if before.value is None or after.value is None:
        return Mean(None, 0, None, IntervalKind.TOO_FEW)
    rows = [(*one, *other) for one, other in zip(first, second, strict=True)]
    value, ends = after.value - before.value, ratio_interval(rows, len(first[0]))
    if ends is None:
        return Mean(value, len(rows), None, IntervalKind.TOO_FEW)
    if all(row == rows[0] for row in rows):
        return Mean(value, len(rows), None, IntervalKind.ALL_EQUAL)
    return Mean(value, len(rows), ends, IntervalKind.BOOTSTRAP)


def _ratio(parts: Sequence[Part]) -> float | None:
    bottom = math.fsum(one for _, one in parts)
    return math.fsum(one for one, _ in parts) / bottom if bottom else None


def mean_of_groups(groups: Sequence[Iterable[float | None]]) -> Mean:
    """Return the unweighted mean of the means of groups; its n counts groups that have a value.

    The bootstrap draws from each group on its own.
    """
    present = [values for group in groups if (values := _present(group))]
    over = mean(mean(values).value for values in present)
    if not present or max(map(len, present)) < 2:
        return Mean(over.value, over.n, None, IntervalKind.TOO_FEW)
    if all(_all_equal(values) for values in present):
        same = _all_equal([value for values in present for value in values])
        kind = IntervalKind.ALL_EQUAL if same else IntervalKind.EQUAL_IN_GROUPS
        return Mean(over.value, over.n, None, kind)
    return Mean(over.value, over.n, grouped_interval(present), IntervalKind.BOOTSTRAP)


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


def _all_equal(values: Sequence[float]) -> bool:
    return min(values) == max(values)


def _with_interval(values: Sequence[float], interval: Interval | None) -> Mean:
    over = mean(values)
    if interval is None:
        return Mean(over.value, over.n, None, IntervalKind.TOO_FEW)
    if _all_equal(values):
        return Mean(over.value, over.n, None, IntervalKind.ALL_EQUAL)
    return Mean(over.value, over.n, interval, IntervalKind.BOOTSTRAP)
