"""Intervals by the bootstrap (Efron 1979): percentile intervals of a mean, the same on every machine.

Which values are drawn is decided by raw bits of PCG64 from a fixed seed, and sums are taken over integers
of fixed point. So neither the order of the samples nor the build of numpy changes a digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Means: TypeAlias = NDArray[np.float64]  # shape (RESAMPLES,)
    _OrderedPart: TypeAlias = tuple[float, float, int]
    _OrderedRow: TypeAlias = tuple[_OrderedPart, ...]
    _OrderedSkillRow: TypeAlias = tuple[_OrderedRow, _OrderedRow, _OrderedRow]

#: How often the samples are drawn anew.
RESAMPLES = 1000

#: Share of the resampled means that lies within an interval.
LEVEL = 0.95

_SEED = 20240622
_BLOCK = 250_000  # values drawn at a time, so that memory stays flat

Interval = tuple[float, float]

#: What a sample adds to a ratio: numerator and denominator.
Part = tuple[float, float]

#: What a sample adds to the columns whose mean a value is; None where it has no value.
Row = tuple[Part | None, ...]

#: What a sample adds to the value of a run, to the floor and to the ceiling.
SkillRow = tuple[Row, Row, Row]


def mean_intervals(columns: Sequence[Iterable[float | None]]) -> list[Interval | None]:
    """Return for each column the percentile interval of the mean of the values that are there.

    Args:
        columns: Values in any order.

    Returns:
        Lower and upper end at LEVEL; None for fewer than two values, which say nothing of their spread.
    """
    present = [_present(column) for column in columns]
    found: list[Interval | None] = [None] * len(present)
    for n in {len(one) for one in present if len(one) > 1}:
        same = [at for at, one in enumerate(present) if len(one) == n]
        for at, means in zip(same, _resampled([present[at] for at in same]), strict=True):
            found[at] = percentiles(means)
    return found


def mean_interval(values: Iterable[float | None]) -> Interval | None:
    """Return the interval of one column, as ``mean_intervals`` does."""
    return mean_intervals([values])[0]


def grouped_interval(groups: Sequence[Iterable[float | None]]) -> Interval | None:
    """Return the interval of the unweighted mean of the means of groups, each drawn from on its own.

    Args:
        groups: Values of each; groups without values are left out.
    """
    present = sorted(group for group in map(_present, groups) if group)
    if not present or max(len(group) for group in present) < 2:
        return None
    means = [_resampled([group], stream)[0] for stream, group in enumerate(present)]
    return percentiles(sum(means[1:], means[0]) / len(means))


def ratio_interval(rows: Sequence[Sequence[Part | None]], subtracted: int = 0) -> Interval | None:
    """Return the interval of the mean over columns of the sum of numerators by the sum of denominators.

    A draw takes whole rows, so that columns of one sample stay together.

    Args:
        rows: One for each sample, in any order: numerator and denominator in each column, or None.
        subtracted: How many of the first columns are another mean, which is subtracted.

    Returns:
        Lower and upper end at LEVEL; None for fewer than two rows.
    """
    import numpy as np

    if len(rows) < 2:
        return None
    ordered = sorted(tuple(map(_number_of, row)) for row in rows)
    drawn = np.stack([_ratios(column) for column in zip(*ordered, strict=True)], axis=1)
    means = _means_of_rows(drawn[:, subtracted:])
    if subtracted:
        means = means - _means_of_rows(drawn[:, :subtracted])
    means = means[~np.isnan(means)]
    return percentiles(means) if len(means) else None


def skill_interval(groups: Sequence[Sequence[SkillRow]]) -> Interval | None:
    """Return the interval of the mean skill of groups, such as tasks, each drawn from on its own.

    A draw takes whole rows: what a sample adds to the value, to the floor and to the ceiling stays together.

    Args:
        groups: Samples of each, in any order.

    Returns:
        Lower and upper end at LEVEL; None if no group has two samples, or if the ceiling is above the floor
        in no draw.
    """
    import numpy as np

    present = sorted(sorted(map(_ordered, group)) for group in groups if group)
    if not present or max(len(group) for group in present) < 2:
        return None
    drawn = np.stack([_skills(group, stream) for stream, group in enumerate(present)])
    means = drawn.mean(axis=0)
    means = means[~np.isnan(means)]
    return percentiles(means) if len(means) else None


def _ordered(row: SkillRow) -> _OrderedSkillRow:
    """Return a row as numbers that have an order."""
    value, floor, ceiling = (tuple(map(_number_of, side)) for side in row)
    return value, floor, ceiling


def _number_of(part: Part | None) -> _OrderedPart:
    return (0.0, 0.0, 0) if part is None else (*part, 1)


def _skills(rows: Sequence[_OrderedSkillRow], stream: int) -> Means:
    """Return the skill of each draw; NaN if the ceiling is not above the floor."""
    import numpy as np

    value, floor, ceiling = (
        _means_of_rows(np.stack([_ratios(column, stream) for column in zip(*side, strict=True)], axis=1))
        for side in zip(*rows, strict=True)
    )
    span = ceiling - floor
    skills: Means = np.divide(value - floor, span, out=np.full(RESAMPLES, np.nan), where=span > 0)
    return skills


def _ratios(column: Sequence[_OrderedPart], stream: int = 0) -> Means:
    """Return the sum of numerators by the sum of denominators of each draw; NaN if the latter is 0."""
    import numpy as np

    top, bottom = _resampled([[one[at] for one in column] for at in (0, 1)], stream)
    ratios: Means = np.divide(top, bottom, out=np.full(RESAMPLES, np.nan), where=bottom > 0)
    return ratios


def _means_of_rows(table: NDArray[np.float64]) -> Means:
    """Return the mean of each row over its numbers; NaN for a row without any."""
    import numpy as np

    there = ~np.isnan(table)
    count = there.sum(axis=1)
    total = np.where(there, table, 0.0).sum(axis=1)
    means: Means = np.divide(total, count, out=np.full(len(table), np.nan), where=count > 0)
    return means


def _present(values: Iterable[float | None]) -> list[float]:
    return sorted(value for value in values if value is not None)


def _resampled(columns: Sequence[Sequence[float]], stream: int = 0) -> list[Means]:
    """Return for each column the means of RESAMPLES draws of as many values, with replacement.

    Args:
        columns: All in one order that values alone decide, and of the same length, at least one value.
        stream: Draws of different streams are independent of each other.
    """
    import numpy as np

    n = len(columns[0])
    fixed, scales = zip(*(_fixed_point(column) for column in columns), strict=True)
    sums = np.empty((len(columns), RESAMPLES), np.int64)
    for start, places in _drawn_places(n, stream):
        for at, values in enumerate(fixed):
            sums[at, start : start + len(places)] = values.take(places).sum(axis=1)
    return [row / scale / n for row, scale in zip(sums, scales, strict=True)]


def resampled_counts(kinds: NDArray[np.intp], number: int) -> NDArray[np.int64]:
    """Return how often each kind is among RESAMPLES draws of as many values, with replacement.

    Args:
        kinds: Kind of each value, from 0 to below ``number``, in an order that values alone decide; at least
            one.
        number: Number of kinds.

    Returns:
        Counts; shape (RESAMPLES, number).
    """
    import numpy as np

    counts = np.zeros((RESAMPLES, number), np.int64)
    for start, places in _drawn_places(len(kinds), 0):
        for row, drawn in enumerate(kinds.take(places), start):
            counts[row] = np.bincount(drawn, minlength=number)
    return counts


def _drawn_places(n: int, stream: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield draws of n places with replacement, RESAMPLES in all: number of the first, and one a row."""
    import numpy as np

    bits = np.random.PCG64(_SEED + stream)
    rows = max(1, _BLOCK // n)
    for start in range(0, RESAMPLES, rows):
        count = min(rows, RESAMPLES - start)
        # The upper 32 bits of each draw, scaled to 0 … n − 1.
        drawn = (bits.random_raw(count * n) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)
        yield start, drawn.astype(np.intp).reshape(count, n)


def _fixed_point(values: Sequence[float]) -> tuple[NDArray[np.int64], float]:
    """Return values as integers, and the scale, so large that no sum of as many leaves 63 bits."""
    import numpy as np

    largest = max(1.0, *map(abs, values)) if len(values) > 1 else max(1.0, abs(values[0]))
    scale = 2.0 ** (61 - math.ceil(math.log2(len(values) * largest)))
    return np.rint(np.asarray(values, np.float64) * scale).astype(np.int64), scale


def percentiles(means: Means) -> Interval:
    """Return what the middle LEVEL of resampled values lies between, interpolated between its neighbours."""
    ordered = sorted(means.tolist())
    place = (1 - LEVEL) / 2 * (len(ordered) - 1)
    below, share = int(place), place % 1
    return (
        ordered[below] + share * (ordered[below + 1] - ordered[below]),
        ordered[-1 - below] + share * (ordered[-2 - below] - ordered[-1 - below]),
    )
