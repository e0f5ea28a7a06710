"""What a run will do, before anything is started: which instances, which model, which rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from i2s_sdk.data import DataSet, Instance
from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.models import Model
from i2s_sdk.runs.manifest import Options
from i2s_sdk.runs.record import Record
from i2s_sdk.tasks.latex import LatexTask

#: Tasks that this version can evaluate.
RUNNABLE = ("latex",)


@dataclass(frozen=True, slots=True)
class Plan:
    """A run as it was asked for.

    Attributes:
        task: With its profile.
        model: Whose answers are judged.
        data: The data set.
        instances: Of it, those of the run.
        limit: That was asked for.
    """

    task: LatexTask
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
        prompt = json.dumps(self.task.prompt().texts).encode()
        return Options(
            profile=str(self.task.profile),
            model=self.model.name,
            model_fingerprint=self.model.fingerprint,
            data_sha256=self.data.sha256,
            tasks=tuple(dict.fromkeys(one.task for one in self.instances)),
            limit=self.limit,
            prompts={self.task.name: hashlib.sha256(prompt).hexdigest()},
            metrics=dict(metrics),
            engines=dict(engines),
            sdk=version("i2s-sdk"),
        )

    def remaining(self, records: Mapping[str, Record]) -> tuple[Instance, ...]:
        """Return the instances that have no score yet; a failure of ours is tried again."""
        return tuple(
            one for one in self.instances if one.id not in records or not records[one.id].outcome.counts
        )


def choose(data: DataSet, tasks: Sequence[str], limit: int | None) -> tuple[Instance, ...]:
    """Return the instances of a run.

    Args:
        data: Where they are from.
        tasks: That are wanted; none means all.
        limit: The most instances, in the order of the data set.

    Raises:
        UnknownNameError: A task is unknown.
        UsageError: Nothing is left, or something that this version cannot evaluate.
    """
    for task in tasks:
        if task not in RUNNABLE:
            raise UnknownNameError("task that this version can evaluate", task, RUNNABLE)
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: must be at least 1")
    chosen = tuple(one for one in data.instances if not tasks or one.task in tasks)
    others = sorted({one.task for one in chosen} - set(RUNNABLE))
    if others:
        raise UsageError(
            f"{data.folder} holds instances of task {others[0]!r}, which this version cannot evaluate; "
            f"choose with --task {RUNNABLE[0]}"
        )
    if not chosen:
        raise UsageError(f"{data.folder} holds no instance of task {', '.join(tasks)}")
    return chosen[:limit]
