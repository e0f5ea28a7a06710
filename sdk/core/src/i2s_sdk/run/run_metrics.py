"""Which metrics a run has: what its tasks ask for, as far as it can be computed."""

from __future__ import annotations

from collections.abc import Container, Iterable

from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.metrics import image_metrics, scorers_of
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.description import MetricsDescription


def run_metrics(
    tasks: Iterable[Task], comparer: MetricsDescription | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the version of each metric of a run, and why the others of its tasks cannot be computed.

    Args:
        tasks: All of one profile.
        comparer: The metric service; None if no task compares pictures.
    """
    versions: dict[str, str] = {}
    unavailable: dict[str, str] = {}
    computed_here: dict[str, str] = {}
    for task in tasks:
        about = comparer.metrics if comparer is not None else ()
        described = {one.name: one for one in about if task.profile in one.profiles}
        for name in image_metrics(task):
            if name not in described:
                unavailable[name] = "the metric service does not know it"
            elif not described[name].available:
                unavailable[name] = described[name].unavailable_reason
            else:
                versions[name] = described[name].version
        for scorer in scorers_of(task):
            for metric in scorer.metrics:
                if metric.name in task.unavailable():
                    unavailable[f"{metric.name} of {task.name}"] = task.unavailable()[metric.name]
                else:
                    computed_here[metric.name] = scorer.version
    return {**versions, **computed_here}, unavailable


def image_metrics_of_run(task: Task, metrics: Container[str]) -> tuple[str, ...]:
    """Return those of a run's metrics that a task has from pictures."""
    return tuple(name for name in image_metrics(task) if name in metrics)


def scorers_of_run(task: Task, metrics: Container[str]) -> tuple[Scorer, ...]:
    """Return the scorers of a task whose metrics a run has."""
    return tuple(
        one for one in available_scorers(task) if any(metric.name in metrics for metric in one.metrics)
    )


def available_scorers(task: Task) -> tuple[Scorer, ...]:
    """Return the scorers of a task that can compute any of their metrics here."""
    missing = task.unavailable()
    return tuple(one for one in scorers_of(task) if any(m.name not in missing for m in one.metrics))
