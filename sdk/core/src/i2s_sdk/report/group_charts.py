"""Charts of the main column of a task by subset and difficulty, with floor and ceiling of each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from i2s_sdk.report import figures
from i2s_sdk.report.charts import Reach, Reaches, place_of, skill_words, ticks, value_range
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.view import RunView
from i2s_sdk.stats.skill import ORACLE, SkillColumn, is_reference_point
from i2s_sdk.tasks.registry import task_spec

_LEVELS = ("easy", "medium", "hard")

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
    metric = task_spec(task).main_metric
    bys: tuple[_By, ...] = ("subset", "difficulty")
    found = []
    for by in bys:
        names = {getattr(one, by) for view in runs for one in view.records if one.task == task} - {""}
        rows = [row for name in sorted(names, key=_order) for row in _rows(compared, runs, task, by, name)]
        if len(names) > 1 and rows:
            scale = ticks(*value_range(task, metric))
            without = tuple(row.label for row in rows if row.floor is None)
            found.append(Reaches(task, metric, tuple(rows), None, None, scale, by, without_floor=without))
    return found


def _rows(compared: ComparedRuns, runs: Sequence[RunView], task: str, by: _By, name: str) -> list[Reach]:
    metric = task_spec(task).main_metric
    low, high = value_range(task, metric)
    column = SkillColumn(task, (), by, name)
    rows = []
    for view in runs:
        columns = view.columns[task]
        samples = [one for one in view.records if column.has(one)]
        found = columns.values_of(samples).get(metric)
        if found is None or found.value is None:
            continue
        ends = None
        if found.interval is not None:
            ends = (place_of(found.interval[0], low, high), place_of(found.interval[1], low, high))
        skill = compared.group_skill(view.label, task, by, name)
        has_ceiling = skill is not None and skill.ceiling_model == ORACLE
        rows.append(
            Reach(
                label=f"{name} · {view.label}" if len(runs) > 1 else name,
                value=figures.value(found.value),
                place=place_of(found.value, low, high),
                ends=ends,
                interval=figures.interval(found),
                is_reference_point=False,
                floor=place_of(skill.floor, low, high) if skill is not None else None,
                ceiling=place_of(skill.ceiling, low, high) if skill is not None and has_ceiling else None,
                skill=skill_words(skill),
            )
        )
    return rows


def _order(name: str) -> tuple[int, str]:
    return (_LEVELS.index(name) if name in _LEVELS else len(_LEVELS), name)
