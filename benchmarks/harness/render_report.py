"""The result of a comparison of renderers, as one JSON object and as tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from benchmarks.harness.command import Result
from benchmarks.harness.machine import Machine
from benchmarks.harness.rendering import Figures, Table, over_documents
from benchmarks.harness.turns import Spread, row

MS = 1000.0
_TITLE = 32


@dataclass(frozen=True, slots=True)
class Ratio:
    """CPU seconds of one variant over those of another: median, least and greatest of the documents."""

    over: str
    under: str
    part: str  #: "job" is all of it, "compile" the engine alone.
    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, figures: Table, over: str, under: str, part: str = "job") -> Ratio:
        """Return how many times less CPU ``under`` uses than ``over``."""
        values = Spread.of(
            _cpu(figures[over][document], part) / _cpu(one, part) for document, one in figures[under].items()
        )
        return cls(over, under, part, values.median, values.least, values.greatest)


def _cpu(figures: Figures, part: str) -> float:
    return figures.cpu if part == "job" else figures.compile_cpu


@dataclass(frozen=True, slots=True)
class RenderReport:
    """Everything that a run measured; the first ratio is shown by document."""

    bars: ClassVar[Mapping[tuple[str, str], float]]  #: Claimed ratios of jobs, by both variants.

    machine: Machine
    counted: str  #: How CPU time was counted.
    repeat: int  #: Repetitions of every job.
    slots: int  #: Jobs at once if throughput was measured.
    figures: Table
    ratios: tuple[Ratio, ...]
    throughput: dict[str, float]  #: Jobs a second by variant; empty if it was not measured.

    @property
    def holds(self) -> bool:
        """Whether the measured ratios reach what is claimed."""
        return all(one.median >= (self.bar(one) or 0.0) for one in self.ratios)

    def result(self) -> Result:
        """Return the document, the tables, and the exit code."""
        return Result(self.as_json(), self.lines(), 0 if self.holds else 1)

    def bar(self, ratio: Ratio) -> float | None:
        """Return what is claimed of a ratio; None for nothing."""
        return self.bars.get((ratio.over, ratio.under)) if ratio.part == "job" else None

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints; times are seconds."""
        medians = {name: asdict(over_documents(own)) for name, own in self.figures.items()}
        return {"medians": medians, **asdict(self)}

    def lines(self) -> Iterator[str]:
        """Yield tables; times are milliseconds of CPU if nothing else is said."""
        yield from self.machine.lines()
        yield f"CPU: {self.counted}; {self.repeat} repetitions, medians; the images are equal"
        yield ""
        yield from self._documents()
        yield ""
        yield from self._medians()
        yield ""
        for one in self.ratios:
            part = "CPU of the job" if one.part == "job" else "CPU of the engine alone"
            bar = self.bar(one)
            claim = "" if bar is None else f", {'at least' if one.median >= bar else 'BELOW'} {bar:g}"
            spread = f"{one.median:.1f} on the median of the examples ({one.least:.1f} to {one.greatest:.1f})"
            yield f"{part}, {one.over} / {one.under}: {spread}{claim}"

    def _documents(self) -> Iterator[str]:
        names, claim = list(self.figures), self.ratios[0]
        ratio = f"{claim.over}/{claim.under}"
        width = 2 + len(ratio)
        yield row("CPU ms", [*names, ratio], _TITLE, width)
        for document in self.figures[names[0]]:
            own = {name: self.figures[name][document].cpu for name in names}
            cells = [f"{seconds * MS:.0f}" for seconds in own.values()]
            yield row(document, [*cells, f"{own[claim.over] / own[claim.under]:.1f}"], _TITLE, width)

    def _medians(self) -> Iterator[str]:
        medians = {name: over_documents(own) for name, own in self.figures.items()}
        known, width = list(medians.values()), 2 + max(map(len, [*medians, " " * 10]))
        rows = [("median of the examples", list(medians)), ("CPU ms", [_ms(one.cpu) for one in known])]
        for stage in dict.fromkeys(stage for one in known for stage in one.stages):
            rows.append((f"  {stage}", [_ms(one.stages.get(stage, 0.0)) for one in known]))
        rows += [
            ("  server, sandbox, clean-up", [_ms(one.rest_cpu) for one in known]),
            ("runs of the engine, at most", [str(one.runs) for one in known]),
            ("spread of CPU", [f"{one.spread:.0%}" for one in known]),
            ("latency ms (clock)", [_ms(one.wall) for one in known]),
        ]
        if self.throughput:
            rates = [f"{self.throughput[name]:.2f}" for name in medians]
            rows.append((f"jobs/s, {self.slots} at once (clock)", rates))
        for title, cells in rows:
            yield row(title, cells, _TITLE, width)


def _ms(seconds: float) -> str:
    return f"{seconds * MS:.1f}"
