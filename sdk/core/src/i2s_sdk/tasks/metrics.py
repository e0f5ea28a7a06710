"""Which metrics a task has, from images, from its scorers and from those of other packages."""

from __future__ import annotations

from functools import cache

from i2s_client.plugins import PluginGroup, load_plugin, package_of, plugins, warn_of
from i2s_sdk.errors import PluginError
from i2s_sdk.scoring.scorer import Aggregate, Metric, Scorer
from i2s_sdk.tasks.task import EXACT, Task
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.summaries import SUMMARIES


def image_metric(name: str, profile: Profile) -> Metric:
    """Return a metric of images as a column."""
    aggregate = Aggregate.SHARE if name == EXACT else Aggregate.MEAN
    return Metric(name, aggregate=aggregate, summary=SUMMARIES[profile].get(name, ""))


def image_metrics(task: Task) -> tuple[str, ...]:
    """Return the names of the metrics that the metric service computes from two images."""
    return task.rendering.image_metrics if task.rendering is not None else ()


def metrics_of(task: Task) -> tuple[Metric, ...]:
    """Return all metrics of a task, in the order shown."""
    return (
        *(image_metric(name, task.profile) for name in image_metrics(task)),
        *(metric for scorer in scorers_of(task) for metric in scorer.metrics),
    )


def scorers_of(task: Task) -> tuple[Scorer, ...]:
    """Return the scorers of a task: its own, then those that other packages provide for it.

    A scorer of another package is left out with a warning if it cannot be used, or if the task has a metric
    of the name of one of its metrics already.
    """
    scorers = list(task.scorers)
    names = {*image_metrics(task), *(metric.name for one in scorers for metric in one.metrics)}
    for name in plugins(PluginGroup.SCORERS):
        if name.partition(".")[0] != task.name:
            continue
        try:
            scorer = _packaged_scorer(name, task.profile)
        except PluginError as error:
            warn_of(error)
            continue
        twice = sorted(names & {metric.name for metric in scorer.metrics})
        if twice:
            plugin = plugins(PluginGroup.SCORERS)[name]
            reason = f"task {task.name} has a metric {twice[0]!r} already"
            warn_of(PluginError(plugin.group, name, package_of(plugin), reason))
            continue
        names |= {metric.name for metric in scorer.metrics}
        scorers.append(scorer)
    return tuple(scorers)


@cache
def _packaged_scorer(name: str, profile: Profile) -> Scorer:
    """Return the scorer of an entry point.

    Raises:
        PluginError: It cannot be imported or made, or is not a scorer.
    """
    plugin = plugins(PluginGroup.SCORERS)[name]
    make = load_plugin(plugin)
    try:
        scorer = make(profile)  # type: ignore[operator]
    except Exception as error:  # the code of another package may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise PluginError(plugin.group, name, package_of(plugin), reason) from error
    wanted = ("name", "version", "metrics", "in_worker", "applies", "score", "unusable")
    missing = [one for one in wanted if not hasattr(scorer, one)]
    if missing:
        reason = f"what {plugin.value} returns has no {missing[0]!r}"
        raise PluginError(plugin.group, name, package_of(plugin), reason)
    return scorer  # type: ignore[no-any-return]
