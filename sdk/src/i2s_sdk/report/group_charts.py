"""Charts of the main metric of a task by subset and difficulty, with floor and ceiling of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from i2s_sdk.report import figures
from i2s_sdk.report.charts import Reach, Reaches, place_of, ticks, value_range
from i2s_sdk.report.view import RunView
from i2s_sdk.runlog.record import Record
from i2s_sdk.runlog.reference_points import Points, joined_points, read_points
from i2s_sdk.stats.aggregate import excluded_from_totals
from i2s_sdk.stats.means import mean, mean_with_interval
from i2s_sdk.stats.skill import FLOORS, ORACLE, is_reference_point
from i2s_sdk.tasks.registry import task_spec

_LEVELS = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class _Group:
    """Samples of a task that have one subset, or one difficulty.

    Attributes:
        task: Name of the task.
        by: "subset" or "difficulty".
        name: The subset or difficulty.
    """

    task: str
    by: str
    name: str

    def values(self, records: Sequence[Record]) -> list[float | None]:
        """Return the values of the main metric of the scored samples of the group."""
        metric = task_spec(self.task).main_metric
        return [one.metrics.get(metric) for one in records if self._has(one) and one.outcome.counts]

    def _has(self, record: Record) -> bool:
        counted = self.by == "subset" or not excluded_from_totals(record.subset)
        return record.task == self.task and getattr(record, self.by) == self.name and counted


def group_charts(views: Sequence[RunView], task: str) -> list[Reaches]:
    """Return a chart by subset and one by difficulty; none if all samples are of one group.

    A row is a run in a group. Values are means over the scored samples of the group in that run.

    Args:
        views: The runs; those that are reference points have no rows.
        task: Name of the task.
    """
    points: dict[str, Sequence[Record]] = dict(joined_points(read_points(view.storage) for view in views))
    points |= {view.manifest.options.model: list(view.records) for view in views if _is_point(view)}
    runs = [view for view in views if not _is_point(view)]
    metric = task_spec(task).main_metric
    found = []
    for by in ("subset", "difficulty"):
        names = {getattr(one, by) for view in runs for one in view.records if one.task == task} - {""}
        groups = [_Group(task, by, name) for name in sorted(names, key=_order)]
        rows = [row for group in groups for row in _rows(group, runs, points)]
        if len(groups) > 1 and rows:
            scale = ticks(*value_range(task, metric))
            found.append(Reaches(task, metric, tuple(rows), None, None, scale, by))
    return found


def _rows(group: _Group, runs: Sequence[RunView], points: Points) -> list[Reach]:
    low, high = value_range(group.task, task_spec(group.task).main_metric)
    known = {
        name: place_of(value, low, high)
        for name, records in points.items()
        if (value := mean(group.values(records)).value) is not None
    }
    floor = max((known[name] for name in FLOORS if name in known), default=None)
    rows = []
    for view in runs:
        found = mean_with_interval(group.values(view.records))
        if found.value is None:
            continue
        ends = None
        if found.interval is not None:
            ends = (place_of(found.interval[0], low, high), place_of(found.interval[1], low, high))
        rows.append(
            Reach(
                f"{group.name} · {view.label}" if len(runs) > 1 else group.name,
                figures.value(found.value),
                place_of(found.value, low, high),
                ends,
                figures.interval(found),
                False,
                floor,
                known.get(ORACLE),
            )
        )
    return rows


def _is_point(view: RunView) -> bool:
    return is_reference_point(view.manifest.options.model)


def _order(name: str) -> tuple[int, str]:
    return (_LEVELS.index(name) if name in _LEVELS else len(_LEVELS), name)
