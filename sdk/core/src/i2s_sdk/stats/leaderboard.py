"""Several runs beside each other: values of the tasks and mean win rate."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from i2s_sdk.stats.aggregate import RENDERED, Summary
from i2s_sdk.stats.means import IntervalKind, Mean
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class Column:
    """One quantity of several models."""

    #: Name, such as "latex ems".
    name: str
    #: Values by model; a model that has none is left out of the column.
    values: Mapping[str, float]
    #: None if the quantity has no order, and the column is left out.
    lower_is_better: bool | None = False


def win_rates(column: Column) -> dict[str, float]:
    """Return for each model of a column the share of the others that it beats; a tie is half a win.

    Empty if nobody can win: fewer than two models, or no order.
    """
    if column.lower_is_better is None or len(column.values) < 2:
        return {}
    sign = -1 if column.lower_is_better else 1
    values = {model: sign * value for model, value in column.values.items()}
    rates = {}
    for model, value in values.items():
        beaten = sum(other < value for other in values.values())
        tied = sum(other == value for other in values.values()) - 1
        rates[model] = (beaten + 0.5 * tied) / (len(values) - 1)
    return rates


def mean_win_rates(models: Sequence[str], columns: Sequence[Column]) -> dict[str, float | None]:
    """Return for each model the mean of its win rates over the columns that have one; None over none."""
    rates = [win_rates(column) for column in columns]
    by_model = {model: [rate[model] for rate in rates if model in rate] for model in models}
    return {model: math.fsum(own) / len(own) if own else None for model, own in by_model.items()}


@dataclass(frozen=True, slots=True)
class Standing:
    """One run on the leaderboard."""

    #: Its name there.
    label: str
    #: Mean over the columns by which the tasks rank that at least two runs have; None if there is no such
    #: column.
    win_rate: float | None
    #: Values by task and metric; a failed rendering counts 0.
    values: Mapping[str, Mapping[str, Mean]]
    #: The mean of each benchmark that has one and all of whose tasks the run has.
    benchmarks: Mapping[str, Mean] = field(default_factory=dict)
    #: Mean skill over the tasks in which all ranked runs have one, with its interval; its n counts tasks.
    #: None if there is none.
    mean_skill: Mean | None = None
    #: Whether it is the oracle or a baseline, which stand behind the runs and are not ranked.
    is_reference_point: bool = False
    #: Scored and planned samples of the run itself, by task.
    coverage: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        skill = self.mean_skill or Mean(None, 0, None, IntervalKind.TOO_FEW)
        return {
            **asdict(self),
            "mean_skill": skill.value,
            "mean_skill_interval": skill.interval,
            "mean_skill_interval_kind": skill.interval_kind,
        }


def leaderboard(
    runs: Mapping[str, Summary],
    unranked: Collection[str] = (),
    refused: Collection[str] = (),
    skills: Mapping[str, Mean] | None = None,
    own: Mapping[str, Summary] | None = None,
) -> list[Standing]:
    """Return the runs by mean skill if all have one, else by win rate, best first, then the reference points.

    Runs without either stand behind the others, in the order given.

    Args:
        runs: Numbers by label.
        unranked: Labels of reference points, which have no win rate and count in that of no other run.
        refused: Tasks in which the runs are not ranked.
        skills: Mean skill by label; None if floors are not known.
        own: Numbers by label over all instances of each run; None if those of ``runs`` are.
    """
    ranked = {label: summary for label, summary in runs.items() if label not in unranked}
    tasks = [task for task in _tasks(ranked) if task not in refused]
    rates = mean_win_rates(list(ranked), win_rate_columns(ranked, tasks))
    skills = skills or {}
    standings = [
        Standing(
            label,
            rates.get(label),
            _values(summary),
            summary.benchmarks,
            skills.get(label),
            label in unranked,
            _coverage((own or runs)[label]),
        )
        for label, summary in runs.items()
    ]
    by_skill = bool(skills) and all(label in skills for label in ranked)

    def order(standing: Standing) -> tuple[bool, float]:
        skill = standing.mean_skill.value if standing.mean_skill is not None else None
        value = skill if by_skill else standing.win_rate
        return standing.is_reference_point, float("inf") if value is None else -value

    return sorted(standings, key=order)


def _coverage(summary: Summary) -> dict[str, tuple[int, int]]:
    return {
        task: (sum(group.scored for group in result.groups), sum(group.planned for group in result.groups))
        for task, result in summary.tasks.items()
    }


def win_rate_columns(runs: Mapping[str, Summary], tasks: Sequence[str]) -> list[Column]:
    """Return the columns that win rates are means over.

    A column in which all runs have one value ranks nobody and is left out, except if all follow profile
    ``helm``, which counts it as ties.

    Args:
        runs: Numbers by label.
        tasks: Names of the tasks that the runs are ranked in.
    """
    if not tasks:
        return []
    as_helm = all(summary.profile == Profile.HELM for summary in runs.values())
    columns = ranking_columns(runs, tasks)
    return [column for column in columns if as_helm or len(set(column.values.values())) > 1]


def ranking_columns(runs: Mapping[str, Summary], tasks: Sequence[str] = ()) -> list[Column]:
    """Return what models are ranked by: the columns ``ranked_by`` of each task.

    Args:
        runs: Numbers by label.
        tasks: Their names; none means all that any run has.
    """
    known = _tasks(runs)
    columns = []
    for task in [one for one in known if not tasks or one in tasks]:
        for metric in ranked_by(task):
            values = {label: _value(summary, task, metric) for label, summary in runs.items()}
            present = {label: value for label, value in values.items() if value is not None}
            columns.append(Column(f"{task} {metric}", present))
    return columns


def _tasks(runs: Mapping[str, Summary]) -> list[str]:
    return list(dict.fromkeys(task for summary in runs.values() for task in summary.tasks))


def ranked_by(task: str) -> tuple[str, ...]:
    """Return the columns that rank models in a task: its main metric, and the share rendered before it."""
    spec = task_spec(task)
    return (RENDERED, spec.main_metric) if spec.renders else (spec.main_metric,)


def short_columns(runs: Iterable[Summary], task: str) -> tuple[str, ...]:
    """Return the columns of a task in tables over several tasks.

    They are those that rank models, and beside them those that the task names and any of the runs has.
    """
    present = {name for run in runs if task in run.tasks for name in run.tasks[task].values}
    spec = task_spec(task)
    beside = (*spec.headline_metrics[1:], *spec.shown_beside)
    return (*ranked_by(task), *(name for name in beside if name in present))


def labels(runs: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return a name for each run that no other one has.

    Args:
        runs: Model, profile and folder of each. The model alone is the name if that tells them apart.
    """
    names = [model for model, _, _ in runs]
    if len(set(names)) < len(names):
        names = [f"{model} ({profile})" for model, profile, _ in runs]
    if len(set(names)) < len(names):
        names = [f"{name}, {folder}" for name, (_, _, folder) in zip(names, runs, strict=True)]
    seen: dict[str, int] = {}
    for at, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            names[at] = f"{name} #{seen[name]}"
    return names


def _value(summary: Summary, task: str, metric: str) -> float | None:
    return summary.tasks[task].values.get(metric) if task in summary.tasks else None


def task_mean(summary: Summary, task: str, metric: str) -> Mean | None:
    """Return the value of a task that a run has, with n and interval; None if it has no such metric."""
    result = summary.tasks[task]
    if metric not in result.values:
        return None
    n = _count(summary, task, metric)
    return Mean(result.values[metric], n, result.intervals[metric], result.interval_kinds[metric])


def _values(summary: Summary) -> dict[str, dict[str, Mean]]:
    by_task: dict[str, dict[str, Mean]] = {}
    for task, result in summary.tasks.items():
        means = {name: task_mean(summary, task, name) for name in result.values}
        by_task[task] = {name: mean for name, mean in means.items() if mean is not None}
    return by_task


def _count(summary: Summary, task: str, metric: str) -> int:
    total = summary.tasks[task].total
    return total.scored if metric == RENDERED else total.metrics[metric].all.n
