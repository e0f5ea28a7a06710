"""What a run found, as one JSON object and as a table for people."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from statistics import median
from typing import Any

from benchmarks.harness.machine import load, processor
from benchmarks.metrics.variants import Figure

_LIBRARIES = ("torch", "torchvision", "lpips", "numpy", "scikit-image", "numba")
_BASELINE = "package"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where and when a run took place."""

    processor: str
    cpus: int
    kernel: str
    python: str
    versions: dict[str, str]
    load: float


def machine() -> Machine:
    """Return what there is to say about this machine now."""
    versions = {library: version(library) for library in _LIBRARIES}
    cpus = len(os.sched_getaffinity(0))
    return Machine(processor(), cpus, platform.release(), platform.python_version(), versions, load())


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a run found; figures of all rounds."""

    before: Machine
    after: Machine
    pairs: int
    rounds: int
    figures: tuple[Figure, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield medians and spread of each variant and kind, and its ratio to the package."""
        keys = dict.fromkeys((figure.name, figure.kind) for figure in self.figures)
        for name, kind in keys:
            mine = self._of(name, kind)
            base = median(figure.cpu_seconds for figure in self._of(_BASELINE, kind))
            cpu = median(figure.cpu_seconds for figure in mine)
            rates = sorted(figure.pairs_per_second for figure in mine)
            yield {
                "name": name,
                "kind": kind,
                "pairs_per_second": median(rates),
                "least": rates[0],
                "most": rates[-1],
                "cpu_seconds": cpu,
                "times_less_cpu_than_package": base / cpu if name.startswith("lpips") else None,
            }

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        machines = {"before": asdict(self.before), "after": asdict(self.after)}
        return {**machines, "pairs": self.pairs, "rounds": self.rounds, "rows": list(self.rows())}

    def as_text(self) -> str:
        """Return a table."""
        return "\n".join(self._lines())

    def _of(self, name: str, kind: str) -> list[Figure]:
        return [figure for figure in self.figures if (figure.name, figure.kind) == (name, kind)]

    def _lines(self) -> Iterator[str]:
        m = self.before
        yield f"{m.processor}, {m.cpus} CPUs, Linux {m.kernel}, Python {m.python}"
        yield ", ".join(f"{name} {number}" for name, number in m.versions.items())
        yield f"load before {m.load:.1f}, after {self.after.load:.1f}"
        yield f"{self.pairs} pairs of each kind, {self.rounds} rounds, medians"
        yield ""
        yield "| | reference | pairs/s (least to most) | CPU ms a pair | CPU of the package / ours |"
        yield "|---|---|---|---|---|"
        for row in self.rows():
            ratio = row["times_less_cpu_than_package"]
            rates = f"{row['pairs_per_second']:.1f} ({row['least']:.1f} to {row['most']:.1f})"
            last = "" if ratio is None else f"{ratio:.2f}"
            yield f"| {row['name']} | {row['kind']} | {rates} | {1000 * row['cpu_seconds']:.0f} | {last} |"
