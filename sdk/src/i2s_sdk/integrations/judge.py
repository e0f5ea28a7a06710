"""The stages "render" and "score" for single samples: the steps of runs, without a run folder."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from i2s_sdk.errors import I2SError, ProtocolError, ServiceError, UnknownNameError, UsageError
from i2s_sdk.evaluation.picture_limits import picture_limits
from i2s_sdk.evaluation.render import RenderStep
from i2s_sdk.evaluation.run_metrics import run_metrics, split_metrics
from i2s_sdk.evaluation.sample import blank
from i2s_sdk.evaluation.score import ScoreStep
from i2s_sdk.instances.images import MAX_PIXELS
from i2s_sdk.instances.instance import Instance
from i2s_sdk.integrations.requests import RoundTripRequest, RoundTripResult
from i2s_sdk.limits import COMPLETION_CHARACTERS
from i2s_sdk.models.model import Completion
from i2s_sdk.runlog.answer import Answer
from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.record import Failure, Record
from i2s_sdk.stack.services import Services
from i2s_sdk.tasks.spec import AnyTask


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges completions with services at hand.

    Attributes:
        renders: By task.
        scores: By task.
        slots: Of completions that are under way at a time.
        unavailable: Metrics of the tasks that cannot be computed here, and why.
        reference_pixels: The most of a reference that the metric service takes.
        completion_characters: Of a completion; a longer one is not usable.
    """

    renders: Mapping[str, RenderStep[Any]]
    scores: Mapping[str, ScoreStep]
    slots: asyncio.Semaphore
    unavailable: Mapping[str, str]
    reference_pixels: int = MAX_PIXELS
    completion_characters: int = COMPLETION_CHARACTERS

    async def judge(self, request: RoundTripRequest) -> RoundTripResult:
        """Return what becomes of a completion.

        Raises:
            UsageError: Nothing was opened for its task.
            DataError: The reference cannot be read.
            ServiceError: A service does not answer.
            ProtocolError: One answers what it must not.
        """
        instance = request.instance()
        if instance.task not in self.renders:
            raise UsageError(
                f"task {instance.task!r}: the round trip is open for {', '.join(self.renders)}; "
                f"name it in RoundTrip(tasks=…)"
            )
        async with self.slots:
            return await self._judged(request, instance)

    async def _judged(self, request: RoundTripRequest, instance: Instance) -> RoundTripResult:
        content = await asyncio.to_thread(request.content, self.reference_pixels)
        digest = hashlib.sha256(content.reference).hexdigest()
        record = blank(instance, tuple(content.assets), digest)
        answer = Answer.of(instance.id, Completion(request.completion), 0.0, self.completion_characters)
        rendered, png = await self.renders[instance.task].rendered(record, content, answer)
        record = await self.scores[instance.task].scored(rendered, content.reference, png)
        return RoundTripResult(replace(record, completion=answer.completion), png)

    async def judge_many(self, requests: Iterable[RoundTripRequest]) -> list[RoundTripResult]:
        """Return what becomes of completions, in their order; a failure of ours is in its result.

        Raises:
            UsageError: Nothing was opened for a task, or a reference cannot be read.
        """

        async def one(request: RoundTripRequest) -> RoundTripResult:
            try:
                return await self.judge(request)
            except (ServiceError, ProtocolError) as error:
                return RoundTripResult(_failed(request, error))

        first: BaseException | None = None
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(request)) for request in requests]
        except* I2SError as errors:
            first = errors.exceptions[0]  # some versions of Python wrap again what is raised in here
        if first is not None:
            raise first
        return [task.result() for task in tasks]


def _failed(request: RoundTripRequest, error: ServiceError | ProtocolError) -> Record:
    """Return the record of a completion that a service did not judge; which one is in the message."""
    scoring = isinstance(error, ServiceError) and error.method == "Score"
    return replace(
        blank(request.instance()),
        outcome=Outcome.METRIC_FAILURE if scoring else Outcome.RENDER_FAILURE,
        completion=request.completion,
        failure=Failure(type(error).__name__, error.message),
    )


async def open_judge(
    services: Services,
    tasks: Mapping[str, AnyTask],
    metrics: Sequence[str],
    jobs: int,
    completion_characters: int,
) -> Judge:
    """Return the judge that some services make.

    Args:
        services: That the tasks need.
        tasks: By name.
        metrics: That are wanted; none means all that the tasks have and can be computed.
        jobs: The most completions under way; 0 is twice the slots of the renderers.
        completion_characters: Of a completion; a longer one is not usable.

    Raises:
        UnknownNameError: No task has such a metric.
        UsageError: A wanted metric cannot be computed here; says why.
        ServiceError: A service does not answer.
    """
    known = {name for task in tasks.values() for name in (*task.image_metrics, *task.text_metrics)}
    for name in metrics:
        if name not in known:
            raise UnknownNameError("metric", name, known)
    comparer = await services.scorer.describe()
    versions, unavailable = run_metrics(tasks.values(), comparer)
    for name in metrics:
        if name not in versions:
            why = next((text for key, text in unavailable.items() if key.split(" ")[0] == name), "unknown")
            raise UsageError(f"metric {name!r} cannot be computed here: {why}")
    wanted = [name for name in versions if not metrics or name in metrics]
    split = {name: split_metrics(task, wanted) for name, task in tasks.items()}
    engines = {name: await one.describe() for name, one in services.renderers.items()}
    slots = [one.slots for one in engines.values()]
    return Judge(
        {
            name: RenderStep(
                task,
                services.renderers[task.service],
                split[name][1],
                picture_limits(engines[task.service], comparer),
            )
            for name, task in tasks.items()
        },
        {name: ScoreStep(task, services.scorer, *split[name]) for name, task in tasks.items()},
        asyncio.Semaphore(jobs or max(2, 2 * sum(slots))),
        unavailable,
        comparer.max_image_pixels,
        completion_characters,
    )
