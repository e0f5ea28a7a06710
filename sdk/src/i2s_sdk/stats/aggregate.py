"""From records to the numbers of a run: pure functions of values.

Every mean has its n beside it, and an interval. Neither the order of the records nor that of the data set
changes anything: sums are exact, tasks have an order of their own, subsets are sorted by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from i2s_sdk.profile import Profile
from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.planned import Sample
from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.bootstrap import Interval
from i2s_sdk.stats.means import (
    IntervalKind,
    Mean,
    mean_of_groups,
    means_with_intervals,
    share,
    share_of_groups,
)
from i2s_sdk.stats.spending import Spending, total_spending

#: The column of a table that says whether there is a picture: 1 or 0.
RENDERED = "rendered"

#: Subsets whose name begins so stand apart: they count in no value of their task.
_APART = "wild"


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
        success: ``rendered`` as a share of ``scored``.
        success_before_repair: ``rendered_before_repair`` as a share of ``scored``.
        outcomes: How many samples ended how; those without a record are cancelled.
        verdicts: How many of the last renders ended how.
        metrics: By name.
    """

    name: str
    planned: int
    scored: int
    rendered: int
    rendered_before_repair: int
    success: Mean
    success_before_repair: Mean
    outcomes: Mapping[str, int]
    verdicts: Mapping[str, int]
    metrics: Mapping[str, MetricMeans]

    @property
    def share_rendered(self) -> float | None:
        """Of the samples that have a score, the share that has a picture."""
        return self.success.value

    @property
    def share_rendered_before_repair(self) -> float | None:
        """Of the samples that have a score, the share whose first render had a picture."""
        return self.success_before_repair.value


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The numbers of one task.

    Attributes:
        total: Over all its samples but those of ``apart``.
        subsets: Over those of each subset, sorted by name.
        apart: The same of the wild subsets, whose references nobody wrote code for.
        values: The task's value of each metric, and the share rendered as RENDERED, as the profile defines
            it: ``paper`` the mean over instances, ``helm`` the unweighted mean over its groups of subset
            and difficulty.
        intervals: Of the values; in ``helm`` each group is drawn from on its own.
        interval_kinds: How each of these was found, or why there is none.
    """

    total: Group
    subsets: tuple[Group, ...]
    apart: tuple[Group, ...]
    values: Mapping[str, float | None]
    intervals: Mapping[str, Interval | None]
    interval_kinds: Mapping[str, IntervalKind]

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return the groups that hold each sample of the task once."""
        return (self.total, *self.apart)


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of a run, by task, and what the answers took."""

    profile: str
    planned: int
    scored: int
    tasks: Mapping[str, TaskResult]
    spending: Spending = field(default_factory=Spending)

    @property
    def failures(self) -> int:
        """Samples that the infrastructure stopped."""
        return self.planned - self.scored

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return asdict(self)


def aggregate(
    instances: Sequence[Sample],
    records: Mapping[str, Record],
    metrics: Mapping[str, Sequence[str]],
    profile: Profile,
) -> Summary:
    """Return the numbers of a run.

    Args:
        instances: All that the run has.
        records: By instance; those of no instance are left out.
        metrics: Names by task, in the order shown; each task of ``instances`` is there.
        profile: The rule book.
    """
    tasks: dict[str, list[Sample]] = {}
    for instance in instances:
        tasks.setdefault(instance.task, []).append(instance)
    results = {
        task: _task(task, tasks[task], records, names, profile)
        for task, names in metrics.items()
        if task in tasks
    }
    scored = sum(group.scored for result in results.values() for group in result.groups)
    spending = total_spending(records[one.id] for one in instances if one.id in records)
    return Summary(str(profile), len(instances), scored, results, spending)


def _task(
    task: str,
    instances: Sequence[Sample],
    records: Mapping[str, Record],
    metrics: Sequence[str],
    profile: Profile,
) -> TaskResult:
    by_subset: dict[str, list[Sample]] = {}
    for one in instances:
        by_subset.setdefault(one.subset, []).append(one)
    groups = {name: _group(name, members, records, metrics) for name, members in sorted(by_subset.items())}
    counted = [one for one in instances if not excluded_from_totals(one.subset)]
    total = _group(task, counted, records, metrics)
    if profile is Profile.PAPER:
        means = {RENDERED: total.success, **{name: total.metrics[name].all for name in metrics}}
    else:
        means = _means_of_cells(counted, records, metrics)
    return TaskResult(
        total=total,
        subsets=tuple(group for name, group in groups.items() if not excluded_from_totals(name)),
        apart=tuple(group for name, group in groups.items() if excluded_from_totals(name)),
        values={name: one.value for name, one in means.items()},
        intervals={name: one.interval for name, one in means.items()},
        interval_kinds={name: one.interval_kind for name, one in means.items()},
    )


def excluded_from_totals(subset: str) -> bool:
    """Return whether a subset counts in no value of its task."""
    return subset.startswith(_APART)


def _means_of_cells(
    instances: Sequence[Sample], records: Mapping[str, Record], metrics: Sequence[str]
) -> dict[str, Mean]:
    """Return unweighted means over groups of subset and difficulty."""
    cells: dict[tuple[str, str], list[Record]] = {}
    for one in instances:
        record = records.get(one.id)
        if record is not None and record.outcome.counts:
            cells.setdefault((one.subset, one.difficulty), []).append(record)
    found = {RENDERED: share_of_groups([[record.usable for record in cell] for cell in cells.values()])}
    for name in metrics:
        found[name] = mean_of_groups([[value_of(record, name) for record in cell] for cell in cells.values()])
    return found


def value_of(record: Record, name: str) -> float | None:
    """Return a sample's value of a metric, or of RENDERED."""
    return float(record.usable) if name == RENDERED else record.metrics.get(name)


def _group(
    name: str, instances: Sequence[Sample], records: Mapping[str, Record], metrics: Sequence[str]
) -> Group:
    found = [records[one.id] for one in instances if one.id in records]
    scored = [record for record in found if record.outcome.counts]
    rendered = [record for record in scored if record.usable]
    before = [one.usable_before_repair for one in scored]
    outcomes = Counter(str(record.outcome) for record in found)
    if len(found) < len(instances):
        outcomes[str(Outcome.CANCELLED)] += len(instances) - len(found)
    means = means_with_intervals(
        [
            *([one.metrics.get(metric) for one in scored] for metric in metrics),
            *([one.metrics.get(metric) for one in rendered] for metric in metrics),
        ]
    )
    halves = zip(metrics, means[: len(metrics)], means[len(metrics) :], strict=True)
    return Group(
        name=name,
        planned=len(instances),
        scored=len(scored),
        rendered=len(rendered),
        rendered_before_repair=sum(before),
        success=share([one.usable for one in scored]),
        success_before_repair=share(before),
        outcomes=dict(sorted(outcomes.items())),
        verdicts=dict(sorted(Counter(one.verdict.name for one in scored if one.verdict).items())),
        metrics={metric: MetricMeans(over_all, over_rendered) for metric, over_all, over_rendered in halves},
    )
