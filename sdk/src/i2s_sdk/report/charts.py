"""Figures for charts: how samples ended, and how values are spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from i2s_sdk.report.view import RunView
from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.aggregate import Group
from i2s_sdk.tasks.registry import open_task

#: Of a histogram, from the least to the greatest value of its metric.
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
    """Values of one metric over the usable samples of a task in one run.

    Attributes:
        metric: Its name.
        n: How many values there are.
        bars: From the least to the greatest value.
        ticks: The least value, the middle and the greatest.
    """

    metric: str
    n: int
    bars: tuple[Bar, ...]
    ticks: tuple[str, str, str]


def endings(group: Group) -> list[Bar]:
    """Return how the samples of a group ended: verdicts of the last render, and what came before one.

    Scored samples that nothing was rendered of are usable or not.
    """
    counts: list[tuple[str, int, str]] = [
        (name, count, "good" if name.startswith("RENDERED") else "bad")
        for name, count in group.verdicts.items()
    ]
    good = sum(count for _, count, tone in counts if tone == "good")
    unrendered = group.outcomes.get(str(Outcome.SCORED), 0) - sum(group.verdicts.values())
    usable = group.rendered - good
    counts += [
        (name, count, tone)
        for name, count, tone in (("usable", usable, "good"), ("not usable", unrendered - usable, "bad"))
        if count > 0
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
    usable = [one for one in view.records if one.task == task and one.outcome.counts and one.usable]
    return [_histogram(name, usable, *_range(task, name)) for name in view.metrics[task]]


def _range(task: str, metric: str) -> tuple[float, float]:
    """Return the least and the greatest value of a metric; those of pictures are from 0 to 1."""
    scorers = open_task(task).scorers
    found = (one for scorer in scorers for one in scorer.metrics if one.name == metric)
    return next(((one.low, one.high) for one in found), (0.0, 1.0))


def _histogram(metric: str, records: Sequence[Record], low: float, high: float) -> Histogram:
    values = [value for one in records if (value := one.metrics.get(metric)) is not None]
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int((value - low) / (high - low) * BINS)))] += 1
    longest, width = max(1, *counts), (high - low) / BINS
    bars = tuple(
        Bar(f"{low + at * width:.2f} to {low + (at + 1) * width:.2f}", count, count / longest)
        for at, count in enumerate(counts)
    )
    return Histogram(metric, len(values), bars, (f"{low:g}", f"{(low + high) / 2:g}", f"{high:g}"))
