"""Ask every contestant for every document, in turns, so that noise of the machine hits all alike."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PIL import Image, ImageChops

from benchmarks.latex.contestants import Answer, Contestant, ContestError

#: Told what is going on, for people.
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Task:
    """A document and the instance that it shows."""

    id: str
    document: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One job of one contestant.

    Attributes:
        contestant: Name.
        task: Id.
        cpu_seconds: Of all its processes together, clean-up after the answer included.
        wall_seconds: From question to answer, nothing else running in its processes.
        stages: CPU seconds by stage, as the contestant counts them.
        runs: How often TeX ran.
    """

    contestant: str
    task: str
    cpu_seconds: float
    wall_seconds: float
    stages: dict[str, float]
    runs: int


@dataclass(frozen=True, slots=True)
class Burst:
    """All documents once through one contestant, several at once: jobs, seconds on the clock, CPU seconds."""

    contestant: str
    jobs: int
    wall_seconds: float
    cpu_seconds: float


async def sample_all(
    contestants: Sequence[Contestant], tasks: Sequence[Task], repeat: int, say: Say
) -> list[Sample]:
    """Measure every document ``repeat`` times with every contestant, one job at a time.

    A round that is not measured comes first; it fills the caches of the machine, and its pictures are
    compared.

    Raises:
        ContestError: A document was not rendered, or two contestants drew different pictures.
    """
    samples: list[Sample] = []
    for number in range(repeat + 1):
        for place, task in enumerate(tasks):
            say(f"round {number} of {repeat}: {task.id}")
            answers: dict[str, Answer] = {}
            for contestant in _turn(contestants, number + place):
                sample, answers[contestant.name] = await _one(contestant, task)
                if number > 0:
                    samples.append(sample)
            if number == 0:
                _compare(task, {one.name: answers[one.name] for one in contestants if one.same_pixels})
    return samples


async def bursts_of_all(
    contestants: Sequence[Contestant], tasks: Sequence[Task], slots: int, rounds: int, say: Say
) -> list[Burst]:
    """Have every contestant do all documents, ``slots`` at once, ``rounds`` times in turns."""
    bursts: list[Burst] = []
    for number in range(rounds):
        for contestant in _turn(contestants, number):
            say(f"{slots} at once, round {number + 1} of {rounds}: {contestant.name}")
            bursts.append(await _burst(contestant, tasks, slots))
    return bursts


def _turn(contestants: Sequence[Contestant], by: int) -> Iterator[Contestant]:
    """Yield all of them, each time beginning with another one."""
    for place in range(len(contestants)):
        yield contestants[(by + place) % len(contestants)]


async def _one(contestant: Contestant, task: Task) -> tuple[Sample, Answer]:
    before = await contestant.meter.settled()
    began = time.monotonic()
    answer = await contestant.render(task.document)
    wall = time.monotonic() - began
    cpu = await contestant.meter.settled() - before
    return Sample(contestant.name, task.id, cpu, wall, answer.stages, answer.runs), answer


async def _burst(contestant: Contestant, tasks: Sequence[Task], slots: int) -> Burst:
    waiting = iter(tasks)

    async def work() -> None:
        for task in waiting:
            await contestant.render(task.document)

    before = await contestant.meter.settled()
    began = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for _ in range(slots):
            group.create_task(work())
    wall = time.monotonic() - began
    cpu = await contestant.meter.settled() - before
    return Burst(contestant.name, len(tasks), wall, cpu)


def _compare(task: Task, answers: dict[str, Answer]) -> None:
    pictures = {name: _pixels(answer.png) for name, answer in answers.items()}
    first, *others = pictures
    for other in others:
        a, b = pictures[first], pictures[other]
        if a.size != b.size or ImageChops.difference(a, b).getbbox() is not None:
            raise ContestError(f"{task.id}: the pictures of {first} and {other} differ; times mean nothing")


def _pixels(png: bytes) -> Image.Image:
    with Image.open(io.BytesIO(png)) as picture:
        return picture.convert("RGB")
