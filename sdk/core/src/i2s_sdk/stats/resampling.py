"""Draws of the bootstrap (Efron 1979) and percentile intervals of what they give, the same on every machine.

Which values are drawn is decided by raw bits of PCG64 from a fixed seed, and counts are integers. So neither
the order of the samples nor the build of numpy changes a digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from i2s_sdk.stats.bootstrap import LEVEL, Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
