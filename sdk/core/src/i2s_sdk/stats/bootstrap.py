"""Intervals by the Bayesian bootstrap with half an observation at each end, and Efron's draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from i2s_sdk.stats.estimates import SampleEstimate, estimated_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


Interval = tuple[float, float]

#: Probability that lies within an interval.
LEVEL = 0.95

#: Fewest observations that have an interval.
FEWEST = 5

#: Number of observations that each end of the range counts as.
END_WEIGHT = 0.5

_Z = 1.959963984540054  # quantile of the normal distribution that leaves (1 - LEVEL) / 2 above it
_DIGITS = 9  # so that the last digits of logarithms, which differ between machines, do not show
_TOLERANCE = 1e-10  # of the normal quantile
_STEPS = 100
_BRACKET = (-40.0, 12.0)  # logarithms of the distance of the tilting point from the range


def mean_interval(values: Iterable[float | None], low: float = 0.0, high: float = 1.0) -> Interval | None:
    """Return the interval of the mean of the values that are there.

    Args:
        values: Values in any order.
        low: The least value that there can be. Values beyond it, or an infinite end, move it to the least
            value observed.
        high: The greatest value; the same applies.

    Returns:
        Lower and upper end at LEVEL; None for fewer than FEWEST values.
    """
    estimate = estimated_mean(values, low, high)
    return estimate_interval(estimate) if estimate is not None else None


def estimate_interval(estimate: SampleEstimate) -> Interval | None:
    """Return the interval of an estimate: that of the mean of its value plus each influence.

    The ends of the range count as observations whose weight is the mean weight of those that the estimate
    consists of, so that a failure of an observation with a large weight is taken into account.

    Returns:
        Lower and upper end at LEVEL within the range of the estimate; None for fewer than FEWEST
        observations.
    """
    import numpy as np

    n = len(estimate.influence)
    if n < FEWEST:
        return None
    value, weight = estimate.value, math.fsum(estimate.weights**2) / n
    values = np.sort(value + estimate.influence)
    low = min(value + weight * (estimate.low - value), float(values[0]))
    high = max(value + weight * (estimate.high - value), float(values[-1]))
    within = np.concatenate([[0.0], (values - low) / (high - low), [1.0]])
    below, above = _lower_ends(np.stack([within, 1.0 - within]))
    ends = low + below * (high - low), high - above * (high - low)
    # An interval without its value is none: values of which most lie at an end can lead to one.
    lower = max(estimate.low, min(value, round(ends[0], _DIGITS)))
    upper = min(estimate.high, max(value, round(ends[1], _DIGITS)))
    return lower, upper


def _lower_ends(values: Floats) -> tuple[float, float]:
    """Return the quantile (1 - LEVEL) / 2 of the weighted mean of each of two rows.

    The root is found by the secant method with the bracket of Illinois.

    Args:
        values: Numbers from 0 to 1; the ends of the range in the first and the last column, or the other way
            round. Shape (2, observations + 2).
    """
    import numpy as np

    counts = np.ones(values.shape[1])
    counts[[0, -1]] = END_WEIGHT
    near, far = (np.full(2, end) for end in _BRACKET)
    (_, of_near), (means, of_far) = (_tail(values, counts, end) for end in (near, far))
    last = np.zeros(2)
    for step in range(_STEPS):
        middle = (near + far) / 2 if step < 4 else (near * of_far - far * of_near) / (of_far - of_near)
        means, excess = _tail(values, counts, middle)
        if (np.abs(excess) < _TOLERANCE).all():
            break
        beyond = excess > 0
        again = last == np.where(beyond, 1, -1)
        of_near, of_far = (
            np.where(beyond, excess, np.where(again, of_near / 2, of_near)),
            np.where(beyond, np.where(again, of_far / 2, of_far), excess),
        )
        near, far = np.where(beyond, middle, near), np.where(beyond, far, middle)
        last = np.where(beyond, 1, -1)
    return float(means[0]), float(means[1])


def _tail(values: Floats, counts: Floats, distances: Floats) -> tuple[Floats, Floats]:
    """Return a mean below that of each row, and how far it is beyond the quantile that is sought.

    For a tilting point t below the range, the mean c with weights proportional to 1 / (x - t) is the one at
    which the saddlepoint is s = 1 / (t - c), so that no equation need be solved for it.

    Args:
        values: Numbers from 0 to 1; shape (rows, values).
        counts: Number of observations that each column counts as.
        distances: Logarithms of -t, one for each row.

    Returns:
        The means, and the normal quantile of the probability that the weighted mean is above them, less that
        of (1 + LEVEL) / 2.
    """
    import numpy as np

    shifted = values + np.exp(distances)[:, None]
    tilted = counts / shifted
    means = (tilted * values).sum(axis=1) / tilted.sum(axis=1)
    # 1 - s (x - c) of each value, and K(s) and s^2 K''(s) of the sum of gamma variables.
    ratios = shifted / (np.exp(distances) + means)[:, None]
    root = np.sqrt(2 * np.maximum(0.0, (counts * np.log(ratios)).sum(axis=1)))
    slopes = 1.0 - 1.0 / ratios
    spread = np.sqrt((counts * slopes * slopes).sum(axis=1))
    # Near the mean both are 0, and the quantile is too.
    known = root > 1e-3
    divisor = np.where(known, root, 1.0)
    quantile = np.where(known, root + np.log(np.where(known, spread, 1.0) / divisor) / divisor, 0.0)
    return means, quantile - _Z


#: How often the samples are drawn anew.
RESAMPLES = 1000

_SEED = 20240622
_BLOCK = 250_000  # values drawn at a time, so that memory stays flat


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
    for start, places in _drawn_places(len(kinds)):
        for row, drawn in enumerate(kinds.take(places), start):
            counts[row] = np.bincount(drawn, minlength=number)
    return counts


def _drawn_places(n: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield draws of n places with replacement, RESAMPLES in all: number of the first, and one a row."""
    import numpy as np

    bits = np.random.PCG64(_SEED)
    rows = max(1, _BLOCK // n)
    for start in range(0, RESAMPLES, rows):
        count = min(rows, RESAMPLES - start)
        # The upper 32 bits of each draw, scaled to 0 … n − 1.
        drawn = (bits.random_raw(count * n) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)
        yield start, drawn.astype(np.intp).reshape(count, n)


def percentiles(values: NDArray[np.float64]) -> Interval:
    """Return what the middle LEVEL of resampled values lies between, interpolated between its neighbours."""
    ordered = sorted(values.tolist())
    place = (1 - LEVEL) / 2 * (len(ordered) - 1)
    below, share = int(place), place % 1
    return (
        ordered[below] + share * (ordered[below + 1] - ordered[below]),
        ordered[-1 - below] + share * (ordered[-2 - below] - ordered[-1 - below]),
    )
