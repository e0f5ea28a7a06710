"""Whether two runs differ by more than chance: a paired test, and how many instances a difference needs.

The test is the sign-flip permutation test of a mean of paired differences (Fisher 1935): if the two runs were
alike, each difference could as well have the other sign. Of few differences all signs are tried; of many,
RESAMPLES choices of signs are drawn, and the observed one counts among them (Phipson and Smyth 2010).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist, stdev

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

    values = sorted((one for one in differences if one), key=lambda one: (abs(one), one))
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
