"""Single completions through the stages render and score: the steps of runs, without a run folder."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import (
    AccessError,
    DataError,
    DeadlineError,
    I2SError,
    ProtocolError,
    ScorerError,
    ServiceError,
    ServiceUnavailableError,
    UnknownNameError,
    UsageError,
)
from i2s_sdk.instances.images import MAX_PIXELS
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.instances.references import checked_reference
from i2s_sdk.models.completion import Finish
from i2s_sdk.models.model import Completion
from i2s_sdk.run.failures import judging
from i2s_sdk.run.generate import answer_of
from i2s_sdk.run.pipeline import instance_facts
from i2s_sdk.run.render import ReadStep, RenderStep
from i2s_sdk.run.score import ScoreStep
from i2s_sdk.run.steps import optional_services, read_steps, run_metrics, score_steps
from i2s_sdk.run.storage.record import (
    Failure,
    Outcome,
    Record,
    SampleAnswer,
    SampleRendering,
    SampleScore,
)
from i2s_sdk.run.truths import Truths
from i2s_sdk.scoring.scorer import ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.settings import COMPLETION_CHARACTERS
from i2s_sdk.stack.services import Services
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import DEFAULT_TASK
from i2s_sdk.tasks.task import Task
from i2s_training.gates import ClosedGate, Judged, closed_gates
from i2s_training.shared import Observed, ObservedRenderer, RenderUsage, Shared, observing
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.rendering import Rendering, Verdict

#: What a completion is judged against: an instance, the path of an image, an encoded image.
Reference = Instance | Path | str | bytes


@dataclass(frozen=True, slots=True)
class RoundTripRequest:
    """A completion and what it is judged against."""

    #: The image that the model was shown: an instance of a data set, the path of an image, or an encoded
    #: image (PNG, JPEG or WebP).
    reference: Reference = field(repr=False)
    #: What the model said, verbatim.
    completion: str
    #: Name of the task; an instance has its own.
    task: str = DEFAULT_TASK
    #: Ground truth of LaTeX code, for the metric ``edit``; of an instance, its own counts.
    structure: str | None = None
    #: Files that the answer may use, by name; of an instance, its own count.
    assets: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    #: Stands in the logs of the services; of an instance, its own counts.
    id: str = ""
    #: Why the completion ends where it does, if that is known: the gate ``cut_off`` looks at it.
    finish: Finish = Finish.OTHER

    @property
    def content_key(self) -> Hashable:
        """Equal for requests that have the same content, as far as this shows without reading it."""
        given = self.reference
        reference = id(given) if isinstance(given, Instance) else given
        assets = tuple(sorted(self.assets.items())) if self.assets else ()
        return type(given), reference, self.structure, assets

    @property
    def key(self) -> Hashable:
        """Equal for requests with the same result."""
        task = self.instance().task
        return task, self.completion, self.finish, self.content_key

    def instance(self) -> Instance:
        """Return the instance, or one that says the same of an image."""
        if isinstance(self.reference, Instance):
            return self.reference
        path = Path("picture") if isinstance(self.reference, bytes) else Path(self.reference)
        return Instance(self.id, self.task, "", path)

    def content(self, most_pixels: int = MAX_PIXELS) -> Content:
        """Return what is compared with.

        Args:
            most_pixels: Width times height that the reference may have.

        Raises:
            DataError: A file cannot be read, or the reference is not an image.
        """
        if isinstance(self.reference, Instance):
            content = read_content(self.reference)
        else:
            content = Content(self._picture(), structure=self.structure, assets=self.assets)
        path = self.instance().image
        if path is not None:
            checked_reference(path, content.reference, most_pixels)
        return content

    def _picture(self) -> bytes:
        if isinstance(self.reference, bytes):
            return self.reference
        path = self.instance().file
        try:
            return path.read_bytes()
        except OSError as error:
            raise DataError(path, 0, f"cannot be read: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class RoundTripResult:
    """The result of a completion."""

    #: All that is known, as a run keeps it.
    record: Record
    #: The rendering; None if there is none.
    png: bytes | None = field(default=None, repr=False)
    #: What tells of an answer that earns without doing the task.
    gates: tuple[ClosedGate, ...] = ()
    #: What its renders used.
    usage: RenderUsage = field(default_factory=RenderUsage)

    @property
    def outcome(self) -> Outcome:
        """How it ended: judged (``outcome.counts``), or stopped by a failure of ours."""
        return self.record.outcome

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the last render; None if nothing was rendered."""
        return self.record.rendering.verdict

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Values by name: 0 if there is no image, None if a metric is not defined for the pair.

        Empty after an infrastructure error, which is not counted as zero.
        """
        return self.record.score.metrics


A = TypeVar("A")


#: Contents, and renderings, that a batch keeps for others with the same reference.
_SHARED = 64


class Batch:
    """Completions that are judged together: they have a deadline, and share what is known of the services.

    If a service did not answer a completion in all the time of its attempts, and no other completion of the
    task since the beginning of that time, it is gone: those under way and all others of the task end with
    the same error, without attempts of their own. The next batch tries again.

    Args:
        seconds: Time for all completions; 0 for no end.
        name: What set the time, for messages.
    """

    def __init__(self, seconds: float, name: str = "batch_seconds") -> None:
        self._seconds, self._name = seconds, name
        self._answered: defaultdict[str, float] = defaultdict(float)
        # What makes the errors: one that is raised again and again keeps the frames of all.
        self._gone: dict[str, Callable[[], I2SError]] = {}
        self._under_way: defaultdict[str, set[asyncio.Task[Any]]] = defaultdict(set)
        #: Contents of references, and answers of renderers, which completions of one reference share.
        self.contents: Shared[tuple[Content, str]] = Shared(_SHARED)
        self.renderings: Shared[Rendering] = Shared(_SHARED)
        self._late: Callable[[], I2SError] | None = None

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Batch]:
        """Let the time begin, and stop it at the end of the block."""
        end = asyncio.get_running_loop().call_later(self._seconds, self._end) if self._seconds else None
        try:
            yield self
        finally:
            if end is not None:
                end.cancel()

    async def judged(self, task: str, work: Coroutine[Any, Any, A]) -> A:
        """Return the result of a completion, whose work ends as soon as the batch or its services do.

        Raises:
            DeadlineError: The time of the batch is over.
            ServiceError: A service is gone.
        """
        if (error := self._error(task)) is not None:
            work.close()
            raise error
        doing = asyncio.create_task(work)
        self._under_way[task].add(doing)
        try:
            return await doing
        except asyncio.CancelledError:
            error, outer = self._error(task), asyncio.current_task()
            if error is None or (outer is not None and outer.cancelling()):
                raise
            raise error from None
        finally:
            self._under_way[task].discard(doing)

    def answered(self, task: str) -> None:
        """Note that the services have answered a completion."""
        self._answered[task] = asyncio.get_running_loop().time()

    def failed(self, task: str, began: float, error: ServiceError) -> None:
        """Note that a service did not answer a completion.

        Args:
            task: Name of its task.
            began: When the services were first asked about it, by the clock of the loop.
            error: How that ended.
        """
        if self._answered[task] >= began or task in self._gone:
            return
        message = f"not judged, as a service is gone: {error.message}"
        self._gone[task] = partial(
            type(error),
            message,
            address=error.address,
            method=error.method,
            status=error.status,
            detail=error.detail,
        )
        self._cancel(task)

    def _error(self, task: str) -> I2SError | None:
        make = self._late or self._gone.get(task)
        return make() if make is not None else None

    def _end(self) -> None:
        self._late = partial(
            DeadlineError,
            f"the batch was not judged within {self._name} ({self._seconds:g} s)",
            address="",
            method="Batch",
            status="DEADLINE_EXCEEDED",
        )
        for task in list(self._under_way):
            self._cancel(task)

    def _cancel(self, task: str) -> None:
        current = asyncio.current_task()
        for doing in self._under_way[task]:
            if doing is not current:
                doing.cancel()


@dataclass(frozen=True, slots=True)
class CompletionScorer:
    """Scores completions with services at hand."""

    #: How completions are read and rendered, by task.
    reads: Mapping[str, ReadStep | I2SError]
    #: How they are scored, by task.
    scores: Mapping[str, ScoreStep]
    #: Bounds the number of completions that are under way at a time.
    slots: AbstractAsyncContextManager[object]
    #: Metrics of the tasks that cannot be computed here, and why.
    unavailable: Mapping[str, str]
    #: Names of the metrics to compute.
    metrics: frozenset[str]
    #: Run the scorers that need limits; whoever opened this closes them.
    workers: ScorerWorkers
    #: The most of a reference that the metric service takes.
    reference_pixels: int = MAX_PIXELS
    #: The most characters of a completion; a longer one is not usable.
    completion_characters: int = COMPLETION_CHARACTERS
    #: Seconds for the completions of one ``score_each``; 0 for no end.
    batch_seconds: float = 0.0

    async def score(self, request: RoundTripRequest, batch: Batch | None = None) -> RoundTripResult:
        """Return what becomes of a completion.

        Args:
            request: The completion.
            batch: The batch that it belongs to; None if it belongs to none.

        Raises:
            UsageError: Nothing was opened for its task.
            DataError: The reference cannot be read.
            ServiceError: A service does not answer.
            ScorerError: A scorer failed.
            ProtocolError: One answers what it must not.
        """
        instance = request.instance()
        if instance.task not in self.reads:
            raise UsageError(
                f"task {instance.task!r}: the round trip is open for {', '.join(self.reads)}; "
                f"name it in RoundTrip(tasks=…)"
            )
        if batch is None:
            batch = Batch(0.0)
        return await batch.judged(instance.task, self._in_turn(request, instance, batch))

    async def _in_turn(self, request: RoundTripRequest, instance: Instance, batch: Batch) -> RoundTripResult:
        clock = asyncio.get_running_loop().time
        came = clock()
        async with self.slots:
            began = clock()
            try:
                with judging(instance.id), observing(batch.renderings) as observed:
                    result = await self._scored(request, instance, batch, observed)
            except (ServiceUnavailableError, DeadlineError) as error:
                batch.failed(instance.task, began, error)
                raise
            if result.verdict is not None or result.record.usable:
                batch.answered(instance.task)
            usage = replace(observed.usage, wall_seconds=clock() - began, queued_seconds=began - came)
            return replace(result, usage=usage)

    async def _scored(
        self, request: RoundTripRequest, instance: Instance, batch: Batch, observed: Observed
    ) -> RoundTripResult:
        async def read() -> tuple[Content, str]:
            return await asyncio.to_thread(_read, request, self.reference_pixels)

        content, digest = await batch.contents.value(request.content_key, read)
        facts = replace(instance_facts(instance), assets=tuple(content.assets), reference_sha256=digest)
        said = Completion(request.completion, request.finish)
        answer = answer_of(said, None, self.completion_characters)
        step = self.reads[instance.task]
        if isinstance(step, I2SError):
            raise step.with_traceback(None)  # it is raised again for each completion
        rendering, png = await step.render(facts, content, answer)
        score = await self.scores[instance.task].score(rendering, instance, content.reference, png)
        values = {name: value for name, value in score.metrics.items() if name in self.metrics}
        told = SampleAnswer(answer.completion, finish=answer.finish)
        record = Record(facts, told, rendering, replace(score, metrics=values))
        drawn = observed.last if rendering.verdict is not None else None
        gates = await asyncio.to_thread(closed_gates, Judged(record, png, content, drawn))
        return RoundTripResult(record, png, gates)

    async def score_each(
        self, requests: Iterable[RoundTripRequest | I2SError]
    ) -> list[RoundTripResult | I2SError]:
        """Return what becomes of completions, in their order, or the error that kept one from a result.

        A completion that is there twice for the same reference is rendered and scored once.

        Args:
            requests: An error among them stands for a request that could not be made, and is returned.

        Raises:
            UsageError: Nothing was opened for a task.
            AccessError: A service refuses all calls of this client.
        """

        async def one(request: RoundTripRequest | I2SError) -> RoundTripResult | I2SError:
            if isinstance(request, I2SError):
                return request
            try:
                return await self.score(request, batch)
            except AccessError:
                raise
            except (DataError, ServiceError, ScorerError, ProtocolError) as error:
                return error

        wanted = list(requests)
        first = first_of_each(wanted)
        async with Batch(self.batch_seconds).open() as batch:
            results = await _gathered(one(wanted[number]) for number in dict.fromkeys(first))
        by_number = dict(zip(dict.fromkeys(first), results, strict=True))
        return [_named(request, by_number[number]) for request, number in zip(wanted, first, strict=True)]

    async def score_many(self, requests: Iterable[RoundTripRequest]) -> list[RoundTripResult]:
        """Return what becomes of completions, in their order; a failure of ours is in its result.

        They are no batch: there may be any number of them, so each has all its time and all its attempts.

        Raises:
            UsageError: Nothing was opened for a task, or a reference cannot be read.
        """

        async def one(request: RoundTripRequest) -> RoundTripResult:
            try:
                return await self.score(request)
            except (ServiceError, ScorerError, ProtocolError) as error:
                return RoundTripResult(_failed(request, error))

        return await _gathered(one(request) for request in requests)


def first_of_each(requests: Sequence[RoundTripRequest | I2SError]) -> list[int]:
    """Return for each request the number of the first one that has the same result."""
    known: dict[Hashable, int] = {}
    return [
        number if isinstance(request, I2SError) else known.setdefault(request.key, number)
        for number, request in enumerate(requests)
    ]


def _named(
    request: RoundTripRequest | I2SError, result: RoundTripResult | I2SError
) -> RoundTripResult | I2SError:
    """Return a result under the name of a request that shares it."""
    if isinstance(request, I2SError) or isinstance(result, I2SError):
        return result
    facts, name = result.record.instance, request.instance().id
    if facts.id == name:
        return result
    return replace(result, record=replace(result.record, instance=replace(facts, id=name)))


def _read(request: RoundTripRequest, most_pixels: int) -> tuple[Content, str]:
    """Return the content of a request and the digest of its reference, empty if there is none."""
    content = request.content(most_pixels)
    return content, hashlib.sha256(content.reference).hexdigest() if content.reference else ""


async def _gathered(works: Iterable[Coroutine[Any, Any, A]]) -> list[A]:
    """Return the results of coroutines in their order; the first error ends all of them.

    Raises:
        I2SError: One raised it.
    """
    first: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except* I2SError as errors:
        first = errors.exceptions[0]  # some versions of Python wrap again what is raised in here
    if first is not None:
        raise first
    return [task.result() for task in tasks]


def _failed(request: RoundTripRequest, error: ServiceError | ScorerError | ProtocolError) -> Record:
    """Return the record of a completion that a service did not score; which one is in the message."""
    scoring = isinstance(error, ScorerError) or (isinstance(error, ServiceError) and error.method == "Score")
    outcome = Outcome.METRIC_FAILURE if scoring else Outcome.RENDER_FAILURE
    failure = Failure.of(error)
    facts, answer = instance_facts(request.instance()), SampleAnswer(request.completion)
    if outcome is Outcome.METRIC_FAILURE:
        return Record(facts, answer, score=SampleScore(outcome, failure))
    return Record(facts, answer, SampleRendering(outcome, failure))


@dataclass(frozen=True, slots=True)
class ServiceDescriptions:
    """What services say of themselves."""

    #: Renderers by name.
    renderers: Mapping[str, RendererDescription]
    #: The metric service; None if no task needs it.
    metrics: MetricsDescription | None

    @property
    def slots(self) -> int:
        """The number of jobs that all renderers run at a time."""
        return sum(renderer.slots for renderer in self.renderers.values())


async def describe_services(services: Services) -> ServiceDescriptions:
    """Return what services say of themselves.

    Raises:
        ServiceError: One does not answer.
    """
    comparer = await services.metrics.describe() if services.metrics is not None else None
    return ServiceDescriptions(
        {name: await renderer.describe() for name, renderer in services.renderers.items()}, comparer
    )


async def open_completion_scorer(
    services: Services,
    tasks: Mapping[str, Task],
    metrics: Sequence[str],
    jobs: int,
    completion_characters: int,
    scorer_limits: ScorerLimits,
    batch_seconds: float,
    truths: Truths,
) -> CompletionScorer:
    """Return the scorer that some services make.

    Args:
        services: Services that the tasks need.
        tasks: Tasks by name.
        metrics: Names of the metrics to compute; none means all that the tasks have and can be computed.
        jobs: The most completions under way; 0 is twice the slots of the renderers.
        completion_characters: The most characters of a completion; a longer one is not usable.
        scorer_limits: Limits of scorers in worker processes.
        batch_seconds: Seconds for the completions of one ``score_each``; 0 for no end.
        truths: Keeps ground truths as they were rendered.

    Raises:
        UnknownNameError: No task has such a metric.
        UsageError: A wanted metric cannot be computed here; says why.
        ServiceError: A service does not answer.
    """
    described = await describe_services(services)
    return completion_scorer(
        services,
        described,
        tasks,
        metrics,
        asyncio.Semaphore(jobs or max(2, 2 * described.slots)),
        completion_characters,
        ScorerWorkers(scorer_limits),
        truths,
        batch_seconds,
    )


def completion_scorer(
    services: Services,
    described: ServiceDescriptions,
    tasks: Mapping[str, Task],
    metrics: Sequence[str],
    slots: AbstractAsyncContextManager[object],
    completion_characters: int,
    workers: ScorerWorkers,
    truths: Truths,
    batch_seconds: float = 0.0,
) -> CompletionScorer:
    """Return the scorer that services make which have been described.

    Args:
        services: Services that the tasks need.
        described: What they say of themselves.
        tasks: Tasks by name.
        metrics: Names of the metrics to compute; none means all that the tasks have and can be computed.
        slots: Bounds the number of completions under way.
        completion_characters: The most characters of a completion; a longer one is not usable.
        workers: Run the scorers that need limits; the caller closes them.
        truths: Keeps ground truths as these services rendered them.
        batch_seconds: Seconds for the completions of one ``score_each``; 0 for no end.

    Raises:
        UnknownNameError: No task has such a metric.
        UsageError: A wanted metric cannot be computed here; says why.
    """
    known = {metric.name for task in tasks.values() for metric in metrics_of(task)}
    for name in metrics:
        if name not in known:
            raise UnknownNameError("metric", name, known)
    comparer, engines = described.metrics, described.renderers
    absent = optional_services(tasks.values()) - services.clients.keys()
    missing = {name: f"the service {name} is not here" for name in absent}
    versions, unavailable = run_metrics(tasks.values(), comparer, missing=missing)
    for name in metrics:
        if name not in versions:
            why = next((text for key, text in unavailable.items() if key.split(" ")[0] == name), "unknown")
            raise UsageError(f"metric {name!r} cannot be computed here: {why}")
    wanted = [name for name in versions if not metrics or name in metrics]
    steps = read_steps(tasks, services, engines, comparer, wanted, truths=truths)
    return CompletionScorer(
        {name: _observed(step) for name, step in steps.items()},
        score_steps(tasks, services, wanted, workers),
        slots,
        unavailable,
        frozenset(wanted),
        workers,
        comparer.max_image_pixels if comparer is not None else MAX_PIXELS,
        completion_characters,
        batch_seconds,
    )


def _observed(step: ReadStep | I2SError) -> ReadStep | I2SError:
    """Return a step whose renders are observed."""
    if not isinstance(step, RenderStep):
        return step
    renderers = {name: ObservedRenderer(name, renderer) for name, renderer in step.renderers.items()}
    return replace(step, renderers=renderers)
