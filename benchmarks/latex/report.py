"""What a run found, as one JSON object and as tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.latex.machine import Machine
from benchmarks.latex.summary import BAR, Figures, Ratio, SandboxCost, over_examples

_MS = 1000.0


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a run found.

    Attributes:
        machine: Machine that it was measured on.
        counted: How CPU time was counted.
        repeat: Repetitions of every job.
        slots: Jobs at once if throughput was measured.
        figures: Figures by variant and example.
        ratios: The first is the claim.
        sandbox: Cost of the sandbox of each tier.
        throughput: Jobs a second by variant; empty if it was not measured.
    """

    machine: Machine
    counted: str
    repeat: int
    slots: int
    figures: dict[str, dict[str, Figures]]
    ratios: tuple[Ratio, ...]
    sandbox: tuple[SandboxCost, ...]
    throughput: dict[str, float]

    @property
    def holds(self) -> bool:
        """Whether the measured ratio reaches the target."""
        return self.ratios[0].median >= BAR

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints; times are seconds."""
        medians = {name: asdict(over_examples(tasks)) for name, tasks in self.figures.items()}
        return {"bar": {"least": BAR, "holds": self.holds}, "medians": medians, **asdict(self)}

    def as_text(self) -> str:
        """Return tables; times are milliseconds of CPU if nothing else is said."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield from self.machine.lines()
        yield f"CPU: {self.counted}; {self.repeat} repetitions, medians; the pictures of all are equal"
        yield ""
        yield from self._examples()
        yield ""
        yield from self._medians()
        yield ""
        for one in self.ratios:
            what = "CPU of the job" if one.part == "job" else "CPU of TeX alone"
            kept = "at least" if one.median >= BAR else "BELOW"
            yield (
                f"{what}, {one.over} / {one.under}: {one.median:.1f} on the median of the examples "
                f"({one.least:.1f} to {one.greatest:.1f}), {kept} {BAR:g}"
            )
        for cost in self.sandbox:
            yield f"sandbox, {cost.variant}: {cost.seconds * _MS:.1f} ms a job, {cost.share:.0%}"

    def _examples(self) -> Iterator[str]:
        names = list(self.figures)
        claim = self.ratios[0]
        yield _row("CPU ms", [*names, f"{claim.over}/{claim.under}", "TeX alone"])
        for task in self.figures[names[0]]:
            over, under = self.figures[claim.over][task], self.figures[claim.under][task]
            cells = [f"{self.figures[name][task].cpu * _MS:.0f}" for name in names]
            ratios = [over.cpu / under.cpu, over.compile_cpu / under.compile_cpu]
            yield _row(task, [*cells, *(f"{one:.1f}" for one in ratios)])

    def _medians(self) -> Iterator[str]:
        medians = {name: over_examples(tasks) for name, tasks in self.figures.items()}
        stages = list(dict.fromkeys(stage for one in medians.values() for stage in one.stages))
        yield _row("median of the examples", list(medians))
        yield _row("CPU ms", [_ms(one.cpu) for one in medians.values()])
        for stage in stages:
            yield _row(f"  {stage}", [_ms(one.stages.get(stage, 0.0)) for one in medians.values()])
        yield _row("  server, sandbox, clean-up", [_ms(one.rest_cpu) for one in medians.values()])
        yield _row("runs of TeX, at most", [str(one.runs) for one in medians.values()])
        yield _row("spread of CPU", [f"{one.spread:.0%}" for one in medians.values()])
        yield _row("latency ms (clock)", [_ms(one.wall) for one in medians.values()])
        if self.throughput:
            rates = [f"{self.throughput[name]:.2f}" for name in medians]
            yield _row(f"jobs/s, {self.slots} at once (clock)", rates)


def _ms(seconds: float) -> str:
    return f"{seconds * _MS:.1f}"


def _row(title: str, cells: Sequence[str]) -> str:
    return f"{title:<32}" + "".join(f"{cell:>12}" for cell in cells)
