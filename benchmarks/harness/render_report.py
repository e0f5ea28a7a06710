"""The result of a comparison of renderers, as one JSON object and as tables for people."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from benchmarks.harness.machine import Machine, look
from benchmarks.harness.rendering import (
    Figures,
    Running,
    Table,
    Variant,
    measure,
    over_documents,
    throughput,
)
from benchmarks.harness.turns import Spread, row

MS = 1000.0
_TITLE = 32

#: Claimed ratios of jobs, by both variants.
Bars: TypeAlias = Mapping[tuple[str, str], float]


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
    def of(cls, figures: Table, over: str, under: str, part: str) -> Ratio:
        """Return how many times less CPU ``under`` uses than ``over``."""
        values = Spread.of(
            _cpu(figures[over][document], part) / _cpu(one, part) for document, one in figures[under].items()
        )
        return cls(over, under, part, values.median, values.least, values.greatest)

    def bar(self, bars: Bars) -> float | None:
        """Return what is claimed of it; None for nothing."""
        return bars.get((self.over, self.under)) if self.part == "job" else None


def _cpu(figures: Figures, part: str) -> float:
    return figures.cpu if part == "job" else figures.compile_cpu


@dataclass(frozen=True, slots=True)
class RenderReport:
    """Everything that a comparison of renderers measured; the first ratio is shown by document."""

    machine: Machine
    counted: str  #: How CPU time was counted.
    repeat: int  #: Repetitions of every job.
    slots: int  #: Jobs at once if throughput was measured.
    figures: Table
    ratios: tuple[Ratio, ...]
    throughput: dict[str, float]  #: Jobs a second by variant; empty if it was not measured.

    def holds(self, bars: Bars) -> bool:
        """Return whether the measured ratios reach what is claimed."""
        return all(ratio.median >= (ratio.bar(bars) or 0.0) for ratio in self.ratios)

    def as_json(self) -> dict[str, Any]:
        """Return the document; times are seconds."""
        medians = {name: asdict(over_documents(own)) for name, own in self.figures.items()}
        return {"medians": medians, **asdict(self)}

    def lines(self, bars: Bars) -> Iterator[str]:
        """Yield tables; times are milliseconds of CPU if nothing else is said."""
        yield from self.machine.lines()
        yield f"CPU: {self.counted}; {self.repeat} repetitions, medians; the images are equal"
        yield ""
        yield from self._documents()
        yield ""
        yield from self._medians()
        yield ""
        for ratio in self.ratios:
            part = "CPU of the job" if ratio.part == "job" else "CPU of the engine alone"
            bar = ratio.bar(bars)
            claim = "" if bar is None else f", {'at least' if ratio.median >= bar else 'BELOW'} {bar:g}"
            extremes = f"{ratio.least:.1f} to {ratio.greatest:.1f}"
            spread = f"{ratio.median:.1f} on the median of the examples ({extremes})"
            yield f"{part}, {ratio.over} / {ratio.under}: {spread}{claim}"

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


async def compare(
    given: argparse.Namespace,
    variants: Sequence[Variant],
    documents: Mapping[str, str],
    services: Mapping[str, Running],
    ratios: Sequence[tuple[str, str, str]],
    load_before: float,
) -> RenderReport:
    """Measure every document with every variant, then throughput.

    Args:
        given: The options, see ``add_engine_options``.
        variants: The variants of the renderer that are compared.
        documents: Documents by the id of their instance.
        services: The services behind the variants.
        ratios: What is divided: both variants, and the part of a job; see ``Ratio``.
        load_before: Load of the machine before the services were started.

    Raises:
        MeasurementError: A variant failed, or images differ.
    """
    figures = await measure(variants, documents, given.repeat)
    rates = await throughput(variants, documents, given.slots, given.rounds)
    described = {name: service.description for name, service in services.items()}
    versions = next(iter(described.values())).versions
    isolation = {name: one.isolation.mechanisms for name, one in described.items()}
    return RenderReport(
        machine=look(versions, isolation, load_before),
        counted=variants[0].meter.how,
        repeat=given.repeat,
        slots=given.slots,
        figures=figures,
        ratios=tuple(Ratio.of(figures, *ratio) for ratio in ratios),
        throughput=rates,
    )


def _ms(seconds: float) -> str:
    return f"{seconds * MS:.1f}"
