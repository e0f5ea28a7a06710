"""Intervals of shares: Wilson's (1927) score interval, and Newcombe's (1998) ways to combine such intervals.

Near 0 and 1 and for few samples the bootstrap says too little: 4 of 4 would be 100 to 100 %. Wilson's
interval of 4 of 4 is 51 to 100 %.

Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927; R. G.
Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired
data", 1998, method 10; G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures",
2008, equations 3 and 4 (weighted sums).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from i2s_sdk.stats.bootstrap import Interval

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
