"""Samples on their way through stages, many at once and a bounded number in each and between them; progress.

    source ──▶ stage ──▶ queue ──▶ stage ──▶ queue ──▶ stage ──▶ done

A stage that is slow fills the queue before it, and then the stage before it waits. So the memory does not
grow with the number of samples, and no stage waits for another that has work left for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from i2s_sdk.models.model import Model

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Stage(Generic[S]):
    """One stage."""

    #: The function that takes a sample through it.
    work: Callable[[S], Awaitable[S]]
    #: Samples in it at the same time, at least 1.
    jobs: int
    #: Samples that may wait for it, at least 1.
    waiting: int = 1


async def run_pipeline(
    source: Iterable[S], stages: Sequence[Stage[S]], ended: Callable[[S], bool], done: Callable[[S], None]
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
        stages: Sequence[Stage[S]],
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
