"""The charts of a report: how samples ended, how values are spread, and groups between floor and ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from i2s_sdk.report import figures
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.view import RunView, difficulty_order
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.stats.aggregate import Group
from i2s_sdk.stats.leaderboard import task_mean
from i2s_sdk.stats.skill import FLOORS, ORACLE, Skill, SkillColumn, is_reference_point
from i2s_sdk.tasks.metrics import scorers_of
from i2s_sdk.tasks.registry import open_task, task_spec

#: Bins of a histogram, from the least to the greatest value of its metric.
BINS = 20


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar."""

    #: What it counts.
    label: str
    #: Number of samples.
    count: int
    #: Length relative to the longest bar (histogram), or share of all (endings).
    share: float
    #: "good", "bad" (the model's doing) or "ours".
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Values of one metric over the usable samples of a task in one run."""

    #: Its name.
    metric: str
    #: How many values there are.
    n: int
    #: Bars from the least to the greatest value.
    bars: tuple[Bar, ...]
    #: The least value, the middle and the greatest.
    ticks: tuple[str, str, str]
    #: Place of the best baseline that looks at nothing, from 0 to 100; None if there is none.
    floor: float | None = None
    #: Place of the oracle; None if there is none.
    ceiling: float | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a run comes on the scale of a metric."""

    #: Name of the run.
    label: str
    #: The value, for people.
    value: str
    #: Place of the value on the scale, from 0 to 100.
    place: float
    #: Places of the ends of its interval; None without one.
    ends: tuple[float, float] | None
    #: The interval, for people.
    interval: str
    #: Place of the best baseline that looks at nothing; None if there is none.
    floor: float | None = None
    #: Place of the oracle; None if there is none.
    ceiling: float | None = None
    #: Its skill with floor and ceiling, or why it has none, for people.
    skill: str = ""


@dataclass(frozen=True, slots=True)
class Reaches:
    """The runs in the groups of a task on the scale of its main metric."""

    #: Name of the task.
    task: str
    #: Its main metric.
    metric: str
    #: The runs.
    rows: tuple[Reach, ...]
    #: The least value of the metric, the middle and the greatest.
    ticks: tuple[str, str, str]
    #: What the rows are of beside runs: "subset" or "difficulty".
    by: str
    #: Labels of rows for which no floor is known.
    without_floor: tuple[str, ...] = ()


def skill_words(skill: Skill | None) -> str:
    """Return a skill with its interval, floor and ceiling, or that there is no floor."""
    if skill is None:
        return "no floor is known"
    ends = figures.interval(skill.skill)
    known = f"{figures.value(skill.skill.value)}{f' ({ends})' if ends else ''}"
    shown = known if skill.skill.value is not None else "undefined"
    return f"skill {shown}, floor {figures.value(skill.floor)}, ceiling {figures.value(skill.ceiling)}"


def ticks(low: float, high: float) -> tuple[str, str, str]:
    """Return the least value of a scale, its middle and its greatest, for people."""
    return f"{low:g}", f"{(low + high) / 2:g}", f"{high:g}"


def reference_values(compared: ComparedRuns, task: str, metric: str) -> tuple[float | None, float | None]:
    """Return the value of the best baseline that looks at nothing in a metric, and that of the oracle."""
    known: dict[str, float] = {}
    for name in (*FLOORS, ORACLE):
        summary = compared.summaries.get(name)
        mean = task_mean(summary, task, metric) if summary is not None and task in summary.tasks else None
        if mean is not None and mean.value is not None:
            known[name] = mean.value
    return max((known[name] for name in FLOORS if name in known), default=None), known.get(ORACLE)


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


def histograms(view: RunView, task: str, compared: ComparedRuns | None = None) -> list[Histogram]:
    """Return the spread of each metric of a task.

    Args:
        view: The run.
        task: Name of the task.
        compared: The comparison that has the floors and ceilings; None for none.
    """
    usable = [
        record
        for record in view.records
        if record.instance.task == task and record.outcome.counts and record.usable
    ]
    shown = []
    for name in view.metrics[task]:
        low, high = value_range(task, name)
        points = reference_values(compared, task, name) if compared is not None else (None, None)
        floor, ceiling = (None if point is None else place_of(point, low, high) for point in points)
        shown.append(replace(_histogram(name, usable, low, high), floor=floor, ceiling=ceiling))
    return shown


def place_of(value: float, low: float, high: float) -> float:
    """Return the place of a value on a scale, from 0 to 100."""
    return round(100 * min(1.0, max(0.0, (value - low) / (high - low))), 2)


def value_range(task: str, metric: str) -> tuple[float, float]:
    """Return the least and the greatest value of a metric; those of images are from 0 to 1."""
    scorers = scorers_of(open_task(task))
    matching = (one for scorer in scorers for one in scorer.metrics if one.name == metric)
    return next(((one.low, one.high) for one in matching), (0.0, 1.0))


def _histogram(metric: str, records: Sequence[Record], low: float, high: float) -> Histogram:
    values = [value for record in records if (value := record.score.metrics.get(metric)) is not None]
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, max(0, int((value - low) / (high - low) * BINS)))] += 1
    longest, width = max(1, *counts), (high - low) / BINS
    bars = tuple(
        Bar(f"{low + at * width:.2f} to {low + (at + 1) * width:.2f}", count, count / longest)
        for at, count in enumerate(counts)
    )
    return Histogram(metric, len(values), bars, ticks(low, high))


_By = Literal["subset", "difficulty"]


def group_charts(compared: ComparedRuns, task: str) -> list[Reaches]:
    """Return a chart by subset and one by difficulty; none if all samples are of one group.

    A row is a run in a group. Values are over the scored samples of the group that the runs are compared
    over; floor and ceiling are those of the same samples.

    Args:
        compared: The runs; those that are reference points have no rows.
        task: Name of the task.
    """
    runs = [
        view
        for view in compared.views
        if task in view.summary.tasks and not is_reference_point(view.manifest.options.model)
    ]
    metric = compared.skill_metric(task) or task_spec(task).main_metric
    bys: tuple[_By, ...] = ("subset", "difficulty")
    charts = []
    for by in bys:
        own = [record.instance for view in runs for record in view.records if record.instance.task == task]
        names = {
            sample_instance.subset if by == "subset" else sample_instance.difficulty
            for sample_instance in own
        } - {""}
        rows = [
            row
            for name in sorted(names, key=difficulty_order)
            for row in _rows(compared, runs, task, by, name)
        ]
        if len(names) > 1 and rows:
            scale = ticks(*value_range(task, metric))
            without = tuple(row.label for row in rows if row.floor is None)
            charts.append(Reaches(task, metric, tuple(rows), scale, by, without_floor=without))
    return charts


def _rows(compared: ComparedRuns, runs: Sequence[RunView], task: str, by: _By, name: str) -> list[Reach]:
    metric = compared.skill_metric(task) or task_spec(task).main_metric
    low, high = value_range(task, metric)
    column = SkillColumn(task, (), by=by, group=name)
    rows = []
    for view in runs:
        columns = view.columns[task]
        samples = [record for record in view.records if column.has(record)]
        mean = columns.values_of(samples).get(metric)
        if mean is None or mean.value is None:
            continue
        ends = None
        if mean.interval is not None:
            ends = (place_of(mean.interval[0], low, high), place_of(mean.interval[1], low, high))
        skill = compared.group_skill(view.label, task, by, name)
        has_ceiling = skill is not None and skill.ceiling_model == ORACLE
        rows.append(
            Reach(
                label=f"{name} · {view.label}" if len(runs) > 1 else name,
                value=figures.value(mean.value),
                place=place_of(mean.value, low, high),
                ends=ends,
                interval=figures.interval(mean),
                floor=place_of(skill.floor, low, high) if skill is not None else None,
                ceiling=place_of(skill.ceiling, low, high) if skill is not None and has_ceiling else None,
                skill=skill_words(skill),
            )
        )
    return rows
