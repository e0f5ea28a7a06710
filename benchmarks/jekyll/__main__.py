"""Wall time of a Jekyll site: prepared process in the jail against a cold `jekyll build`.

Compared, in one run, in turns, on the same sites (those of the bundled examples that need Jekyll):

  cold      a plain `jekyll build --safe` process, unconfined, with the same pins, from files on disk
  prepared  JekyllBuilder.build with a process waiting: files into the cell, build, files out of it
  through   the same builder asked again and again without a pause, so that preparing counts too

CPU seconds of the prepared build leave out loading Jekyll, which happens before the site is there; `through`
shows what one processor after the other pays in all. Left out everywhere: the browser. The exit code is 0
only if both ways give the same bytes (else 2) and `cold` takes at least 3 times the wall time of
`prepared` on the median of the sites (else 1).

    python -m benchmarks.jekyll                # a table
    python -m benchmarks.jekyll --repeat 20
    python -m benchmarks.jekyll --json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.jekyll.cold import Cold, sites
from benchmarks.latex.machine import load, look
from i2s_chassis.jail import Jail, JailSettings
from i2s_render_html.jekyll import BuildCause, JekyllBuilder, JekyllSettings

BAR = 3.0
_SETTINGS = JekyllSettings(processes=1)


@dataclass(frozen=True, slots=True)
class Figures:
    """Wall seconds of one site, best to worst: median, least and greatest of the repetitions."""

    site: str
    cold: tuple[float, float, float]
    prepared: tuple[float, float, float]
    prepared_cpu: float
    through: float

    @property
    def ratio(self) -> float:
        """How many times longer the cold build takes, on the medians."""
        return self.cold[0] / self.prepared[0]


class DifferentError(Exception):
    """The two ways do not give the same bytes, or one of them gave none."""


def spread(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Return median, least and greatest."""
    return statistics.median(seconds), min(seconds), max(seconds)


class Shelf:
    """Knows whether a prepared process waits; ``told`` is what a builder calls."""

    def __init__(self) -> None:
        self._filled = asyncio.Event()

    def told(self, ready: int) -> None:
        """Note how many processes wait."""
        if ready:
            self._filled.set()
        else:
            self._filled.clear()

    async def filled(self) -> None:
        """Wait until a process waits for a site."""
        await self._filled.wait()


async def measure(
    name: str, files: dict[str, bytes], builder: JekyllBuilder, shelf: Shelf, cold: Cold, repeat: int
) -> Figures:
    """Ask both ways in turns.

    Raises:
        DifferentError: They do not agree.
    """
    cold_seconds: list[float] = []
    seconds: list[float] = []
    cpu: list[float] = []
    for _ in range(repeat):
        await shelf.filled()
        begun = time.perf_counter()
        built = await builder.build(files, _SETTINGS.limits)
        seconds.append(time.perf_counter() - begun)
        if built.cause is not BuildCause.BUILT:
            raise DifferentError(f"{name}: {built.cause.value}: {built.error}")
        cpu.append(built.usage.cpu_seconds)
        await shelf.filled()  # the next one is prepared now, not while the other side is measured
        taken, out = await asyncio.to_thread(cold.build, name, files)
        cold_seconds.append(taken)
        if out != built.files:
            raise DifferentError(f"{name}: the prepared process and the plain command differ")
    begun = time.perf_counter()
    for _ in range(repeat):
        await builder.build(files, _SETTINGS.limits)
    through = (time.perf_counter() - begun) / repeat
    return Figures(name, spread(cold_seconds), spread(seconds), statistics.median(cpu), through)


async def run(data: Path, repeat: int) -> tuple[list[Figures], list[str]]:
    """Measure all sites; returns the figures and lines about the machine."""
    before = load()
    jail = await Jail.start(JailSettings())
    try:
        shelf = Shelf()
        async with JekyllBuilder(jail, _SETTINGS, on_ready=shelf.told) as builder:
            with Cold(_SETTINGS) as cold:
                figures = [
                    await measure(name, files, builder, shelf, cold, repeat)
                    for name, files in sites(data).items()
                ]
                isolation = {jail.isolation.tier.name.lower(): jail.isolation.mechanisms}
                machine = look(cold.versions(), isolation, before)
    finally:
        await jail.close()
    return figures, list(machine.lines())


def table(figures: Sequence[Figures]) -> str:
    """Return the figures for people, in milliseconds."""
    lines = [f"{'site':28} {'cold':>20} {'prepared':>20} {'CPU':>6} {'through':>8} {'ratio':>6}"]
    for one in figures:
        cold, prepared = (
            f"{1000 * middle:.0f} ({1000 * least:.0f} to {1000 * most:.0f})"
            for middle, least, most in (one.cold, one.prepared)
        )
        lines.append(
            f"{one.site:28} {cold:>20} {prepared:>20} {1000 * one.prepared_cpu:6.0f} "
            f"{1000 * one.through:8.0f} {one.ratio:6.1f}"
        )
    return "\n".join(lines)


def main() -> int:
    """Return 0 if the claim holds, 1 if it does not, 2 if the two sides differ."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.jekyll",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--repeat", type=int, default=10, metavar="N", help="repetitions (default: 10)")
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "examples", metavar="FOLDER")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args()
    try:
        figures, machine = asyncio.run(run(options.data, max(1, options.repeat)))
    except DifferentError as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    ratio = statistics.median(one.ratio for one in figures)
    if options.json:
        document = {"machine": machine, "repeat": options.repeat, "ratio": ratio, "bar": BAR}
        print(json.dumps({**document, "figures": [asdict(one) for one in figures]}, indent=1))
    else:
        print(*machine, f"{options.repeat} repetitions, milliseconds on the clock", sep="\n")
        print(
            f"{table(figures)}\n\ncold / prepared: {ratio:.1f} times on the median of the sites, bar {BAR:g}"
        )
    return 0 if ratio >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
