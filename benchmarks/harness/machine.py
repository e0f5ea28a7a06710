"""The machine and the versions that figures belong to."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a run took place."""

    processor: str
    cpus: int  #: Number of processors that may be used.
    kernel: str
    python: str
    versions: Mapping[str, str]  #: Versions of the engine and its parts.
    isolation: Mapping[str, tuple[str, ...]]  #: The mechanisms of the sandbox of each tier.
    load_before: float  #: Mean number of runnable tasks over the last minute, before the run.
    load_after: float

    def lines(self) -> Iterator[str]:
        """Yield lines for people."""
        yield f"{self.processor}, {self.cpus} CPUs, Linux {self.kernel}, Python {self.python}"
        yield ", ".join(f"{name} {version}" for name, version in self.versions.items())
        for tier, made_of in self.isolation.items():
            yield f"tier {tier}: {', '.join(made_of)}"
        yield f"load before {self.load_before:.1f}, after {self.load_after:.1f}"


def processor() -> str:
    """Return the name of the processor, or of its architecture."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def look(
    versions: Mapping[str, str], isolation: Mapping[str, tuple[str, ...]], load_before: float
) -> Machine:
    """Return facts about this machine; digests among the versions are left out."""
    shown = {name: version for name, version in versions.items() if name not in ("texmf", "fonts", "tree")}
    return Machine(
        processor(),
        len(os.sched_getaffinity(0)),
        platform.release(),
        platform.python_version(),
        shown,
        isolation,
        load_before,
        load(),
    )


def load() -> float:
    """Return the load of the last minute."""
    return os.getloadavg()[0]
