"""Makes figures of samples: medians over repetitions, ratios for each example, medians over examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.latex.measure import Burst, Sample

#: What is claimed: CPU per job without a format, over CPU per job with one.
BAR = 6.0


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians over the repetitions of one variant, in seconds.

    Attributes:
        cpu: CPU seconds of all processes.
        compile_cpu: CPU seconds of all runs of TeX together, as the variant counts them.
        rest_cpu: What is in no stage: server, sandbox, clean-up.
        wall: Latency.
        spread: (greatest - least) / median of ``cpu``.
        stages: CPU seconds by stage.
        runs: Number of runs of TeX.
    """

    cpu: float
    compile_cpu: float
    rest_cpu: float
    wall: float
    spread: float
    stages: dict[str, float]
    runs: int


@dataclass(frozen=True, slots=True)
class Ratio:
    """CPU seconds of one variant over those of another: median, least and greatest of the examples."""

    over: str
    under: str
    part: str
    median: float
    least: float
    greatest: float


@dataclass(frozen=True, slots=True)
class SandboxCost:
    """What the sandbox adds to a job: median over the examples, in seconds of CPU and as a share."""

    variant: str
    seconds: float
    share: float


def figures_of(names: Iterable[str], samples: Iterable[Sample]) -> dict[str, dict[str, Figures]]:
    """Return the figures by variant, in the order of ``names``, and task."""
    groups: dict[str, dict[str, list[Sample]]] = {name: {} for name in names}
    for sample in samples:
        groups[sample.variant].setdefault(sample.task, []).append(sample)
    return {name: {task: _figures(ones) for task, ones in tasks.items()} for name, tasks in groups.items()}


def _figures(samples: Sequence[Sample]) -> Figures:
    cpu = [sample.cpu_seconds for sample in samples]
    names = dict.fromkeys(name for sample in samples for name in sample.stages)
    stages = {name: median(sample.stages.get(name, 0.0) for sample in samples) for name in names}
    middle = median(cpu)
    return Figures(
        cpu=middle,
        compile_cpu=stages.get("compile", 0.0),
        rest_cpu=median(sample.cpu_seconds - sum(sample.stages.values()) for sample in samples),
        wall=median(sample.wall_seconds for sample in samples),
        spread=(max(cpu) - min(cpu)) / middle,
        stages=stages,
        runs=max(sample.runs for sample in samples),
    )


def over_examples(tasks: dict[str, Figures]) -> Figures:
    """Return the median example, each figure for itself."""
    ones = list(tasks.values())
    names = dict.fromkeys(name for one in ones for name in one.stages)
    return Figures(
        cpu=median(one.cpu for one in ones),
        compile_cpu=median(one.compile_cpu for one in ones),
        rest_cpu=median(one.rest_cpu for one in ones),
        wall=median(one.wall for one in ones),
        spread=median(one.spread for one in ones),
        stages={name: median(one.stages.get(name, 0.0) for one in ones) for name in names},
        runs=max(one.runs for one in ones),
    )


def ratio(figures: dict[str, dict[str, Figures]], over: str, under: str, part: str = "job") -> Ratio:
    """Return how many times less CPU ``under`` uses than ``over``: ``part`` "job" is all, "compile" TeX."""
    value: Callable[[Figures], float] = (
        (lambda one: one.cpu) if part == "job" else (lambda one: one.compile_cpu)
    )
    ratios = [value(figures[over][task]) / value(figures[under][task]) for task in figures[under]]
    return Ratio(over, under, part, median(ratios), min(ratios), max(ratios))


def sandbox_cost(figures: dict[str, dict[str, Figures]], variant: str, bare: str) -> SandboxCost:
    """Return what the sandbox of a variant costs beside one that has none."""
    pairs = [(figures[variant][task].cpu, one.cpu) for task, one in figures[bare].items()]
    seconds = median(isolated - plain for isolated, plain in pairs)
    return SandboxCost(variant, seconds, median(isolated / plain - 1 for isolated, plain in pairs))


def throughput_of(bursts: Iterable[Burst]) -> dict[str, float]:
    """Return jobs a second by variant, median over the bursts."""
    rates: dict[str, list[float]] = {}
    for burst in bursts:
        rates.setdefault(burst.variant, []).append(burst.jobs / burst.wall_seconds)
    return {name: median(ones) for name, ones in rates.items()}
