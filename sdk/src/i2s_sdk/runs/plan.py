"""What a run will do, before anything is started: which instances, which model, which rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from i2s_sdk.data import DataSet, Instance
from i2s_sdk.errors import UsageError
from i2s_sdk.models import Model
from i2s_sdk.profile import Profile
from i2s_sdk.runs.manifest import Options
from i2s_sdk.runs.record import Record
from i2s_sdk.tasks.registry import AnyTask, open_task


@dataclass(frozen=True, slots=True)
class Plan:
    """A run as it was asked for.

    Attributes:
        profile: The rule book.
        tasks: Those of the instances, by name, in the order of the data set.
        model: Whose answers are judged.
        data: The data set.
        instances: Of it, those of the run.
        limit: That was asked for.
    """

    profile: Profile
    tasks: Mapping[str, AnyTask]
    model: Model
    data: DataSet
    instances: tuple[Instance, ...]
    limit: int | None

    def options(self, engines: Mapping[str, str], metrics: Mapping[str, str]) -> Options:
        """Return everything that decides the numbers.

        Args:
            engines: Digest of each renderer.
            metrics: Version of each metric.
        """
        return Options(
            profile=str(self.profile),
            model=self.model.name,
            model_fingerprint=self.model.fingerprint,
            data_sha256=self.data.sha256,
            tasks=tuple(self.tasks),
            limit=self.limit,
            prompts={name: _digest(task) for name, task in self.tasks.items()},
            metrics=dict(metrics),
            engines=dict(engines),
            sdk=version("i2s-sdk"),
        )

    def remaining(self, records: Mapping[str, Record]) -> tuple[Instance, ...]:
        """Return the instances that have no score yet; a failure of ours is tried again."""
        return tuple(
            one for one in self.instances if one.id not in records or not records[one.id].outcome.counts
        )


def plan_run(data: DataSet, model: Model, profile: Profile, tasks: Sequence[str], limit: int | None) -> Plan:
    """Return the plan of a run.

    Args:
        data: Where the instances are from.
        model: Whose answers are judged.
        profile: The rule book.
        tasks: That are wanted; none means all that the data set has.
        limit: The most instances, in the order of the data set.

    Raises:
        UnknownNameError: A task is unknown.
        UsageError: Nothing is left.
    """
    for task in tasks:
        open_task(task)
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: must be at least 1")
    chosen = tuple(one for one in data.instances if not tasks or one.task in tasks)
    if not chosen:
        raise UsageError(f"{data.folder} holds no instance of task {', '.join(tasks)}")
    chosen = chosen[:limit]
    names = dict.fromkeys(one.task for one in chosen)
    return Plan(profile, {name: open_task(name, profile) for name in names}, model, data, chosen, limit)


def _digest(task: AnyTask) -> str:
    """Return what tells the words of a task's prompt from others; those about assets are among them."""
    texts = (*task.prompt().texts, *task.prompt(["NAME"]).texts)
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()
