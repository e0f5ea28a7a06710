"""The scorers of tasks with the services behind the gateway: opened when they are first needed."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from i2s_client.service_table import DOCUMENTS, METRICS
from i2s_gateway.fair_slots import FairSlots
from i2s_gateway.reward_items import RewardOptions
from i2s_sdk.data import open_data
from i2s_sdk.errors import DataError, UnknownNameError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.steps import scoring_services
from i2s_sdk.run.truths import Truths
from i2s_sdk.scoring.scorer import ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import Services
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import SPECS, open_task
from i2s_sdk.tasks.sobench.spec import SOBENCH
from i2s_sdk.tasks.task import Task
from i2s_training.batch_reward import BatchReward
from i2s_training.completion_scorer import (
    CompletionScorer,
    ServiceDescriptions,
    completion_scorer,
    describe_services,
)
from i2s_training.reward import RoundTripReward
from i2s_training.shared import Shared
from i2s_training.structured_reward import StructuredOutputReward

#: Seconds after which services are asked again what they are: they may have been replaced by others.
_DESCRIBED_SECONDS = 60.0
#: Sets of options, and of metrics of a task, that are kept.
_MOST_KEPT = 64


def services_of(task: Task, metrics: Container[str] = ()) -> tuple[str, ...]:
    """Return the names of the services that a task needs, and those of metrics that are asked for by name."""
    renders = task.rendering.services if task.rendering is not None else ()
    return tuple(sorted({*renders, *scoring_services([task], metrics)}))


@dataclass(frozen=True, slots=True)
class OpenedTask:
    """A task with its scorer."""

    #: Scores completions; its slots bound nothing.
    scorer: CompletionScorer
    #: Slots of the task, which callers take in turn.
    slots: FairSlots

    def for_caller(self, caller: str) -> CompletionScorer:
        """Return the scorer for the completions of a caller."""
        return replace(self.scorer, slots=self.slots.of(caller))


class RewardScorers:
    """Scorers by task and metrics, and the rules of rewards by options.

    Args:
        services: The services behind the gateway.
        settings: Settings of the SDK.
        tasks: Names of the tasks that have rewards; none means all whose services are there.
        data: The data set whose instances can be named; None is the bundled examples.
        jobs: Completions of a task that are under way at a time; 0 is twice the slots of its renderers.

    Raises:
        UnknownNameError: There is no such task.
    """

    def __init__(
        self,
        services: Services,
        settings: Settings,
        tasks: Sequence[str] = (),
        data: str | None = None,
        jobs: int = 0,
    ) -> None:
        self._services, self._settings, self._data, self._jobs = services, settings, data, jobs
        names = tuple(tasks) or tuple(SPECS.usable())
        opened = {name: open_task(name, settings.profile, settings) for name in names}
        here = services.clients
        self.tasks: Mapping[str, Task] = {
            name: task for name, task in opened.items() if tasks or set(services_of(task)) <= set(here)
        }
        limits = ScorerLimits(settings.scorer_cpu_seconds, settings.scorer_memory_bytes)
        self._workers = ScorerWorkers(limits)
        self._described: Shared[ServiceDescriptions] = Shared(_MOST_KEPT)
        self._scorers: OrderedDict[Hashable, OpenedTask] = OrderedDict()
        self._slots: dict[tuple[str, ...], FairSlots] = {}
        self._period, self._truths = -1, Truths(0)
        self._rules: OrderedDict[Hashable, BatchReward] = OrderedDict()

    @cached_property
    def instances(self) -> Mapping[str, Instance]:
        """The instances that can be named, by id."""
        return {
            instance.id: instance
            for instance in open_data(self._data, examples=self._settings.examples).instances
        }

    def instance(self, name: str) -> Instance:
        """Return an instance by its id.

        Raises:
            DataError: The data set holds none, or cannot be read.
        """
        if name not in self.instances:
            raise DataError("the data of the gateway", 0, f"holds no instance {name!r}")
        return self.instances[name]

    def rules(self, tasks: Sequence[str], options: RewardOptions) -> Mapping[str, BatchReward]:
        """Return the rules by which the values of tasks are made.

        Args:
            tasks: Names of all tasks of a batch.
            options: As the caller wants them.

        Raises:
            UsageError: A weight is negative, no task of the batch has a metric of that name, or an option has
                no meaning for a task.
        """
        known = {metric.name for name in tasks for metric in metrics_of(self.tasks[name])}
        for metric in options.metrics:
            if metric not in known:
                raise UnknownNameError("metric", metric, known)
        return {name: self._rule(name, tasks, options) for name in tasks}

    def _rule(self, task: str, tasks: Sequence[str], options: RewardOptions) -> BatchReward:
        structured = task == SOBENCH.name and not options.weights
        named = (task,) if structured else tuple(sorted(tasks))
        key = structured, named, options.key
        return _kept(self._rules, key, lambda: self._new_rule(named, options, structured))

    def _new_rule(self, tasks: Sequence[str], options: RewardOptions, structured: bool) -> BatchReward:
        if structured:
            for name, given in (("failed", options.failed != 0), ("clip", options.clip)):
                if given:
                    raise UsageError(
                        f"{name!r} has no meaning for {SOBENCH.name!r}, whose reward is that of its paper; "
                        "leave it out, give weights, or send other tasks in a batch of their own"
                    )
            return StructuredOutputReward(normalize=options.normalize, settings=self._settings)
        return RoundTripReward(
            weights=options.weights or None,
            failed=options.failed,
            normalize=options.normalize,
            clip=options.clip,
            tasks=tasks,
            settings=self._settings,
        )

    async def opened(self, name: str, metrics: Sequence[str]) -> OpenedTask:
        """Return a task with a scorer of some metrics.

        Args:
            name: Name of the task.
            metrics: Those that it does not have are left out; none means all.

        Raises:
            ServiceError: A service does not answer.
            UsageError: A metric cannot be computed here.
        """
        task = self.tasks[name]
        own = {metric.name for metric in metrics_of(task)}
        wanted = tuple(metric for metric in metrics if metric in own)
        names = services_of(task, wanted)
        services = self._part(names)
        period = int(time.monotonic() / _DESCRIBED_SECONDS)

        async def describe() -> ServiceDescriptions:
            return await describe_services(services)

        described = await self._described.value((names, period), describe)
        number = self._number_of_slots(described)
        slots = self._slots.setdefault(names, FairSlots(number))
        slots.resize(number)

        def make() -> OpenedTask:
            scorer = completion_scorer(
                services,
                described,
                {name: task},
                wanted,
                slots.of(""),
                self._settings.completion_characters,
                self._workers,
                self._truths_of(period),
            )
            return OpenedTask(scorer, slots)

        return _kept(self._scorers, (name, wanted, period), make)

    def _truths_of(self, period: int) -> Truths:
        """Return the ground truths of a period: another one may have another engine."""
        if period != self._period:
            self._period, self._truths = period, Truths(self._settings.truth_characters)
        return self._truths

    def asked(self, name: str, metrics: Container[str]) -> tuple[str, ...]:
        """Return the services of a task and of metrics that are asked for by name.

        Those without which only such a metric cannot be computed are left out if they are not here.
        """
        task, here = self.tasks[name], self._services.clients
        always = services_of(task)
        return tuple(one for one in services_of(task, metrics) if one in always or one in here)

    def _part(self, names: Collection[str]) -> Services:
        """Return some services alone: others may be gone."""
        services = self._services
        return replace(
            services,
            renderers={name: renderer for name, renderer in services.renderers.items() if name in names},
            metrics=services.metrics if METRICS in names else None,
            documents=services.documents if DOCUMENTS in names else None,
        )

    def _number_of_slots(self, described: ServiceDescriptions) -> int:
        return self._jobs or max(2, 2 * (described.slots or os.cpu_count() or 1))

    async def close(self) -> None:
        """End the processes of scorers."""
        await self._workers.close()


V = TypeVar("V")


def _kept(kept: OrderedDict[Hashable, V], key: Hashable, make: Callable[[], V]) -> V:
    """Return the value of a key, made if there is none; the latest used are kept."""
    if key not in kept:
        kept[key] = make()
        if len(kept) > _MOST_KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]
