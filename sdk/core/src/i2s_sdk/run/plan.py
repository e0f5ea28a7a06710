"""What a run will do, before anything is started: which instances, which model, which rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version

from i2s_sdk.data import DataSet, Instance, Selection
from i2s_sdk.errors import UsageError
from i2s_sdk.models.model import Model
from i2s_sdk.run.storage.manifest import Options
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.own_prompts import OwnPrompt, read_prompts
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.task import SampledTask, Task
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class ResolvedSelection:
    """What of a data set a run takes, by which rules.

    Attributes:
        profile: Profile whose rules are followed.
        tasks: Tasks of the instances, by name, in the order of the data set.
        data: The data set.
        whole: Its instances that the run has, in all its shards.
        instances: Instances of the run that this shard has.
        selection: Selection that was asked for.
        prompts: Prompts of the user in place of those of the tasks, by the name of the task.
    """

    profile: Profile
    tasks: Mapping[str, Task]
    data: DataSet
    whole: tuple[Instance, ...]
    instances: tuple[Instance, ...]
    selection: Selection
    prompts: Mapping[str, OwnPrompt] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True, slots=True)
class Plan(ResolvedSelection):
    """A run as it was asked for.

    Attributes:
        model: Name of the model whose answers are judged.
        fingerprint: Digest of what else decides its answers.
        asked: SHA-256 of the prompt of each task of a run whose answers are there already; None computes
            them from the prompts.
    """

    model: str
    fingerprint: str
    asked: Mapping[str, str] | None = field(default=None, kw_only=True)

    def options(self, engines: Mapping[str, str], metrics: Mapping[str, str]) -> Options:
        """Return everything that decides the numbers.

        Args:
            engines: Digest of each renderer.
            metrics: Version of each metric.
        """
        chosen = self.selection
        return Options(
            profile=str(self.profile),
            model=self.model,
            model_fingerprint=self.fingerprint,
            data_sha256=self.data.sha256,
            tasks=tuple(self.tasks),
            limit=chosen.limit,
            prompts=self._digests() if self.asked is None else self.asked,
            metrics=dict(metrics),
            engines=dict(engines),
            sdk=version("i2s-sdk"),
            subsets=chosen.subsets,
            difficulties=chosen.difficulties,
            samples=chosen.ids,
            seed=chosen.seed,
            shard=str(chosen.shard or ""),
        )

    def _digests(self) -> dict[str, str]:
        return {name: _digest(task, self.prompts.get(name)) for name, task in self.tasks.items()}


def choose(
    data: DataSet,
    profile: Profile,
    tasks: Sequence[str],
    selection: Selection,
    settings: Settings | None = None,
) -> ResolvedSelection:
    """Return what a run takes.

    Args:
        data: Where the instances are from.
        profile: Profile whose rules are followed.
        tasks: Tasks that are wanted; none means all that the data set has.
        selection: Which instances of these tasks are taken.
        settings: Settings that change what some tasks ask; None takes their defaults.

    Raises:
        SettingsError: A setting of a task has no meaning.
        UnknownNameError: A task, subset or difficulty is unknown.
        UsageError: Nothing is left.
    """
    for task in tasks:
        open_task(task)
    wanted = tuple(one for one in data.instances if not tasks or one.task in tasks)
    if not wanted:
        raise UsageError(f"{data.folder} holds no instance of task {', '.join(tasks)}")
    whole = tuple(replace(selection, shard=None).apply(wanted))
    shard = selection.shard
    mine = whole if shard is None else tuple(one for one in whole if shard.has(one.id))
    names = dict.fromkeys(one.task for one in whole)
    tasks_of_run = {name: open_task(name, profile, settings) for name in names}
    prompts = read_prompts(settings.prompts) if settings is not None and settings.prompts else {}
    return ResolvedSelection(profile, tasks_of_run, data, whole, mine, selection, prompts=prompts)


def plan_run(choice: ResolvedSelection, model: str, fingerprint: str) -> Plan:
    """Return the plan of a run.

    Args:
        choice: What it takes of which data set.
        model: Name of the model.
        fingerprint: Fingerprint of the model.
    """
    return Plan(
        choice.profile,
        choice.tasks,
        choice.data,
        choice.whole,
        choice.instances,
        choice.selection,
        model,
        fingerprint,
        prompts=choice.prompts,
    )


def model_fingerprint(choice: ResolvedSelection, model: Model) -> str:
    """Return the fingerprint of a model in a run.

    If questions have a sampling, it matters whether the user chose the temperature: one that was chosen
    is sent, and the default is replaced by that of the question.

    Args:
        choice: What the run takes.
        model: Model that is asked.
    """
    if any(isinstance(task, SampledTask) for task in choice.tasks.values()):
        return str(getattr(model, "sampling_fingerprint", model.fingerprint))
    return model.fingerprint


def _digest(task: Task, own: OwnPrompt | None = None) -> str:
    """Return what tells the words of a prompt, and the sampling of its task if it has one, from others."""
    asked: object = task.prompt_texts()
    if isinstance(task, SampledTask):
        asked = {"texts": asked, "sampling": asdict(task.sampling)}
    if own is not None:
        asked = {"task": asked, "own": own.identity}
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()
