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

import asyncio
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness.command import MeasurementError, add_repeat, command_line, finish, say
from benchmarks.harness.machine import load, look
from benchmarks.harness.turns import Spread, in_turns, timed
from benchmarks.html.sites import EXAMPLES, Site, read_sites
from benchmarks.jekyll.cold import Cold
from i2s_chassis.jail import Jail, JailSettings
from i2s_render_html.jekyll import BuildCause, JekyllBuilder, JekyllSettings, needs_jekyll

BAR = 3.0
_SETTINGS = JekyllSettings(processes=1)


@dataclass(frozen=True, slots=True)
class Build:
    """One build of a site."""

    seconds: float  #: Wall time.
    files: Mapping[str, bytes]
    cpu: float = 0.0  #: CPU seconds of the prepared process.


@dataclass(frozen=True, slots=True)
class Figures:
    """Wall seconds of one site: median, least and greatest of the repetitions."""

    site: str
    cold: tuple[float, float, float]
    prepared: tuple[float, float, float]
    prepared_cpu: float
    through: float

    @property
    def ratio(self) -> float:
        """How many times longer the cold build takes, on the medians."""
        return self.cold[0] / self.prepared[0]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a run measured."""

    machine: Sequence[str]
    repeat: int
    figures: Sequence[Figures]

    @property
    def ratio(self) -> float:
        """Cold over prepared, on the median of the sites."""
        return statistics.median(one.ratio for one in self.figures)

    @property
    def code(self) -> int:
        """The exit code."""
        return 0 if self.ratio >= BAR else 1

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        figures = [asdict(one) for one in self.figures]
        ratio = {"ratio": self.ratio, "bar": BAR}
        return {"machine": self.machine, "repeat": self.repeat, **ratio, "figures": figures}

    def lines(self) -> Iterator[str]:
        """Yield a table for people."""
        yield from (*self.machine, f"{self.repeat} repetitions, milliseconds on the clock")
        yield f"{'site':28} {'cold':>20} {'prepared':>20} {'CPU':>6} {'through':>8} {'ratio':>6}"
        for one in self.figures:
            cold, prepared = (Spread(*values).text(1000) for values in (one.cold, one.prepared))
            yield (
                f"{one.site:28} {cold:>20} {prepared:>20} {1000 * one.prepared_cpu:6.0f} "
                f"{1000 * one.through:8.0f} {one.ratio:6.1f}"
            )
        yield f"\ncold / prepared: {self.ratio:.1f} times on the median of the sites, bar {BAR:g}"


class Sides:
    """Both ways to build a site, which wait until the next process is prepared.

    Args:
        builder: Builder of the prepared way.
        filled: Set as long as a prepared process waits.
        cold: The plain command.
    """

    def __init__(self, builder: JekyllBuilder, filled: asyncio.Event, cold: Cold) -> None:
        self._builder, self._filled, self._cold = builder, filled, cold

    async def prepared(self, site: Site) -> Build:
        """Build a site with a prepared process.

        Raises:
            MeasurementError: It was not built.
        """
        await self._filled.wait()
        seconds, built = await timed(self._builder.build(site.files, _SETTINGS.limits))
        if built.cause is not BuildCause.BUILT:
            raise MeasurementError(f"{site.name}: {built.cause.value}: {built.error}")
        return Build(seconds, built.files, built.usage.cpu_seconds)

    async def cold(self, site: Site) -> Build:
        """Build a site with the plain command."""
        await self._filled.wait()  # the next process is prepared before, not meanwhile
        return Build(*await asyncio.to_thread(self._cold.build, site.name, site.files))

    async def through(self, site: Site, repeat: int) -> float:
        """Return the seconds of a build if the builder is asked again and again without a pause."""
        begun = time.perf_counter()
        for _ in range(repeat):
            await self._builder.build(site.files, _SETTINGS.limits)
        return (time.perf_counter() - begun) / repeat


async def run(data: Path, repeat: int) -> Report:
    """Measure all sites.

    Raises:
        MeasurementError: The two ways do not give the same bytes, or one of them gave none.
    """
    before = load()
    sites = {site.name: site for site in read_sites(data) if needs_jekyll(site.files)}
    jail = await Jail.start(JailSettings())
    filled = asyncio.Event()
    try:
        on_ready = partial(_note, filled)
        async with JekyllBuilder(jail, _SETTINGS, on_ready=on_ready) as builder:
            with Cold(_SETTINGS) as cold:
                sides = Sides(builder, filled, cold)
                works = {"prepared": sides.prepared, "cold": sides.cold}
                builds = await in_turns(works, sites, repeat, say, unmeasured=0, check=_require_equal)
                through = {name: await sides.through(site, repeat) for name, site in sites.items()}
                isolation = {jail.isolation.tier.name.lower(): jail.isolation.mechanisms}
                machine = look(cold.versions(), isolation, before)
    finally:
        await jail.close()
    figures = [
        Figures(
            name,
            _spread(builds["cold"][name]),
            _spread(builds["prepared"][name]),
            statistics.median(one.cpu for one in builds["prepared"][name]),
            through[name],
        )
        for name in sites
    ]
    return Report(list(machine.lines()), repeat, figures)


def _note(filled: asyncio.Event, ready: int) -> None:
    """Note how many prepared processes wait."""
    if ready:
        filled.set()
    else:
        filled.clear()


def _require_equal(site: str, builds: Mapping[str, Build]) -> None:
    if builds["cold"].files != builds["prepared"].files:
        raise MeasurementError(f"{site}: the prepared process and the plain command differ")


def _spread(builds: Sequence[Build]) -> tuple[float, float, float]:
    spread = Spread.of(one.seconds for one in builds)
    return spread.median, spread.least, spread.greatest


def main() -> int:
    """Return 0 if the claim holds, 1 if it does not, 2 if the two sides differ."""
    parser = command_line("jekyll", __doc__)
    add_repeat(parser, 10)
    parser.add_argument("--data", type=Path, default=EXAMPLES, metavar="FOLDER")
    given = parser.parse_args()
    return finish(given, lambda: asyncio.run(run(given.data, given.repeat)))


if __name__ == "__main__":
    raise SystemExit(main())
