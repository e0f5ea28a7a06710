"""What a run costs: from measured samples to a whole run of the benchmark, and the bars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Instances of the benchmark by task, wild subsets left out: about 300 in each subset, of which LaTeX has
#: four, web pages three, and sheet music one.
INSTANCES: Mapping[str, int] = {"latex": 1200, "webpage": 900, "music": 300}


class MissingTaskError(Exception):
    """A whole run cannot be projected, since no sample of a task was measured; names the tasks."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the samples of one task take together."""

    samples: int  #: How many there are.
    cpu_seconds: Mapping[str, float]  #: CPU seconds of all of them, by stage.
    wall_seconds: float  #: Seconds on the clock for all of them.

    @property
    def cpu(self) -> float:
        """CPU seconds of one sample."""
        return sum(self.cpu_seconds.values()) / self.samples

    @property
    def wall(self) -> float:
        """Seconds on the clock for one sample."""
        return self.wall_seconds / self.samples


Costs = Mapping[str, Cost]


def whole_run(costs: Costs, fixed: float = 0.0) -> float:
    """Return the CPU seconds of a run over all instances of the benchmark.

    Args:
        costs: Cost of the samples that were measured, by task.
        fixed: CPU seconds that a run takes once, such as the start of services.

    Raises:
        MissingTaskError: A task was not measured.
    """
    return fixed + sum(number * costs[task].cpu for task, number in _all_tasks(costs))


def stages_of_whole_run(costs: Costs) -> dict[str, float]:
    """Return the CPU seconds of such a run by stage, without what it takes once.

    Raises:
        MissingTaskError: A task was not measured.
    """
    found: dict[str, float] = {}
    for task, number in _all_tasks(costs):
        cost = costs[task]
        for stage, seconds in cost.cpu_seconds.items():
            found[stage] = found.get(stage, 0.0) + number * seconds / cost.samples
    return found


def throughput(costs: Costs) -> float:
    """Return the samples that are finished in a second, in the mix of tasks of the benchmark.

    Raises:
        MissingTaskError: A task was not measured.
    """
    seconds = sum(number * costs[task].wall for task, number in _all_tasks(costs))
    return sum(INSTANCES.values()) / seconds


def _all_tasks(costs: Costs) -> list[tuple[str, int]]:
    missing = [task for task in INSTANCES if task not in costs]
    if missing:
        raise MissingTaskError(
            f"no sample of {', '.join(missing)} was measured, so a whole run cannot be projected; the data "
            "must hold instances of each task with a ground truth"
        )
    return list(INSTANCES.items())


@dataclass(frozen=True, slots=True)
class Bars:
    """What is required of a run."""

    #: CPU of a whole run by the procedure over that of a second model on known data.
    least_ratio: float = 22.0
    #: Share of a whole run of a second model that is neither engines nor metrics.
    most_overhead: float = 0.15
    least_scaling: float = 1.8  #: Throughput of two workers over that of one.


@dataclass(frozen=True, slots=True)
class Held:
    """A bar and what was measured."""

    name: str  #: Name of the value that is required.
    value: float | None  #: What was measured; None if it could not be measured here.
    bar: float  #: The least or the greatest value that is allowed.
    is_least: bool  #: Whether the bar is the least value.

    @property
    def holds(self) -> bool:
        """Whether the requirement is met; what could not be measured does not meet it."""
        if self.value is None:
            return False
        return self.value >= self.bar if self.is_least else self.value < self.bar


def judge(bars: Bars, ratio: float, overhead: float, scaling: float | None) -> tuple[Held, ...]:
    """Return each bar with what was measured.

    Args:
        bars: The requirements.
        ratio: See ``Bars.least_ratio``.
        overhead: See ``Bars.most_overhead``.
        scaling: See ``Bars.least_scaling``; None if the machine has one processor only.
    """
    return (
        Held("CPU of the procedure / of a second model", ratio, bars.least_ratio, is_least=True),
        Held("own overhead, share of a run", overhead, bars.most_overhead, is_least=False),
        Held("throughput of two workers / of one", scaling, bars.least_scaling, is_least=True),
    )
