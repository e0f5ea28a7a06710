"""Which metrics a task has, from pictures and from its scorers."""

from __future__ import annotations

from i2s_sdk.scoring.scorer import Metric
from i2s_sdk.tasks.task import Task


def image_metrics(task: Task) -> tuple[str, ...]:
    """Return the names of the metrics that the metric service computes from two pictures."""
    return task.rendering.image_metrics if task.rendering is not None else ()


def metrics_of(task: Task) -> tuple[Metric, ...]:
    """Return all metrics of a task, in the order shown."""
    return (*map(Metric, image_metrics(task)), *(metric for one in task.scorers for metric in one.metrics))
