"""Ask every variant for every document, in turns, so that noise of the machine hits all alike."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PIL import Image, ImageChops

from benchmarks.latex.variants import Answer, Variant, VariantError

#: Called with what is going on, for people.
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Task:
    """A document and the instance that it shows."""

    id: str
    document: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One job of one variant.

    Attributes:
        variant: Name.
        task: Id.
        cpu_seconds: CPU seconds of all its processes together, clean-up after the answer included.
        wall_seconds: Wall time from question to answer, nothing else running in its processes.
        stages: CPU seconds by stage, as the variant counts them.
        runs: How often TeX ran.
    """

    variant: str
    task: str
    cpu_seconds: float
    wall_seconds: float
    stages: dict[str, float]
    runs: int


@dataclass(frozen=True, slots=True)
class Burst:
    """All documents once through one variant, several at once: jobs, seconds on the clock, CPU seconds."""

    variant: str
    jobs: int
    wall_seconds: float
    cpu_seconds: float


async def sample_all(
    variants: Sequence[Variant], tasks: Sequence[Task], repeat: int, say: Say
) -> list[Sample]:
    """Measure every document ``repeat`` times with every variant, one job at a time.

    A round that is not measured comes first; it fills the caches of the machine, and its pictures are
    compared.

    Raises:
        VariantError: A document was not rendered, or two variants drew different pictures.
    """
    samples: list[Sample] = []
    for number in range(repeat + 1):
        for place, task in enumerate(tasks):
            say(f"round {number} of {repeat}: {task.id}")
            answers: dict[str, Answer] = {}
            for variant in _turn(variants, number + place):
                sample, answers[variant.name] = await _one(variant, task)
                if number > 0:
                    samples.append(sample)
            if number == 0:
                _compare(task, {one.name: answers[one.name] for one in variants if one.same_pixels})
    return samples


async def bursts_of_all(
    variants: Sequence[Variant], tasks: Sequence[Task], slots: int, rounds: int, say: Say
) -> list[Burst]:
    """Have every variant do all documents, ``slots`` at once, ``rounds`` times in turns."""
    bursts: list[Burst] = []
    for number in range(rounds):
        for variant in _turn(variants, number):
            say(f"{slots} at once, round {number + 1} of {rounds}: {variant.name}")
            bursts.append(await _burst(variant, tasks, slots))
    return bursts


def _turn(variants: Sequence[Variant], by: int) -> Iterator[Variant]:
    """Yield all of them, each time beginning with another one."""
    for place in range(len(variants)):
        yield variants[(by + place) % len(variants)]


async def _one(variant: Variant, task: Task) -> tuple[Sample, Answer]:
    before = await variant.meter.settled()
    began = time.monotonic()
    answer = await variant.render(task.document)
    wall = time.monotonic() - began
    cpu = await variant.meter.settled() - before
    return Sample(variant.name, task.id, cpu, wall, answer.stages, answer.runs), answer


async def _burst(variant: Variant, tasks: Sequence[Task], slots: int) -> Burst:
    waiting = iter(tasks)

    async def work() -> None:
        for task in waiting:
            await variant.render(task.document)

    before = await variant.meter.settled()
    began = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for _ in range(slots):
            group.create_task(work())
    wall = time.monotonic() - began
    cpu = await variant.meter.settled() - before
    return Burst(variant.name, len(tasks), wall, cpu)


def _compare(task: Task, answers: dict[str, Answer]) -> None:
    pictures = {name: _pixels(answer.png) for name, answer in answers.items()}
    first, *others = pictures
    for other in others:
        a, b = pictures[first], pictures[other]
        if a.size != b.size or ImageChops.difference(a, b).getbbox() is not None:
            raise VariantError(f"{task.id}: the pictures of {first} and {other} differ; times mean nothing")


def _pixels(png: bytes) -> Image.Image:
    with Image.open(io.BytesIO(png)) as picture:
        return picture.convert("RGB")
