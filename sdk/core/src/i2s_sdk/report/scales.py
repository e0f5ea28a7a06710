"""The scales of the main and recommended columns, with marks for runs, intervals and reference points."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from i2s_sdk.report import figures
from i2s_sdk.report.charts import place_of
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.overview import Overview, OverviewColumn
from i2s_sdk.stats.leaderboard import task_mean
from i2s_sdk.stats.means import Mean

#: Part of a scale that is left free at either end.
_MARGIN = 0.03


@dataclass(frozen=True, slots=True)
class PointMark:
    """A reference point on a scale."""

    #: Name of it, and its value, for people.
    title: str
    #: Place on the scale, from 0 to 100.
    place: float
    #: "floor", "ceiling" or "point".
    kind: str


@dataclass(frozen=True, slots=True)
class RunMark:
    """A run on a scale."""

    #: The value, for people.
    value: str
    #: The interval, for people, or why there is none.
    interval: str
    #: Place of the value on the scale, from 0 to 100.
    place: float
    #: Places of the ends of its interval; None without one.
    ends: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Scale:
    """A column of a task as a scale, which is the same in all rows."""

    column: OverviewColumn
    #: Runs by label; those without a value are left out.
    runs: Mapping[str, RunMark] = field(default_factory=dict)
    points: tuple[PointMark, ...] = ()
    #: The best baseline that looks at nothing and the ground truth, for people; empty if neither is known.
    ends: str = ""


def scales(compared: ComparedRuns, overview: Overview) -> list[Scale]:
    """Return a scale for each column, from the least to the greatest of the values, interval ends and points.

    Args:
        compared: The runs, those of reference points among them.
        overview: The rows that have marks of runs.
    """
    rows = [row.label for row in overview.shown]
    return [_scale(compared, overview, column, rows) for column in overview.columns]


def _scale(
    compared: ComparedRuns, overview: Overview, column: OverviewColumn, rows: Collection[str]
) -> Scale:
    means = {
        label: mean
        for label, summary in compared.summaries.items()
        if column.task in summary.tasks
        and (mean := task_mean(summary, column.task, column.metric)) is not None
        and mean.value is not None
    }
    ends_by_name = zip(("floor", "ceiling"), overview.ends[column], strict=True)
    known = {name: value for name, value in ends_by_name if value is not None}
    numbers = [one for mean in means.values() for one in (mean.value or 0.0, *(mean.interval or ()))]
    numbers += known.values()
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    margin = _MARGIN * (high - low) or 0.5
    low, high = low - margin, high + margin
    own = {label: _run_mark(mean, low, high) for label, mean in means.items() if label in rows}
    others = {
        label: mean.value
        for label, mean in means.items()
        if label in compared.unranked and label not in rows and mean.value not in known.values()
    }
    points = [
        PointMark(f"{name} {figures.value(value)}", place_of(value or 0.0, low, high), kind)
        for name, value, kind in (
            *((label, value, "point") for label, value in others.items()),
            *((name, value, name) for name, value in known.items()),
        )
    ]
    ends = " · ".join(f"{name} {figures.value(value)}" for name, value in known.items())
    return Scale(column, own, tuple(points), ends)


def _run_mark(mean: Mean, low: float, high: float) -> RunMark:
    ends = None
    if mean.interval is not None:
        ends = place_of(mean.interval[0], low, high), place_of(mean.interval[1], low, high)
    shown = figures.value(mean.value), figures.interval(mean)
    return RunMark(*shown, place_of(mean.value or 0.0, low, high), ends)
