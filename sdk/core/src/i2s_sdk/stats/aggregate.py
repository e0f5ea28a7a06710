"""The numbers of a run from its records, the same for a run, a shard and a merge of shards."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import max_tokens_of
from i2s_sdk.run.storage.folder import StoredRun
from i2s_sdk.run.storage.manifest import GroupedSample, Manifest
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.scoring.own import is_own_metric
from i2s_sdk.scoring.scorer import Metric
from i2s_sdk.stats.accounts import Accounts, account_samples, total_accounts
from i2s_sdk.stats.bootstrap import Interval
from i2s_sdk.stats.columns import Columns, mean_range
from i2s_sdk.stats.means import IntervalKind, Mean, mean_of_groups, share, share_of_groups
from i2s_sdk.stats.spending import Spending, total_spending
from i2s_sdk.stats.turns import BEST, TaskTurns, Turn, TurnRow, ends, records_at, spending_until
from i2s_sdk.tasks.benchmark import Benchmark
from i2s_sdk.tasks.metrics import image_metrics, metrics_of
from i2s_sdk.tasks.registry import BENCHMARKS, SPECS, open_task, task_spec
from i2s_wire.metrics.profile import Profile

#: The column of a table that says whether there is an image: 1 or 0.
RENDERED = "rendered"

#: Subsets whose name begins so stand apart: they count in no value of their task.
_APART = "wild"


@dataclass(frozen=True, slots=True)
class MetricMeans:
    """One metric of a group."""

    #: Over all samples that have a score; one that is not usable counts what the metric says.
    all: Mean
    #: Over the usable ones.
    rendered: Mean


@dataclass(frozen=True, slots=True)
class Group:
    """The numbers of some samples."""

    #: Name of the subset or the task.
    name: str
    #: Samples that the run has.
    planned: int
    #: Samples that have a score: rendered or not, but not stopped by the infrastructure.
    scored: int
    #: Samples that have an image.
    rendered: int
    #: Samples whose first render had an image.
    rendered_before_repair: int
    #: ``rendered`` as a share of ``scored``.
    success: Mean
    #: ``rendered_before_repair`` as a share of ``scored``.
    success_before_repair: Mean
    #: How many samples ended how; those without a record are cancelled.
    outcomes: Mapping[str, int]
    #: How many of the last renders ended how.
    verdicts: Mapping[str, int]
    #: Metrics by name.
    metrics: Mapping[str, MetricMeans]
    #: Samples that a folder of predictions has no file for; they count as empty predictions.
    missing: int = 0

    @property
    def share_rendered(self) -> float | None:
        """The share of scored samples that have an image."""
        return self.success.value

    @property
    def share_rendered_before_repair(self) -> float | None:
        """The share of scored samples whose first render had an image."""
        return self.success_before_repair.value


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The numbers of one task."""

    #: Over all its samples but those of ``apart``.
    total: Group
    #: Over those of each subset, sorted by name.
    subsets: tuple[Group, ...]
    #: The same of the wild subsets, whose references nobody wrote code for.
    apart: tuple[Group, ...]
    #: The task's value of each metric, and the share of usable samples as RENDERED, as the profile defines
    #: it: over all samples, or for some tasks in profile ``helm`` the unweighted mean over the groups of
    #: subset and difficulty.
    values: Mapping[str, float | None]
    #: Intervals of the values.
    intervals: Mapping[str, Interval | None]
    #: How each of these was found, or why there is none.
    interval_kinds: Mapping[str, IntervalKind]
    #: What became of all its samples, those of wild subsets among them.
    accounts: Accounts = field(default_factory=lambda: Accounts(0))

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return the groups that hold each sample of the task once."""
        return (self.total, *self.apart)


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of a run."""

    #: Profile whose rules are followed.
    profile: str
    #: Samples that the run has.
    planned: int
    #: Samples that have a score.
    scored: int
    #: The numbers of each task.
    tasks: Mapping[str, TaskResult]
    #: What the answers took.
    spending: Spending = field(default_factory=Spending)
    #: The mean of each benchmark that has one and all of whose tasks the run has: the unweighted mean of the
    #: main metrics of its tasks, whose n counts tasks.
    benchmarks: Mapping[str, Mean] = field(default_factory=dict)
    #: What became of all samples.
    accounts: Accounts = field(default_factory=lambda: Accounts(0))
    #: The turns of each task; empty if the run has none. All other numbers but ``spending`` are of first
    #: answers.
    turns: Mapping[str, TaskTurns] = field(default_factory=dict)

    @property
    def failures(self) -> int:
        """Samples that the infrastructure stopped; of a run with turns, in any turn."""
        last = (turn.rows[-1].scored for turn in self.turns.values())
        return self.planned - (sum(last) if self.turns else self.scored)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them, without ``turns`` if the run has none."""
        plain = {**asdict(self), "spending": self.spending.to_json()}
        del plain["turns"]
        if self.turns:
            plain["turns"] = {task: turn.to_json() for task, turn in self.turns.items()}
        return plain


def aggregate(
    instances: Sequence[GroupedSample],
    records: Mapping[str, Record],
    columns: Mapping[str, Columns],
    profile: Profile,
    benchmarks: Sequence[Benchmark] = (),
    max_tokens: Mapping[str, int] = MappingProxyType({}),
) -> Summary:
    """Return the numbers of a run.

    Args:
        instances: All that the run has.
        records: Records by instance; those of no instance are left out.
        columns: Columns by task, in the order shown; each task of ``instances`` is there.
        profile: Profile whose rules are followed.
        benchmarks: Benchmarks whose mean is computed, if they have one and the run has all of their tasks.
        max_tokens: The most tokens of a completion by task, as far as they are known.
    """
    tasks: dict[str, list[GroupedSample]] = {}
    for instance in instances:
        tasks.setdefault(instance.task, []).append(instance)
    results = {
        task: replace(
            _task(task, tasks[task], records, own, profile),
            accounts=account_samples(tasks[task], records, max_tokens.get(task)),
        )
        for task, own in columns.items()
        if task in tasks
    }
    scored = sum(group.scored for result in results.values() for group in result.groups)
    spending = total_spending(
        records[grouped_sample.id] for grouped_sample in instances if grouped_sample.id in records
    )
    headlines = {
        benchmark.name: _headline(
            [_main_values(tasks[name], records, main) for name, main in benchmark.main_metrics.items()]
        )
        for benchmark in benchmarks
        if benchmark.has_mean and tasks.keys() >= benchmark.main_metrics.keys()
    }
    accounts = total_accounts(result.accounts for result in results.values())
    return Summary(str(profile), len(instances), scored, results, spending, headlines, accounts)


def _headline(groups: Sequence[Sequence[float]]) -> Mean:
    """Return the unweighted mean of the means of tasks; without value if a task has none."""
    if not all(groups):
        return Mean(None, sum(map(bool, groups)), None, IntervalKind.TOO_FEW)
    return mean_of_groups(groups)


def _main_values(
    instances: Sequence[GroupedSample], records: Mapping[str, Record], metric: str
) -> list[float]:
    """Return the values of a metric of the samples that count in the value of their task."""
    present = (
        records.get(instance.id) for instance in instances if not excluded_from_totals(instance.subset)
    )
    values = (
        record.score.metrics.get(metric) for record in present if record is not None and record.outcome.counts
    )
    return [value for value in values if value is not None]


def _task(
    task: str,
    instances: Sequence[GroupedSample],
    records: Mapping[str, Record],
    columns: Columns,
    profile: Profile,
) -> TaskResult:
    by_subset: dict[str, list[GroupedSample]] = {}
    for instance in instances:
        by_subset.setdefault(instance.subset, []).append(instance)
    groups = {name: _group(name, members, records, columns) for name, members in sorted(by_subset.items())}
    counted = [
        grouped_sample for grouped_sample in instances if not excluded_from_totals(grouped_sample.subset)
    ]
    total = _group(task, counted, records, columns)
    if profile is Profile.HELM and columns.mean_of_cells:
        means = _means_of_cells(counted, records, columns)
    else:
        means = {RENDERED: total.success, **{name: total.metrics[name].all for name in columns.names}}
    return TaskResult(
        total=total,
        subsets=tuple(group for name, group in groups.items() if not excluded_from_totals(name)),
        apart=tuple(group for name, group in groups.items() if excluded_from_totals(name)),
        values={name: mean.value for name, mean in means.items()},
        intervals={name: mean.interval for name, mean in means.items()},
        interval_kinds={name: mean.interval_kind for name, mean in means.items()},
    )


def excluded_from_totals(subset: str) -> bool:
    """Return whether a subset counts in no value of its task."""
    return subset.startswith(_APART)


def _means_of_cells(
    instances: Sequence[GroupedSample], records: Mapping[str, Record], columns: Columns
) -> dict[str, Mean]:
    """Return unweighted means over groups of subset and difficulty."""
    cells: dict[tuple[str, str], list[Record]] = {}
    for instance in instances:
        record = records.get(instance.id)
        if record is not None and record.outcome.counts:
            cells.setdefault((instance.subset, instance.difficulty), []).append(record)
    means = {RENDERED: share_of_groups([[record.usable for record in cell] for cell in cells.values()])}
    for name in columns.names:
        groups = [[value_of(record, name) for record in cell] for cell in cells.values()]
        means[name] = mean_of_groups(groups, *mean_range(columns.metrics_of(name)))
    return means


def value_of(record: Record, name: str) -> float | None:
    """Return a sample's value of a metric, or of RENDERED."""
    return float(record.usable) if name == RENDERED else record.score.metrics.get(name)


def _group(
    name: str, instances: Sequence[GroupedSample], records: Mapping[str, Record], columns: Columns
) -> Group:
    present = [records[instance.id] for instance in instances if instance.id in records]
    scored = [record for record in present if record.outcome.counts]
    rendered = [record for record in scored if record.usable]
    before = [record.usable_before_repair for record in scored]
    outcomes = Counter(str(record.outcome) for record in present)
    if len(present) < len(instances):
        outcomes[str(Outcome.CANCELLED)] += len(instances) - len(present)
    over_all, over_rendered = columns.values_of(scored), columns.values_of(rendered)
    return Group(
        name=name,
        planned=len(instances),
        scored=len(scored),
        rendered=len(rendered),
        rendered_before_repair=sum(before),
        success=share([record.usable for record in scored]),
        success_before_repair=share(before),
        outcomes=dict(sorted(outcomes.items())),
        verdicts=dict(
            sorted(
                Counter(
                    record.rendering.verdict.name for record in scored if record.rendering.verdict
                ).items()
            )
        ),
        metrics={metric: MetricMeans(over_all[metric], over_rendered[metric]) for metric in columns.names},
        missing=sum(record.answer.finish == Finish.MISSING for record in present),
    )


def summarize_run(run: StoredRun) -> Summary:
    """Return the numbers of a run that was read from its folder."""
    return summarize(run.manifest, run.planned, run.records, run.turns)


def summarize(
    manifest: Manifest,
    planned: Sequence[GroupedSample],
    records: Mapping[str, Record],
    later: Mapping[str, Sequence[Record]] = MappingProxyType({}),
) -> Summary:
    """Return the numbers of a run.

    Args:
        manifest: Manifest of the run.
        planned: Its instances in any order; of a shard, its own.
        records: Records by instance.
        later: Records of answers after the first by instance, in order.
    """
    present = {grouped_sample.task for grouped_sample in planned}
    columns = {task: task_columns(manifest, task) for task in SPECS if task in present}
    profile, limits = Profile(manifest.options.profile), max_tokens(manifest, present)
    summary = aggregate(planned, records, columns, profile, BENCHMARKS, limits)
    if manifest.options.turns == 1:
        return summary
    turns = {
        task: _task_turns(task, planned, records, later, columns[task], manifest) for task in summary.tasks
    }
    return replace(
        summary, turns=turns, spending=spending_until(planned, records, later, manifest.options.turns)
    )


def _task_turns(
    task: str,
    planned: Sequence[GroupedSample],
    records: Mapping[str, Record],
    later: Mapping[str, Sequence[Record]],
    columns: Columns,
    manifest: Manifest,
) -> TaskTurns:
    """Return the numbers of a task after each turn; with as many samples as the totals of the task."""
    profile, turns = Profile(manifest.options.profile), manifest.options.turns
    own = [grouped_sample for grouped_sample in planned if grouped_sample.task == task]

    def row(turn: Turn) -> TurnRow:
        chosen = records_at(records, later, turn, turns, main_parts)
        result = _task(task, own, chosen, columns, profile)
        until = turn if isinstance(turn, int) else turns
        return TurnRow(
            turn,
            sum(group.scored for group in result.groups),
            sum(group.rendered for group in result.groups),
            {name: _value(result, name) for name in result.values},
            spending_until(own, records, later, until),
        )

    rows = tuple(row(turn) for turn in range(1, turns + 1))
    return TaskTurns(task_spec(task).main_metric, rows, row(BEST), ends(records, later, task))


def _value(result: TaskResult, name: str) -> Mean:
    of_total = result.total.success if name == RENDERED else result.total.metrics[name].all
    return Mean(result.values[name], of_total.n, result.intervals[name], result.interval_kinds[name])


def main_parts(task: str) -> Sequence[str]:
    """Return the metrics of samples whose mean ranks models in a task."""
    return task_spec(task).main_parts


def max_tokens(manifest: Manifest, tasks: Iterable[str]) -> dict[str, int]:
    """Return the most tokens of a completion by task; a task is left out if they are not known."""
    chosen = max_tokens_of(manifest.about)
    return {} if chosen is None else {task: task_spec(task).max_tokens or chosen for task in tasks}


def task_columns(manifest: Manifest, task: str) -> Columns:
    """Return the columns that a task has in a run.

    The manifest alone decides, so that they are the same on a machine with other packages.
    """
    known, spec = open_task(task, Profile(manifest.options.profile)), task_spec(task)
    compared_images = image_metrics(known)
    metrics = tuple(
        metric
        for metric in metrics_of(known)
        if metric.name in manifest.options.metrics
        and (metric.name in compared_images or f"{metric.name} of {task}" not in manifest.unavailable)
    )
    own = [name for name, version in manifest.options.metrics.items() if is_own_metric(version)]
    metrics += tuple(Metric(name) for name in own)
    there = {metric.name for metric in metrics}
    averages = tuple(average for average in spec.averages if there.intersection(average.of))
    return Columns(metrics, averages, spec.mean_of_cells)


def results_document(summary: Summary, manifest: Manifest) -> bytes:
    """Return the content of results.json: the same bytes whatever the order of the data set."""
    numbers = {**summary.to_json(), "unavailable": dict(sorted(manifest.unavailable.items()))}
    return (json.dumps(numbers, indent=2) + "\n").encode()
