"""Whether the values of several runs can be compared, decided by what the runs hold.

Values of a task are compared over the instances that all runs have scored: those of one id, one reference
image (or data set, in a task without images) and one target. Runs are not ranked in a task if they follow
different profiles, if versions of its main metric or digests of its engines differ, or if they have no
instance in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from i2s_sdk.run.storage.manifest import GroupedSample, RunOptions
from i2s_sdk.run.storage.record import Record, same_targets
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import open_task, task_spec
from i2s_wire.metrics.profile import Profile

#: Characters of a digest that a message shows.
_SHOWN = 8

#: The id of an instance, and what tells it from another one of the same id beside its target: the SHA-256 of
#: its reference, or of its data set.
Identity = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run, as far as it can be compared with others."""

    #: Name of the run among the others.
    label: str
    #: What decides its values.
    options: RunOptions
    #: Its instances.
    planned: Sequence[GroupedSample]
    #: Its samples by instance.
    records: Mapping[str, Record]
    #: Whether its model is the oracle or a baseline, by which others are measured.
    is_reference_point: bool = False

    def scored(self, task: str) -> dict[Identity, Record]:
        """Return the scored samples of a task, by the identity of the instance."""
        return {
            self._identity(record): record
            for record in self.records.values()
            if record.instance.task == task and record.outcome.counts
        }

    def count(self, task: str) -> int:
        """Return how many instances of a task the run has."""
        return sum(grouped_sample.task == task for grouped_sample in self.planned)

    def _identity(self, record: Record) -> Identity:
        if task_spec(record.instance.task).renders and record.instance.reference_sha256:
            return record.instance.id, record.instance.reference_sha256
        return record.instance.id, self.options.data_sha256


@dataclass(frozen=True, slots=True)
class Comparability:
    """How values of a task are compared."""

    #: Ids of the instances that they are compared over; None if each run keeps its own.
    common: frozenset[str] | None = None
    #: Why runs are not ranked in the task, as one sentence; empty if they are.
    refusal: str = ""
    #: What else a reader must know, as sentences.
    notes: tuple[str, ...] = ()


def comparability(runs: Sequence[ComparedRun], task: str) -> Comparability:
    """Return how the values of some runs in a task are compared.

    Args:
        runs: All runs, those without the task among them.
        task: Name of the task.
    """
    there = [run for run in runs if any(grouped_sample.task == task for grouped_sample in run.planned)]
    judged = [run for run in there if not run.is_reference_point] or there
    if len(there) < 2:
        return Comparability()
    notes = tuple(_notes(judged, task))
    refusal = _refusal(judged, task)
    if refusal:
        return Comparability(None, f"{task} is not ranked: {refusal}", notes)
    scored = [run.scored(task) for run in judged]
    common = set(scored[0]).intersection(*scored[1:])
    same = {one for one in common if same_targets(of_run[one] for of_run in scored)}
    ids = frozenset(identity for identity, _ in same)
    others = len(common) - len(same)
    if not ids:
        reason = (
            f"the targets of {_instances(others)} differ" if others else "no instance was scored in all runs"
        )
        return Comparability(None, f"{task} is not ranked: {reason}.", notes)
    if others:
        are = "it is" if others == 1 else "they are"
        left = f"Targets of {_instances(others)} of {task} differ between the runs; {are} left out."
        notes = (left, *notes)
    if any(len(one) > len(ids) for one in scored):
        counts = ", ".join(
            f"{run.label} {len(one)} of {run.count(task)}" for run, one in zip(judged, scored, strict=True)
        )
        notes = (
            f"Values of {task} are over the {len(ids)} instances that all runs scored ({counts}).",
            *notes,
        )
    return Comparability(ids, "", notes)


def _instances(number: int) -> str:
    return f"{number} instance{'s' if number > 1 else ''}"


def same_rules(first: RunOptions, other: RunOptions, task: str) -> bool:
    """Return whether values of a task in two runs follow the same rules."""
    runs = [ComparedRun(name, options, (), {}) for name, options in (("a", first), ("b", other))]
    return not _refusal(runs, task)


def same_version(first: RunOptions, other: RunOptions, metric: str) -> bool:
    """Return whether two runs have a metric in one version; a run that does not have it has any version."""
    versions = {options.metrics.get(metric, "") for options in (first, other)} - {""}
    return len(versions) < 2


def _refusal(runs: Sequence[ComparedRun], task: str) -> str:
    """Return the first reason why values of a task follow different rules; empty if they follow the same."""
    profiles = _groups((run.label, run.options.profile) for run in runs)
    if len(profiles) > 1:
        return f"the runs follow different profiles ({_named(profiles)})."
    for metric in task_spec(task).main_parts:
        versions = _groups((run.label, run.options.metrics.get(metric, "")) for run in runs)
        if len(versions) > 1:
            return f"versions of {metric} differ ({_named(versions)}); score the runs again with one."
    for engine in _engines(runs, task):
        digests = _groups((run.label, run.options.engines.get(engine, "")[:_SHOWN]) for run in runs)
        if len(digests) > 1:
            return f"digests of the engine of {engine} differ ({_named(digests)}); render again with one."
    return ""


def _notes(runs: Sequence[ComparedRun], task: str) -> Iterable[str]:
    prompts = _groups((run.label, run.options.prompts.get(task, "")[:_SHOWN]) for run in runs)
    if len(prompts) > 1:
        yield f"Prompts of {task} differ ({_named(prompts)})."
    others = dict.fromkeys(name for run in runs for name in run.options.metrics)
    for metric in [name for name in others if name not in task_spec(task).main_parts]:
        versions = _groups((run.label, run.options.metrics.get(metric, "")) for run in runs)
        if len(versions) > 1 and metric in _metrics(task):
            yield f"Versions of {metric} differ ({_named(versions)}): its values cannot be compared."


def _metrics(task: str) -> set[str]:
    return {metric.name for metric in metrics_of(open_task(task, Profile.PAPER))}


def _engines(runs: Sequence[ComparedRun], task: str) -> list[str]:
    """Return the names of engines that decide values of a task."""
    rendering = open_task(task, Profile.PAPER).rendering
    if rendering is not None:
        return list(rendering.services)
    names = dict.fromkeys(name for run in runs for name in run.options.engines)
    return [name for name in names if name.startswith("documents ")]


def _groups(values: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the labels that have each value; those that have none are left out."""
    groups: dict[str, list[str]] = {}
    for label, value in values:
        if value:
            groups.setdefault(value, []).append(label)
    return groups


def _named(groups: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{value}: {', '.join(labels)}" for value, labels in groups.items())
