"""Figures for charts: how samples ended, and how values are spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from i2s_sdk.report.view import RunView
from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.aggregate import Group

#: Of a histogram, from 0 to 1.
BINS = 20


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

    Attributes:
        label: What it counts.
        count: How many.
        share: Of the longest bar (histogram), or of all (endings).
        tone: "good", "bad" (the model's doing) or "ours".
    """

    label: str
    count: int
    share: float
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Values of one metric over the rendered samples of a task in one run."""

    metric: str
    n: int
    bars: tuple[Bar, ...]


def endings(group: Group) -> list[Bar]:
    """Return how the samples of a group ended: verdicts of the last render, and what came before one."""
    counts: list[tuple[str, int, str]] = [
        (name, count, "good" if name.startswith("RENDERED") else "bad")
        for name, count in group.verdicts.items()
    ]
    for name, count in group.outcomes.items():
        outcome = Outcome(name)
        if outcome is not Outcome.SCORED:
            counts.append((name, count, "bad" if outcome.counts else "ours"))
    order = ("good", "bad", "ours")
    counts.sort(key=lambda one: (order.index(one[2]), -one[1], one[0]))
    return [
        Bar(name.lower().replace("_", " "), count, count / max(1, group.planned), tone)
        for name, count, tone in counts
    ]


def histograms(view: RunView, task: str) -> list[Histogram]:
    """Return the spread of each metric of a task."""
    rendered = [one for one in view.records if one.task == task and one.outcome.counts and one.usable]
    return [_histogram(name, rendered) for name in view.metrics[task]]


def _histogram(metric: str, records: Sequence[Record]) -> Histogram:
    values = [value for one in records if (value := one.metrics.get(metric)) is not None]
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int(value * BINS)))] += 1
    longest = max(1, *counts)
    bars = tuple(
        Bar(f"{at / BINS:.2f} to {(at + 1) / BINS:.2f}", count, count / longest)
        for at, count in enumerate(counts)
    )
    return Histogram(metric, len(values), bars)
