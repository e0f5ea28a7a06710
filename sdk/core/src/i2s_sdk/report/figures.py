"""How numbers are written, the same in the terminal and on the page."""

from __future__ import annotations

from i2s_sdk.stats.aggregate import Group, MetricMeans
from i2s_sdk.stats.means import IntervalKind, Mean

NOTHING = "–"


def value(number: float | None) -> str:
    """Return a metric's value with three decimals."""
    return NOTHING if number is None else f"{number:.3f}".replace("-", "−")


def share(number: float | None) -> str:
    """Return a share as per cent with one decimal."""
    return NOTHING if number is None else f"{100 * number:.1f} %"


def signed(number: float | None) -> str:
    """Return a difference with three decimals and its sign."""
    if number is None:
        return NOTHING
    return f"{number or 0.0:+.3f}".replace("-", "−")


def interval(of: Mean) -> str:
    """Return the ends of an interval, or why there is none; empty without a value."""
    if of.interval is not None:
        return " to ".join(f"{end:.3f}".replace("-", "−") for end in of.interval)
    return _without_interval(of)


def share_interval(of: Mean) -> str:
    """Return the ends of an interval of a share as per cent, or why there is none; empty without a value."""
    if of.interval is not None:
        return f"{100 * of.interval[0]:.1f} to {100 * of.interval[1]:.1f} %"
    return _without_interval(of)


def _without_interval(of: Mean) -> str:
    if of.value is None:
        return ""
    match of.interval_kind:
        case IntervalKind.ALL_EQUAL:
            return f"all {of.n} equal"
        case IntervalKind.EQUAL_IN_GROUPS:
            return "equal in each group"
        case IntervalKind.TOO_FEW:
            return "n too small"
        case _:
            return ""


def scored(group: Group) -> str:
    """Return "N of M", and how many of them have no prediction, if any."""
    missing = f", {group.missing} missing" if group.missing else ""
    return f"{group.scored} of {group.planned}{missing}"


def coverage(counts: tuple[int, int] | None) -> str:
    """Return "N of M" of scored and planned samples."""
    return NOTHING if counts is None else f"{counts[0]} of {counts[1]}"


def means(metric: MetricMeans, group: Group) -> str:
    """Return the mean over all and, in parentheses, over the rendered ones.

    If a metric has fewer values than the group has samples, its own n stands beside it.
    """
    return f"{mean(metric.all, group.scored)} ({mean(metric.rendered, group.rendered)})"


def mean(of: Mean, expected: int) -> str:
    """Return a mean, with its n unless that is as expected."""
    return value(of.value) if of.n in (expected, 0) else f"{value(of.value)}, n={of.n}"
