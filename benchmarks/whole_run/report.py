"""The costs of a whole run of the benchmark, projected from measured samples, the bars, and the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.harness.command import MeasurementError, Result

#: Instances of the benchmark by task, wild subsets left out: about 300 in each subset, of which LaTeX has
#: four, web pages three, and sheet music one.
INSTANCES: Mapping[str, int] = {"latex": 1200, "webpage": 900, "music": 300}
FIRST, SECOND, HELM = "first model", "second model", "second model, profile helm"


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
        MeasurementError: A task was not measured.
    """
    return fixed + sum(number * costs[task].cpu for task, number in _all_tasks(costs))


def stages_of_whole_run(costs: Costs) -> dict[str, float]:
    """Return the CPU seconds of such a run by stage, without what it takes once.

    Raises:
        MeasurementError: A task was not measured.
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
        MeasurementError: A task was not measured.
    """
    seconds = sum(number * costs[task].wall for task, number in _all_tasks(costs))
    return sum(INSTANCES.values()) / seconds


def _all_tasks(costs: Costs) -> list[tuple[str, int]]:
    missing = [task for task in INSTANCES if task not in costs]
    if missing:
        raise MeasurementError(
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


@dataclass(frozen=True, slots=True)
class Way:
    """One way of evaluating the samples."""

    costs: Costs  #: Costs by task.
    fixed: float = 0.0  #: CPU seconds that a run takes once, such as the start of services.

    @property
    def cpu(self) -> float:
        """CPU seconds of a whole run of the benchmark."""
        return whole_run(self.costs, self.fixed)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the comparison found."""

    machine: Mapping[str, str]  #: Facts about the machine and the data, by name.
    samples: Mapping[str, int]  #: Samples by task.
    procedure: Way  #: The reference-style procedure, one sample at a time.
    one: Mapping[str, Way]  #: This project with one worker on one processor, by model.
    #: The same with two workers on two processors; empty if there is one processor only.
    two: Mapping[str, Way]
    floor: Mapping[str, Costs]  #: Engines and metrics alone, by model, of the runs in ``one``.
    #: Seconds from the document of a sample to its scores, one sample at a time, by task.
    latency: Mapping[str, float]
    helm: Way  #: The second model in profile ``helm``, whose values are compared with those of the procedure.
    #: Mean differences of the web pages of both ways, in levels of 255, by sample.
    page_differences: Mapping[str, float | None]
    faults: Sequence[str]  #: What must be equal and is not.
    bars: Bars  #: The values that are required.

    def ratio(self, way: Way) -> float:
        """Return how many times less CPU a whole run takes than by the procedure."""
        return self.procedure.cpu / way.cpu

    def overhead(self, model: str) -> float:
        """Return the share of a whole run of a model that is neither engines nor metrics."""
        return 1 - whole_run(self.floor[model]) / self.one[model].cpu

    def scaling(self) -> float | None:
        """Return the throughput of two workers over that of one, first model; None if it was not measured."""
        if not self.two:
            return None
        return throughput(self.two[FIRST].costs) / throughput(self.one[FIRST].costs)

    @property
    def held(self) -> tuple[Held, ...]:
        """The bars with what was measured."""
        return judge(self.bars, self.ratio(self.one[SECOND]), self.overhead(SECOND), self.scaling())

    @property
    def code(self) -> int:
        """The exit code: 2 if values differ, 1 if a bar is missed, else 0."""
        return 2 if self.faults else 0 if all(one.holds for one in self.held) else 1

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints; times are seconds."""
        models = self.one
        return {
            "exit_code": self.code,
            "bars": [{**asdict(one), "holds": one.holds} for one in self.held],
            "whole_run_cpu_seconds": {
                "procedure": self.procedure.cpu,
                **{model: way.cpu for model, way in models.items()},
                HELM: self.helm.cpu,
            },
            "ratios": {
                **{model: self.ratio(way) for model, way in models.items()},
                HELM: self.ratio(self.helm),
            },
            "overhead": {model: self.overhead(model) for model in models},
            "stages_of_whole_run": {
                "procedure": stages_of_whole_run(self.procedure.costs),
                **{model: stages_of_whole_run(way.costs) for model, way in models.items()},
            },
            **asdict(self),
        }

    def result(self) -> Result:
        """Return the document, the tables, and the exit code."""
        return Result(self.as_json(), self.lines(), self.code)

    def lines(self) -> Iterator[str]:
        """Yield the tables in Markdown."""
        yield from (f"{name}: {value}  " for name, value in self.machine.items())
        yield ""
        yield from self._ratios()
        yield ""
        yield from self._stages()
        yield ""
        for one in self.held:
            value = "not measured: one processor" if one.value is None else f"{one.value:.3g}"
            wanted = f"at least {one.bar:g}" if one.is_least else f"below {one.bar:g}"
            yield f"- {one.name}: {value} ({wanted}: {'holds' if one.holds else 'MISSED'})"
        yield from (f"- DIFFERENT: {fault}" for fault in self.faults)

    def _ratios(self) -> Iterator[str]:
        first, second = self.one[FIRST], self.one[SECOND]
        total = sum(INSTANCES.values())
        yield f"| | procedure | {FIRST} | {SECOND} | procedure / second |"
        yield "|---|---|---|---|---|"
        for task, number in self.samples.items():
            cells = [way.costs[task].cpu for way in (self.procedure, first, second)]
            yield _row(f"CPU s a sample, {task} ({number})", [f"{cell:.2f}" for cell in cells], cells)
        cells = [way.cpu / 60 for way in (self.procedure, first, second)]
        yield _row(f"**CPU minutes of {total:,} instances**", [f"**{cell:.0f}**" for cell in cells], cells)
        helm = self.helm.cpu / 60
        yield _row("… both by profile helm", [f"{cells[0]:.0f}", "", f"{helm:.1f}"], [cells[0], helm])
        for task in self.samples:
            plain, own = self.procedure.costs[task].wall, self.latency[task]
            yield _row(f"latency s, {task}", [f"{plain:.2f}", "", f"{own:.2f}"], [plain, own])
        yield from self._throughputs()
        for model in (FIRST, SECOND):
            floor = whole_run(self.floor[model]) / 60
            share = f"{self.overhead(model):.0%} of a run"
            empty = ["", f"{floor:.1f}", ""] if model == FIRST else ["", "", f"{floor:.1f}"]
            yield f"| floor, CPU minutes, {model} | {' | '.join(empty)} | overhead {share} |"

    def _throughputs(self) -> Iterator[str]:
        plain = throughput(self.procedure.costs)
        for title, ways in (("one worker", self.one), ("two workers", self.two)):
            if ways:
                first, second = (throughput(ways[model].costs) for model in (FIRST, SECOND))
                cells = [f"{one:.2f}" for one in (plain, first, second)]
                yield _row(f"samples a second, {title}", cells, [second, plain])

    def _stages(self) -> Iterator[str]:
        yield "| CPU minutes of a whole run, by stage | procedure | first model | second model |"
        yield "|---|---|---|---|"
        columns = [stages_of_whole_run(self.procedure.costs)]
        columns += [stages_of_whole_run(self.one[model].costs) for model in (FIRST, SECOND)]
        names = list(dict.fromkeys(name for column in columns for name in column))
        fixed = [self.procedure.fixed, self.one[FIRST].fixed, self.one[SECOND].fixed]
        for name in names:
            cells = [f"{column[name] / 60:.2f}" if name in column else "" for column in columns]
            yield f"| {name} | {' | '.join(cells)} |"
        yield f"| starts, numbers, report | {' | '.join(f'{one / 60:.2f}' for one in fixed)} |"


def _row(title: str, cells: Sequence[str], compared: Sequence[float]) -> str:
    """Return a row whose last cell is the first of the compared numbers over the last."""
    return f"| {title} | {' | '.join(cells)} | {compared[0] / compared[-1]:.1f} |"
