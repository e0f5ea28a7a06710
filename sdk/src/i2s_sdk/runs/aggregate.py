"""From records to the numbers of a run: pure functions of values.

Every mean has its n beside it. Sums are exact (math.fsum), so the order of the records changes nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from i2s_sdk.data.instance import Instance
from i2s_sdk.profile import Profile
from i2s_sdk.runs.outcome import Outcome
from i2s_sdk.runs.record import Record


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and over how many samples; None over none."""

    value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class MetricMeans:
    """One metric of a group.

    Attributes:
        all: Over all samples that have a score; a failed rendering counts 0.
        rendered: Over those that were rendered.
    """

    all: Mean
    rendered: Mean


@dataclass(frozen=True, slots=True)
class Group:
    """The numbers of some samples.

    Attributes:
        name: Of the subset or the task.
        planned: Samples that the run has.
        scored: Samples that have a score: rendered or not, but not stopped by the infrastructure.
        rendered: Samples that have a picture.
        rendered_before_repair: Samples whose first render had a picture.
        outcomes: How many samples ended how; those without a record are cancelled.
        verdicts: How many of the last renders ended how.
        metrics: By name.
    """

    name: str
    planned: int
    scored: int
    rendered: int
    rendered_before_repair: int
    outcomes: Mapping[str, int]
    verdicts: Mapping[str, int]
    metrics: Mapping[str, MetricMeans]

    @property
    def share_rendered(self) -> float | None:
        """Of the samples that have a score, the share that has a picture."""
        return self.rendered / self.scored if self.scored else None

    @property
    def share_rendered_before_repair(self) -> float | None:
        """Of the samples that have a score, the share whose first render had a picture."""
        return self.rendered_before_repair / self.scored if self.scored else None


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The numbers of one task.

    Attributes:
        total: Over all its samples.
        subsets: Over those of each subset, in the order of the data set.
        values: The task's value of each metric, as the profile defines it: ``paper`` the mean over
            instances, ``helm`` the unweighted mean over its groups of subset and difficulty.
    """

    total: Group
    subsets: tuple[Group, ...]
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of a run, by task."""

    profile: str
    planned: int
    scored: int
    tasks: Mapping[str, TaskResult]

    @property
    def failures(self) -> int:
        """Samples that the infrastructure stopped."""
        return self.planned - self.scored

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return asdict(self)


def aggregate(
    instances: Sequence[Instance],
    records: Mapping[str, Record],
    metrics: Mapping[str, Sequence[str]],
    profile: Profile,
) -> Summary:
    """Return the numbers of a run.

    Args:
        instances: All that the run has.
        records: By instance; those of no instance are left out.
        metrics: Names by task, in the order shown.
        profile: The rule book.
    """
    tasks: dict[str, list[Instance]] = {}
    for instance in instances:
        tasks.setdefault(instance.task, []).append(instance)
    results = {task: _task(task, members, records, metrics[task], profile) for task, members in tasks.items()}
    scored = sum(result.total.scored for result in results.values())
    return Summary(str(profile), len(instances), scored, results)


def _task(
    task: str,
    instances: Sequence[Instance],
    records: Mapping[str, Record],
    metrics: Sequence[str],
    profile: Profile,
) -> TaskResult:
    total = _group(task, instances, records, metrics)
    subsets = tuple(
        _group(name, [one for one in instances if one.subset == name], records, metrics)
        for name in dict.fromkeys(one.subset for one in instances)
    )
    if profile is Profile.PAPER:
        return TaskResult(total, subsets, {name: total.metrics[name].all.value for name in metrics})
    cells = [
        _group("", [one for one in instances if (one.subset, one.difficulty) == cell], records, metrics)
        for cell in dict.fromkeys((one.subset, one.difficulty) for one in instances)
    ]
    values = {name: mean([cell.metrics[name].all.value for cell in cells]).value for name in metrics}
    return TaskResult(total, subsets, values)


def _group(
    name: str, instances: Sequence[Instance], records: Mapping[str, Record], metrics: Sequence[str]
) -> Group:
    found = [records[one.id] for one in instances if one.id in records]
    scored = [record for record in found if record.outcome.counts]
    rendered = [record for record in scored if record.has_picture]
    before = [one for one in scored if one.verdict_before_repair and one.verdict_before_repair.has_picture]
    outcomes = Counter(str(record.outcome) for record in found)
    if len(found) < len(instances):
        outcomes[str(Outcome.CANCELLED)] += len(instances) - len(found)
    return Group(
        name=name,
        planned=len(instances),
        scored=len(scored),
        rendered=len(rendered),
        rendered_before_repair=len(before),
        outcomes=dict(sorted(outcomes.items())),
        verdicts=dict(sorted(Counter(one.verdict.name for one in scored if one.verdict).items())),
        metrics={
            metric: MetricMeans(
                all=mean(record.metrics.get(metric) for record in scored),
                rendered=mean(record.metrics.get(metric) for record in rendered),
            )
            for metric in metrics
        },
    )


def mean(values: Iterable[float | None]) -> Mean:
    """Return the mean of the values that are there, and how many they are."""
    present = [value for value in values if value is not None]
    return Mean(math.fsum(present) / len(present) if present else None, len(present))
