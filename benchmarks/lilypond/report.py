"""What a run found, as one JSON object and as tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.latex.machine import Machine
from benchmarks.latex.summary import Figures, Ratio, over_examples
from benchmarks.lilypond.snippets import Snippets

#: What is claimed: CPU of the plain way over CPU of the service with zygotes, median of the examples, by
#: the variant that draws with Ghostscript and the one that draws with cairo.
BARS = {("reference", "zygote"): 4.0, ("reference", "cairo"): 5.0}
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
        ratios: The first is shown by example; BARS says what is claimed of each.
        throughput: Jobs a second by variant; empty if it was not measured.
        snippets: Real scores; None if none were asked for.
    """

    machine: Machine
    counted: str
    repeat: int
    slots: int
    figures: dict[str, dict[str, Figures]]
    ratios: tuple[Ratio, ...]
    throughput: dict[str, float]
    snippets: Snippets | None

    @property
    def holds(self) -> bool:
        """Whether the claims hold, and every snippet got a verdict."""
        kept = all(one.median >= BARS.get((one.over, one.under), 0.0) for one in self.ratios)
        return kept and (self.snippets is None or not self.snippets.failures)

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints; times are seconds."""
        medians = {name: asdict(over_examples(tasks)) for name, tasks in self.figures.items()}
        bars = {f"{over}/{under}": least for (over, under), least in BARS.items()}
        return {"bars": {**bars, "holds": self.holds}, "medians": medians, **asdict(self)}

    def as_text(self) -> str:
        """Return tables; times are milliseconds of CPU if nothing else is said."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield from self.machine.lines()
        yield f"CPU: {self.counted}; {self.repeat} repetitions, medians; all pictures but cairo's are equal"
        yield ""
        names = list(self.figures)
        claim = self.ratios[0]
        yield _row("CPU ms", [*names, f"{claim.over}/{claim.under}"])
        for task in self.figures[names[0]]:
            over, under = self.figures[claim.over][task].cpu, self.figures[claim.under][task].cpu
            cells = [f"{self.figures[name][task].cpu * _MS:.0f}" for name in names]
            yield _row(task, [*cells, f"{over / under:.1f}"])
        yield ""
        yield from self._medians()
        yield ""
        for one in self.ratios:
            bar = BARS.get((one.over, one.under))
            verdict = f", {'at least' if one.median >= bar else 'BELOW'} {bar:g}" if bar is not None else ""
            spread = f"({one.least:.1f} to {one.greatest:.1f})"
            yield f"CPU of a job, {one.over} / {one.under}: median {one.median:.1f} {spread}{verdict}"
        if self.snippets is not None:
            yield from self._snippets(self.snippets)

    def _medians(self) -> Iterator[str]:
        medians = {name: over_examples(tasks) for name, tasks in self.figures.items()}
        stages = list(dict.fromkeys(stage for one in medians.values() for stage in one.stages))
        yield _row("median of the examples", list(medians))
        yield _row("CPU ms", [_ms(one.cpu) for one in medians.values()])
        for stage in stages:
            yield _row(f"  {stage}", [_ms(one.stages.get(stage, 0.0)) for one in medians.values()])
        yield _row("  server, sandbox, clean-up", [_ms(one.rest_cpu) for one in medians.values()])
        yield _row("spread of CPU", [f"{one.spread:.0%}" for one in medians.values()])
        yield _row("latency ms (clock)", [_ms(one.wall) for one in medians.values()])
        if self.throughput:
            rates = [f"{self.throughput[name]:.2f}" for name in medians]
            yield _row(f"jobs/s, {self.slots} at once (clock)", rates)

    @staticmethod
    def _snippets(snippets: Snippets) -> Iterator[str]:
        verdicts = ", ".join(f"{name} {count}" for name, count in sorted(snippets.verdicts.items()))
        yield f"{snippets.count} real scores: {snippets.rendered:.1%} with a picture; {verdicts}"
        yield (
            f"  without a verdict: {snippets.failures}; CPU ms: median {_ms(snippets.cpu_median)}, "
            f"most {_ms(snippets.cpu_most)}; clock ms: median {_ms(snippets.wall_median)}"
        )


def _ms(seconds: float) -> str:
    return f"{seconds * _MS:.1f}"


def _row(title: str, cells: Sequence[str]) -> str:
    return f"{title:<32}" + "".join(f"{cell:>18}" for cell in cells)
