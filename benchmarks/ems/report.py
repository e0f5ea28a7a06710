"""What a run found, as one JSON object and as tables for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from benchmarks.ems.measure import COLD_MEDIAN, WARM_MEDIAN, WARM_WORST, Figures
from benchmarks.harness.machine import Machine

_MS = 1000.0


@dataclass(frozen=True, slots=True)
class Claim:
    """A ratio that was promised: what, at least, and what it came to."""

    what: str
    least: float
    came: float

    @property
    def holds(self) -> bool:
        """Whether the measured ratio reaches the target."""
        return self.came >= self.least


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a run found."""

    machine: Machine  #: Machine that it was measured on.
    repeat: int  #: Repetitions of ours.
    figures: Sequence[Figures]  #: Figures by pair.

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Return what was promised."""
        warm, cold = [one.warm_ratio for one in self.figures], [one.cold_ratio for one in self.figures]
        return (
            Claim("reference ready, median pair", WARM_MEDIAN, median(warm)),
            Claim("reference ready, worst pair", WARM_WORST, min(warm)),
            Claim("from nothing, median pair", COLD_MEDIAN, median(cold)),
        )

    @property
    def holds(self) -> bool:
        """Whether all claims hold."""
        return all(claim.holds for claim in self.claims)

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints; times are CPU seconds."""
        rows = [
            asdict(one) | {"warm_ratio": one.warm_ratio, "cold_ratio": one.cold_ratio} for one in self.figures
        ]
        claims = [asdict(claim) | {"holds": claim.holds} for claim in self.claims]
        return {"machine": asdict(self.machine), "repeat": self.repeat, "claims": claims, "pairs": rows}

    def as_text(self) -> str:
        """Return tables; times are milliseconds of CPU."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield from self.machine.lines()
        yield f"ours: medians of {self.repeat} repetitions; definition: once a pair; both agree"
        yield ""
        names = ("size", "definition", "warm", "cold", "x warm", "x cold", "resize", "spread")
        yield _row("CPU ms", names)
        for one in self.figures:
            yield _row(one.name, _cells(f"{one.width}x{one.height}", [one]))
        yield ""
        for name, kind in (("median, text", [False]), ("median, dense", [True]), ("median", [False, True])):
            chosen = [one for one in self.figures if one.dense in kind]
            if chosen:
                yield _row(name, _cells("", chosen))
        yield ""
        for claim in self.claims:
            kept = "at least" if claim.holds else "BELOW"
            yield f"definition / ours, {claim.what}: {claim.came:.0f}, {kept} {claim.least:g}"


def _cells(size: str, figures: Sequence[Figures]) -> list[str]:
    def middle(value: Callable[[Figures], float]) -> float:
        return median(value(one) for one in figures)

    return [
        size,
        f"{middle(lambda one: one.definition) * _MS:.0f}",
        f"{middle(lambda one: one.warm) * _MS:.1f}",
        f"{middle(lambda one: one.cold) * _MS:.1f}",
        f"{middle(lambda one: one.warm_ratio):.0f}",
        f"{middle(lambda one: one.cold_ratio):.0f}",
        f"{middle(lambda one: one.resize) * _MS:.1f}",
        f"{middle(lambda one: one.spread):.0%}",
    ]


def _row(title: str, cells: Sequence[str]) -> str:
    return f"{title:<16}" + "".join(f"{cell:>11}" for cell in cells)
