"""Samples on their way through stages, many at once and a bounded number in each and between them; progress.

    source ──▶ stage ──▶ queue ──▶ stage ──▶ queue ──▶ stage ──▶ done

A stage that is slow fills the queue before it, and then the stage before it waits. So the memory does not
grow with the number of samples, and no stage waits for another that has work left for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Generic, TypeVar

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.models.model import Model
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.record import (
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
    SampleTurn,
)
from i2s_wire.tracing import AttributeValue, Span, begin_trace, current_span, span, within

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class PipelineStage(Generic[S]):
    """One stage."""

    #: The function that takes a sample through it.
    work: Callable[[S], Awaitable[S]]
    #: Samples in it at the same time, at least 1.
    jobs: int
    #: Samples that may wait for it, at least 1.
    waiting: int = 1


async def run_pipeline(
    source: Iterable[S],
    stages: Sequence[PipelineStage[S]],
    ended: Callable[[S], bool],
    done: Callable[[S], None],
) -> None:
    """Take samples through stages, and hand each to ``done`` as soon as it has ended or is through.

    What is under way when this is cancelled, or when something is raised, is given up.

    Args:
        source: Source that is asked for the next sample when the first stage has room.
        stages: Stages in order, at least one.
        ended: Whether a sample skips the stages that follow.
        done: Called once for each sample.

    Raises:
        Exception: What a stage, the source or ``done`` raised first.
    """
    queues = _StageQueues(iter(source), stages, ended, done)
    workers = [
        asyncio.create_task(queues.work(number))
        for number, stage in enumerate(stages)
        for _ in range(stage.jobs)
    ]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            if not worker.cancelling():  # a second time would interrupt what it still has to end
                worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


class _StageQueues(Generic[S]):
    """Queues between stages; None in a queue says that nothing follows."""

    def __init__(
        self,
        source: Iterator[S],
        stages: Sequence[PipelineStage[S]],
        ended: Callable[[S], bool],
        done: Callable[[S], None],
    ) -> None:
        self._source, self._stages, self._ended, self._done = source, stages, ended, done
        self._queues = [asyncio.Queue[S | None](stage.waiting) for stage in stages]
        self._working = [stage.jobs for stage in stages]

    async def work(self, number: int) -> None:
        """Be one worker of a stage until nothing is left for it."""
        stage, last = self._stages[number], number + 1 == len(self._stages)
        while (sample := await self._next(number)) is not None:
            sample = await stage.work(sample)
            if last or self._ended(sample):
                self._done(sample)
            else:
                await self._queues[number + 1].put(sample)
        self._working[number] -= 1
        if not last and not self._working[number]:
            await self._queues[number + 1].put(None)

    async def _next(self, number: int) -> S | None:
        if number == 0:
            return next(self._source, None)
        sample = await self._queues[number].get()
        if sample is None:  # for the other workers of this stage; there is room, since nothing follows
            self._queues[number].put_nowait(None)
        return sample


@dataclass(frozen=True, slots=True)
class Progress:
    """Samples of a run by how far they are, those of earlier starts among them."""

    #: Instances of the run.
    planned: int
    #: Samples that have an answer.
    generated: int
    #: Samples that were rendered, or have nothing to render.
    rendered: int
    #: Samples that have ended.
    finished: int
    #: US dollars that are known to have been paid for answers.
    paid: float = 0.0
    #: Id of the sample that went on; empty at the beginning.
    last: str = ""
    #: What is evaluated: the name of the model.
    run: str = ""
    #: What the model waits for, such as batches; empty for nothing.
    note: str = ""
    #: Whether the run measures a reference point, which the command was not asked for by name.
    reference: bool = False
    #: How far the turn after the first answers is that is under way, as "turn 2: 1 of 3"; empty for none.
    turn: str = ""


#: Called at the beginning of the work, and each time that a sample went through a stage.
OnProgress = Callable[[Progress], None]


@contextmanager
def noted_waits(model: Model | None, listener: Callable[[str], None]) -> Iterator[None]:
    """Have a model say what it waits for, as long as the block lasts; see ``Model.on_wait``."""
    if model is None:
        yield
        return
    before = model.on_wait
    model.on_wait = listener
    try:
        yield
    finally:
        model.on_wait = before


def say_nothing(progress: Progress) -> None:
    """Be called, and do nothing."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample between two stages: an instance, and the parts of its record that were written so far."""

    instance: Instance
    #: None if the stage "generate" is not through, or an earlier start did it.
    answer: SampleAnswer | None = None
    #: The instance as the record has it, with digests of what it is compared with; None if nothing was read.
    facts: SampleInstance | None = None
    #: None if the stage "render" is not through, or an earlier start did it.
    rendering: SampleRendering | None = None
    #: The whole record, once the sample has ended.
    record: Record | None = None
    #: The reference image, encoded; None if it was not read yet.
    reference: bytes | None = field(default=None, repr=False)
    #: The image that was rendered, encoded; None if there is none, or an earlier start made it.
    image: bytes | None = field(default=None, repr=False)
    #: Which answer of the conversation it is, from 1.
    turn: int = 1

    @property
    def ended(self) -> bool:
        """Whether nothing is left to do."""
        return self.record is not None

    def ended_as(
        self,
        facts: SampleInstance,
        rendering: SampleRendering | None = None,
        score: SampleScore | None = None,
    ) -> Sample:
        """Return the sample with its record, composed of its answer and of these parts."""
        answer = self.answer or SampleAnswer()
        record = Record(
            facts, answer, rendering or SampleRendering(), score or SampleScore(), SampleTurn(self.turn)
        )
        return replace(self, record=record)


def instance_facts(instance: Instance, content: Content | None = None, reference: str = "") -> SampleInstance:
    """Return an instance as the record of its sample has it.

    Args:
        instance: The instance.
        content: Its content; None if nothing was read.
        reference: Digest of the reference image; empty if there is none.
    """
    return SampleInstance(
        id=instance.id,
        task=instance.task,
        subset=instance.subset,
        difficulty=instance.difficulty,
        assets=() if content is None else tuple(content.assets),
        reference_sha256=reference,
        target_sha256="" if content is None else content.target_sha256,
    )


def stored_facts(folder: RunFolder, instance: Instance, content: Content) -> SampleInstance:
    """Store the reference image of a sample in its run, and return the instance as its record has it."""
    reference = folder.put_image(content.reference) if content.reference else ""
    return instance_facts(instance, content, reference)


class Watch:
    """Seconds on the clock since it was made."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the watch was made."""
        return round(time.monotonic() - self._began, 4)


#: Name of the span that all others of a sample are below.
ROOT = "sample"


class SampleTraces:
    """The traces of the samples that are on their way; nothing unless traces are recorded.

    Args:
        run: Path or URL of the run folder; traces have its name alone.
        model: Name of the model.
        profile: Rules of the run.
    """

    def __init__(self, run: object, model: str, profile: str) -> None:
        self._about = {"i2s.run": PurePath(str(run)).name, "i2s.model": model, "i2s.profile": profile}
        self._open: dict[str, Span] = {}

    def traced(self, name: str, stage: PipelineStage[Sample]) -> PipelineStage[Sample]:
        """Return a stage whose work on a sample is a span of the sample's trace.

        Args:
            name: Name of the span.
            stage: The stage.
        """

        async def work(sample: Sample) -> Sample:
            with within(self._root(sample)), span(name):
                sample = await stage.work(sample)
                current_span().set(_attributes(sample))
            return sample

        return PipelineStage(work, stage.jobs, stage.waiting)

    def ended(self, sample: Sample) -> None:
        """End the trace of a sample that is through all stages, or was stopped."""
        root = self._open.pop(sample.instance.id, None)
        if root is None:
            return
        root.set(_attributes(sample))
        record = sample.record
        if record is not None and not record.outcome.counts:
            root.fail(record.failure.kind if record.failure is not None else str(record.outcome))
        root.end()

    def close(self) -> None:
        """End the traces of samples that are given up."""
        while self._open:
            _, root = self._open.popitem()
            root.fail("given up")
            root.end()

    def _root(self, sample: Sample) -> Span:
        instance = sample.instance
        if instance.id not in self._open:
            about = {"i2s.sample.id": instance.id, "i2s.task": instance.task, "i2s.subset": instance.subset}
            self._open[instance.id] = begin_trace(ROOT, {**about, **self._about})
        return self._open[instance.id]


def _attributes(sample: Sample) -> dict[str, AttributeValue | None]:
    """Return what is known of a sample now: names, digests and verdicts, nothing that a model has said."""
    record = sample.record
    rendering = record.rendering if record is not None else sample.rendering
    if rendering is None:
        return {}
    known: dict[str, AttributeValue | None] = {
        "i2s.verdict": rendering.verdict.name.lower() if rendering.verdict is not None else None,
        "i2s.engine.digest": rendering.engine_digest,
        "i2s.repairs": len(rendering.repairs) or None,
    }
    if record is not None:
        known |= {"i2s.outcome": str(record.outcome), "i2s.usable": record.usable}
    return known
