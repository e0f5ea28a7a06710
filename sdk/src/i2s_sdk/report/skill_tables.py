"""Tables of skill: each run between a baseline that looks at nothing and the ground truth."""

from __future__ import annotations

from collections.abc import Sequence

from i2s_sdk.report.table_lines import Heading, Line, PaperTable
from i2s_sdk.report.view import RunView
from i2s_sdk.scoring.scorer import Aggregate
from i2s_sdk.stats.skill import ORACLE, ScoredRun, skills
from i2s_sdk.tasks.registry import SPECS

_NOTE = (
    "Skill = (value - floor) / (ceiling - floor), over the instances that all of them have. The floor is the "
    "best of the baselines here that look at nothing, the ceiling {ceiling}."
)


def skill_tables(views: Sequence[RunView]) -> list[PaperTable]:
    """Return a table for each task of which a floor and a run are among the runs.

    Args:
        views: The runs, of one profile or several; a run is compared with floors of its own profile alone.
    """
    return [
        table
        for task in SPECS
        for profile in dict.fromkeys(view.summary.profile for view in views)
        if (table := _table([view for view in views if view.summary.profile == profile], task))
    ]


def _table(views: Sequence[RunView], task: str) -> PaperTable | None:
    metric = SPECS[task].main_metric
    own = [view for view in views if task in view.summary.tasks and _is_mean(view, task, metric)]
    runs = [
        ScoredRun(view.label, view.manifest.options.model, {one.id: one for one in view.records})
        for view in own
    ]
    found = skills(runs, task, metric)
    if not found:
        return None
    lines = tuple(
        Line.of(one.label, [one.skill, one.value, one.floor, one.floor_model, one.ceiling, str(one.skill.n)])
        for one in found
    )
    headings = ("Model", "Skill", metric, "Floor", "Floor is", "Ceiling", "Instances")
    has_oracle = any(run.model == ORACLE for run in runs)
    note = _NOTE.format(ceiling="the oracle" if has_oracle else "1")
    return PaperTable(
        f"{SPECS[task].title}, skill", tuple(Heading(name) for name in headings), lines, (note,)
    )


def _is_mean(view: RunView, task: str, metric: str) -> bool:
    """Return whether the value of a metric is a mean over samples, of which more is better."""
    columns = view.columns[task].metrics
    return any(one.name == metric and one.aggregate is Aggregate.MEAN for one in columns)
