"""Which metrics a run has: what its tasks ask for, as far as it can be computed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from i2s_sdk.clients.descriptions import MetricsDescription
from i2s_sdk.tasks.spec import AnyTask

#: Versions of the metrics that are computed here; those of the others come from their service.
TEXT_VERSIONS = {"edit": "1"}


def run_metrics(
    tasks: Iterable[AnyTask], comparer: MetricsDescription
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the version of each metric of a run, and why the others of its tasks cannot be computed.

    Args:
        tasks: All of one profile.
        comparer: The metric service.
    """
    versions: dict[str, str] = {}
    unavailable: dict[str, str] = {}
    texts: dict[str, str] = {}
    for task in tasks:
        described = {one.name: one for one in comparer.metrics if task.profile in one.profiles}
        for name in task.image_metrics:
            if name not in described:
                unavailable[name] = "the metric service does not know it"
            elif not described[name].available:
                unavailable[name] = described[name].unavailable_reason
            else:
                versions[name] = described[name].version
        for name in task.text_metrics:
            if name in task.unavailable():
                unavailable[f"{name} of {task.name}"] = task.unavailable()[name]
            else:
                texts[name] = TEXT_VERSIONS[name]
    return {**versions, **texts}, unavailable


def split_metrics(
    task: AnyTask, versions: Collection[str] | Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return those of a run's metrics that a task has: from pictures, and from texts."""
    missing = task.unavailable()
    texts = (name for name in task.text_metrics if name in versions and name not in missing)
    return tuple(name for name in task.image_metrics if name in versions), tuple(texts)
