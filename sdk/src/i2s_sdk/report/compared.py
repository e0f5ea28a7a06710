"""The runs of a table or report as they are compared: over common instances, between reference points."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from i2s_sdk.report.published_match import published_mismatch
from i2s_sdk.report.view import RunView
from i2s_sdk.runlog.record import Record
from i2s_sdk.runlog.reference_points import joined_points, read_points
from i2s_sdk.scoring.scorer import Aggregate
from i2s_sdk.stats.aggregate import Summary
from i2s_sdk.stats.comparability import Comparability, ComparedRun, comparability, same_rules
from i2s_sdk.stats.means import Mean, mean
from i2s_sdk.stats.results import summarize
from i2s_sdk.stats.skill import FLOORS, ORACLE, ScoredRun, Skill, is_reference_point, skill_of
from i2s_sdk.tasks.registry import SPECS


@dataclass(frozen=True)
class ComparedRuns:
    """Runs beside each other.

    Attributes:
        summaries: Numbers by label; in tasks that runs are ranked in, over the instances that all of them
            have scored. Reference points that run folders keep stand behind the runs, by the name of the
            model.
        unranked: Labels of reference points.
        by_task: How values of each task are compared.
        skills: Skill in the main metric of each task, by label; only of runs that have floors.
        mismatches: Why a run cannot be compared with the published values of a task, by label and task;
            those that can are left out.
    """

    summaries: Mapping[str, Summary]
    unranked: frozenset[str] = frozenset()
    by_task: Mapping[str, Comparability] = field(default_factory=dict)
    skills: Mapping[str, Mapping[str, Skill]] = field(default_factory=dict)
    mismatches: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def refused(self) -> frozenset[str]:
        """Tasks in which the runs are not ranked."""
        return frozenset(task for task, one in self.by_task.items() if one.refusal)

    @property
    def ranked(self) -> list[str]:
        """Labels of the runs that are no reference points."""
        return [label for label in self.summaries if label not in self.unranked]

    def mean_skills(self, tasks: Collection[str]) -> dict[str, float]:
        """Return the mean skill of runs over those of some tasks in which all ranked runs have one.

        A baseline that looks at its instances has one too, if it has a skill in all these tasks; it is not
        ranked.
        """
        shared = [
            task
            for task, of_task in self.skills.items()
            if task in tasks
            and task not in self.refused
            and all(_has_skill(of_task.get(label)) for label in self.ranked)
        ]
        found: dict[str, float] = {}
        for label in self.summaries if shared else ():
            of_run = [self.skills[task].get(label) for task in shared]
            value = mean(one.skill.value for one in of_run if one is not None).value
            if value is not None and all(_has_skill(one) for one in of_run):
                found[label] = value
        return found

    def skill(self, label: str, task: str) -> Mean | None:
        """Return the skill of a run in a task; None if it has none."""
        found = self.skills.get(task, {}).get(label)
        return found.skill if found is not None else None

    def notes(self, tasks: Sequence[str]) -> list[str]:
        """Return what a reader of values of some tasks must know, as sentences."""
        found = [self.by_task[task] for task in tasks if task in self.by_task]
        return list(dict.fromkeys(note for one in found for note in (one.refusal, *one.notes) if note))


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
    points = [_restricted(view, by_task) for view in _point_views(views, kept)]
    both = [*restricted, *points]
    return ComparedRuns(
        summaries={view.label: view.summary for view in both},
        unranked=frozenset(view.label for view in both if is_reference_point(view.manifest.options.model)),
        by_task=by_task,
        skills={task: found for task in tasks if (found := _skills(restricted, kept, task))},
        mismatches={
            (view.label, task): reason
            for view in [*views, *points]
            for task in view.summary.tasks
            if (reason := published_mismatch(view, task))
        },
    )


def _compared_run(view: RunView) -> ComparedRun:
    options = view.manifest.options
    records = {one.id: one for one in view.records}
    return ComparedRun(
        view.label, options, view.planned or view.records, records, is_reference_point(options.model)
    )


def _restricted(view: RunView, by_task: Mapping[str, Comparability]) -> RunView:
    """Return a run with the instances that its tasks are compared over."""
    planned = view.planned or view.records
    common = {task: one.common for task, one in by_task.items() if one.common is not None}
    kept = [one for one in planned if one.task not in common or one.id in common[one.task]]
    if len(kept) == len(planned):
        return view
    names = {one.id for one in kept}
    records = [one for one in view.records if one.id in names]
    summary = summarize(view.manifest, kept, {one.id: one for one in records})
    return replace(view, summary=summary, records=records, planned=kept)


def _point_views(
    views: Sequence[RunView], kept: Mapping[str, Mapping[str, Sequence[Record]]]
) -> list[RunView]:
    """Return the reference points that run folders keep as runs of their models.

    They are left out if the runs follow different profiles, and where a run of the same model is there.
    """
    judged = [view for view in views if view.manifest.options.model not in (*FLOORS, ORACLE)]
    if not judged or len({view.summary.profile for view in judged}) > 1:
        return []
    own = {view.manifest.options.model for view in views}
    first = judged[0].manifest
    parts = [
        {
            model: [one for one in records if same_rules(view.manifest.options, first.options, one.task)]
            for model, records in kept[view.label].items()
        }
        for view in judged
    ]
    found = []
    for model, records in joined_points(parts).items():
        if model not in own and records:
            manifest = replace(first, options=replace(first.options, model=model))
            summary = summarize(manifest, records, {one.id: one for one in records})
            found.append(RunView(model, manifest, summary, records, judged[0].storage, planned=records))
    return found


def _skills(
    views: Sequence[RunView], kept: Mapping[str, Mapping[str, Sequence[Record]]], task: str
) -> dict[str, Skill]:
    metric = SPECS[task].main_metric
    own = [view for view in views if task in view.summary.tasks and _is_mean(view, task, metric)]
    found: list[Skill] = []
    for view in own:
        rules = view.manifest.options
        points = [
            ScoredRun(one.label, one.manifest.options.model, {record.id: record for record in one.records})
            for one in own
            if one is not view and same_rules(rules, one.manifest.options, task)
        ]
        models = {one.model for one in points}
        points += [
            ScoredRun(f"kept {model}", model, {record.id: record for record in records})
            for model, records in kept[view.label].items()
            if model not in models
        ]
        mine = ScoredRun(view.label, rules.model, {record.id: record for record in view.records})
        skill = skill_of(mine, points, task, metric)
        if skill is not None:
            found.append(skill)
    return {one.label: one for one in sorted(found, key=_order)}


def _order(one: Skill) -> float:
    return float("inf") if one.skill.value is None else -one.skill.value


def _has_skill(one: Skill | None) -> bool:
    return one is not None and one.skill.value is not None


def _is_mean(view: RunView, task: str, metric: str) -> bool:
    """Return whether the value of a metric is a mean over samples, of which more is better."""
    columns = view.columns[task].metrics
    return any(one.name == metric and one.aggregate is Aggregate.MEAN for one in columns)
