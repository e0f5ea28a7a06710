"""The runs of a table or report as they are compared: over common instances, between reference points."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from i2s_sdk.report.account_lines import account_note
from i2s_sdk.report.published import published_mismatch
from i2s_sdk.report.view import RunView
from i2s_sdk.run.storage.folder import Points, joined_points, read_points
from i2s_sdk.stats.aggregate import Summary, summarize
from i2s_sdk.stats.comparability import Comparability, ComparedRun, comparability, same_rules
from i2s_sdk.stats.means import Mean
from i2s_sdk.stats.skill import (
    FLOORS,
    ORACLE,
    ScoredRun,
    Skill,
    SkillColumn,
    SkillData,
    is_reference_point,
    mean_skill,
    skill_data,
    skill_of,
)
from i2s_sdk.tasks.registry import SPECS


@dataclass(frozen=True)
class ComparedRuns:
    """Runs beside each other."""

    #: Numbers by label; in tasks that runs are ranked in, over the instances that all of them have scored.
    #: Reference points that run folders keep stand behind the runs, by the name of the model.
    summaries: Mapping[str, Summary]
    #: Labels of reference points.
    unranked: frozenset[str] = frozenset()
    #: How values of each task are compared.
    by_task: Mapping[str, Comparability] = field(default_factory=dict)
    #: Skill in the main metric of each task, by label; only of runs that have floors.
    skills: Mapping[str, Mapping[str, Skill]] = field(default_factory=dict)
    #: Why a run cannot be compared with the published values of a task, by label and task; those that can are
    #: left out.
    mismatches: Mapping[tuple[str, str], str] = field(default_factory=dict)
    #: What ``summaries`` are the numbers of, in the same order.
    views: Sequence[RunView] = ()
    #: What ``skills`` are computed from.
    skill_data: Mapping[str, Mapping[str, SkillData]] = field(default_factory=dict)
    #: Reference points that the folder of each run keeps, by label.
    kept: Mapping[str, Points] = field(default_factory=dict)
    #: Each run by label with all of its instances, whichever the others have scored.
    own: Mapping[str, RunView] = field(default_factory=dict)
    _of_groups: dict[tuple[str, SkillColumn], Skill | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def refused(self) -> frozenset[str]:
        """Tasks in which the runs are not ranked."""
        return frozenset(task for task, one in self.by_task.items() if one.refusal)

    @property
    def ranked(self) -> list[str]:
        """Labels of the runs that are not reference points."""
        return [label for label in self.summaries if label not in self.unranked]

    def own_summary(self, label: str) -> Summary:
        """Return the numbers of a run over all of its instances, whichever the others have scored."""
        return self.own[label].summary if label in self.own else self.summaries[label]

    def account_notes(self, tasks: Sequence[str]) -> tuple[str, ...]:
        """Return for each run that is not a reference point what became of its samples of some tasks."""
        all_notes = (account_note(label, self.own_summary(label), tasks) for label in self.ranked)
        return tuple(note for notes in all_notes for note in notes)

    def skill_metric(self, task: str) -> str:
        """Return the column that skill in a task is computed of; empty if there is no skill."""
        return next((skill.metric for skill in self.skills.get(task, {}).values()), "")

    def mean_skills(self, tasks: Collection[str]) -> dict[str, Mean]:
        """Return the mean skill of runs over those of some tasks in which all ranked runs have one.

        A baseline that looks at its instances has one too, if it has a skill in all these tasks; it is not
        ranked. The n of a mean counts tasks.
        """
        shared = [
            task
            for task in self.skills
            if task in tasks
            and task not in self.refused
            and all(self._has_skill(label, task) for label in self.ranked)
        ]
        return {
            label: mean_skill([self.skill_data[task][label] for task in shared])
            for label in self.summaries
            if shared and all(self._has_skill(label, task) for task in shared)
        }

    def skill(self, label: str, task: str) -> Mean | None:
        """Return the skill of a run in a task; None if it has none."""
        skill = self.skills.get(task, {}).get(label)
        return skill.skill if skill is not None else None

    def is_floor_or_ceiling(self, label: str) -> bool:
        """Return whether a run is of a baseline that looks at nothing, or of the oracle."""
        models = (view.manifest.options.model for view in self.views if view.label == label)
        return next(models, label) in (*FLOORS, ORACLE)

    def group_skill(
        self, label: str, task: str, by: Literal["subset", "difficulty"], group: str
    ) -> Skill | None:
        """Return the skill of a run over a group of samples of a task, with the floor of the same samples.

        Args:
            label: Name of the run.
            task: Name of the task.
            by: What the group has in common.
            group: The subset or difficulty.

        Returns:
            The skill; None if no baseline that looks at nothing has values of the group.
        """
        view = next((run_view for run_view in self.views if run_view.label == label), None)
        column = _skill_column(view, self.views, task) if view is not None else None
        if view is None or column is None:
            return None
        key = label, replace(column, by=by, group=group)
        if key not in self._of_groups:
            data = _skill_data(view, self.views, self.kept, key[1])
            self._of_groups[key] = skill_of(data) if data is not None else None
        return self._of_groups[key]

    def _has_skill(self, label: str, task: str) -> bool:
        skill = self.skills[task].get(label)
        return skill is not None and skill.skill.value is not None

    def notes(self, tasks: Sequence[str]) -> list[str]:
        """Return what a reader of values of some tasks must know, as sentences."""
        compared = [self.by_task[task] for task in tasks if task in self.by_task]
        return list(dict.fromkeys(note for one in compared for note in (one.refusal, *one.notes) if note))


def compare_views(views: Sequence[RunView]) -> ComparedRuns:
    """Return runs as they are compared.

    Raises:
        DataError: Reference points that a run folder keeps are damaged.
    """
    kept = {view.label: read_points(view.storage) for view in views}
    tasks = [task for task in SPECS if any(task in view.summary.tasks for view in views)]
    runs = [_compared_run(view) for view in views]
    by_task = {task: comparability(runs, task) for task in tasks}
    restricted = [_restricted(view, by_task) for view in views]
    whole_points = _point_views(views, kept)
    points = [_restricted(view, by_task) for view in whole_points]
    both = [*restricted, *points]
    data = {task: of_task for task in tasks if (of_task := _data_of_task(restricted, kept, task))}
    return ComparedRuns(
        summaries={view.label: view.summary for view in both},
        unranked=frozenset(view.label for view in both if is_reference_point(view.manifest.options.model)),
        by_task=by_task,
        skills={task: _best_first(of_task) for task, of_task in data.items()},
        mismatches={
            (view.label, task): reason
            for view in [*views, *points]
            for task in view.summary.tasks
            if (reason := published_mismatch(view, task))
        },
        views=both,
        skill_data=data,
        kept=kept,
        own={view.label: view for view in [*views, *whole_points]},
    )


def _compared_run(view: RunView) -> ComparedRun:
    options = view.manifest.options
    records = {record.instance.id: record for record in view.records}
    return ComparedRun(view.label, options, view.instances, records, is_reference_point(options.model))


def _restricted(view: RunView, by_task: Mapping[str, Comparability]) -> RunView:
    """Return a run with the instances that its tasks are compared over."""
    instances = view.instances
    common = {task: one.common for task, one in by_task.items() if one.common is not None}
    kept = [
        instance
        for instance in instances
        if instance.task not in common or instance.id in common[instance.task]
    ]
    if len(kept) == len(instances):
        return view
    names = {grouped_sample.id for grouped_sample in kept}
    records = [record for record in view.records if record.instance.id in names]
    summary = summarize(view.manifest, kept, {record.instance.id: record for record in records})
    planned = [planned_sample for planned_sample in view.planned if planned_sample.id in names]
    return replace(view, summary=summary, records=records, planned=planned)


def _point_views(views: Sequence[RunView], kept: Mapping[str, Points]) -> list[RunView]:
    """Return the reference points that run folders keep as runs of their models.

    They are left out if the runs follow different profiles, and if a run of the same model is there.
    """
    judged = [view for view in views if view.manifest.options.model not in (*FLOORS, ORACLE)]
    if not judged or len({view.summary.profile for view in judged}) > 1:
        return []
    own = {view.manifest.options.model for view in views}
    first = judged[0].manifest
    parts = [
        {
            model: [
                record
                for record in records
                if same_rules(view.manifest.options, first.options, record.instance.task)
            ]
            for model, records in kept[view.label].items()
        }
        for view in judged
    ]
    point_views = []
    for model, records in joined_points(parts).items():
        if model not in own and records:
            manifest = replace(first, options=replace(first.options, model=model))
            instances = [record.instance for record in records]
            summary = summarize(manifest, instances, {record.instance.id: record for record in records})
            point_views.append(RunView(model, manifest, summary, records, judged[0].storage))
    return point_views


def _data_of_task(views: Sequence[RunView], kept: Mapping[str, Points], task: str) -> dict[str, SkillData]:
    by_run = {}
    for view in views:
        column = _skill_column(view, views, task)
        data = _skill_data(view, views, kept, column) if column is not None else None
        if data is not None:
            by_run[view.label] = data
    return by_run


def _skill_data(
    view: RunView, views: Sequence[RunView], kept: Mapping[str, Points], column: SkillColumn
) -> SkillData | None:
    """Return what a skill is computed from; reference points are runs by the same rules, or kept ones."""
    rules, task = view.manifest.options, column.task
    points = [
        _scored_run(run_view)
        for run_view in views
        if run_view is not view
        and task in run_view.summary.tasks
        and run_view.label in kept
        and same_rules(rules, run_view.manifest.options, task)
    ]
    models = {point.model for point in points}
    points += [
        ScoredRun(f"kept {model}", model, {record.instance.id: record for record in records})
        for model, records in kept.get(view.label, {}).items()
        if model not in models
    ]
    return skill_data(_scored_run(view), points, column)


def _scored_run(view: RunView) -> ScoredRun:
    return ScoredRun(
        view.label, view.manifest.options.model, {record.instance.id: record for record in view.records}
    )


def _skill_column(view: RunView, views: Sequence[RunView], task: str) -> SkillColumn | None:
    """Return the column of a task that the skill of a run is computed of; None if the run has none.

    It is the recommended one if all runs of the task have values of it for all samples that have one of the
    main metric, else the main one.
    """
    every = [run_view for run_view in views if task in run_view.columns]
    main, *recommended = SPECS[task].headline_metrics
    name = next(
        (one for one in recommended if all(_has_values(view, task, one, main) for view in every)), main
    )
    metrics = view.columns[task].metrics_of(name) if task in view.columns else ()
    return SkillColumn(task, metrics, name) if metrics else None


def _has_values(view: RunView, task: str, name: str, main: str) -> bool:
    """Return whether a run has as many values of a metric of a task as of the main one, and any."""
    columns = [SkillColumn(task, view.columns[task].metrics_of(one), one) for one in (name, main)]
    counts = [sum(column.row_of(record) is not None for record in view.records) for column in columns]
    return 0 < counts[0] >= counts[1]


def _best_first(data: Mapping[str, SkillData]) -> dict[str, Skill]:
    skills = [skill_of(one) for one in data.values()]
    return {skill.label: skill for skill in sorted(skills, key=_order)}


def _order(skill: Skill) -> float:
    return float("inf") if skill.skill.value is None else -skill.skill.value
