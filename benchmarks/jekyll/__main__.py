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
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import i2s_render_html.jekyll
from benchmarks.harness.command import MeasurementError, Result, add_repeat, command_line, finish
from benchmarks.harness.machine import load, look
from benchmarks.harness.turns import Spread, in_turns, timed
from benchmarks.html.ways import EXAMPLES, Site, read_sites
from i2s_chassis.jail import Jail, JailSettings
from i2s_render_html.jekyll import BuildCause, JekyllBuilder, JekyllSettings, needs_jekyll
from i2s_render_html.jekyll.site import pins

_CODE = Path(i2s_render_html.jekyll.__file__).parent


class Cold:
    """Runs the plain command, with the same pins and the same clock so that bytes can be compared."""

    def __init__(self, settings: JekyllSettings) -> None:
        """Make the folder that everything happens in; a context manager removes it."""
        self._settings = settings
        self._folder = Path(tempfile.mkdtemp(prefix="i2s-benchmark-"))
        (self._folder / "pins.yml").write_text(json.dumps(pins(settings)))

    def __enter__(self) -> Cold:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)

    def build(self, name: str, files: Mapping[str, bytes]) -> tuple[float, dict[str, bytes]]:
        """Build a site; returns the wall seconds of the command alone, and what it made.

        Raises:
            subprocess.CalledProcessError: Jekyll refused the site.
        """
        work = self._folder / name
        for path, content in files.items():
            (work / "site" / path).parent.mkdir(parents=True, exist_ok=True)
            (work / "site" / path).write_bytes(content)
        for entry in (work / "site").rglob("*"):
            os.utime(entry, (self._settings.epoch, self._settings.epoch))
        configuration = ["site/_config.yml"] if "_config.yml" in files else []
        command = ["jekyll", "build", "--safe", "--quiet", "--disable-disk-cache", "-s", "site", "-d", "out"]
        command += ["--config", ",".join([*configuration, "../pins.yml"])]
        begun = time.perf_counter()
        subprocess.run(command, cwd=work, env=self._environment(), check=True)
        taken = time.perf_counter() - begun
        out = work / "out"
        made = {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}
        shutil.rmtree(work)
        return taken, made

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "JEKYLL_NO_BUNDLER_REQUIRE": "true",
            "SOURCE_DATE_EPOCH": str(self._settings.epoch),
            "RUBYOPT": f"-r{_CODE / 'deterministic.rb'}",
        }

    @staticmethod
    def versions() -> dict[str, str]:
        """Return the versions of Jekyll and Ruby."""
        said = {
            name: subprocess.run(
                [name, "--version"], capture_output=True, text=True, check=True
            ).stdout.split()
            for name in ("jekyll", "ruby")
        }
        return {name: words[1] for name, words in said.items()}


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
    cold: Spread
    prepared: Spread
    prepared_cpu: float
    through: float

    @classmethod
    def of(cls, site: str, builds: Mapping[str, Mapping[str, Sequence[Build]]], through: float) -> Figures:
        """Return the figures of the builds of a site."""
        cold, prepared = (Spread.of(one.seconds for one in builds[way][site]) for way in ("cold", "prepared"))
        cpu = statistics.median(one.cpu for one in builds["prepared"][site])
        return cls(site, cold, prepared, cpu, through)

    @property
    def ratio(self) -> float:
        """How many times longer the cold build takes, on the medians."""
        return self.cold.median / self.prepared.median

    def line(self) -> str:
        """Return a row of the table, in milliseconds."""
        return (
            f"{self.site:28} {self.cold.text(1000):>20} {self.prepared.text(1000):>20} "
            f"{1000 * self.prepared_cpu:6.0f} {1000 * self.through:8.0f} {self.ratio:6.1f}"
        )


async def run(data: Path, repeat: int) -> Result:
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
                ways = {
                    "prepared": partial(_prepared, builder, filled),
                    "cold": partial(_cold, cold, filled),
                }
                builds = await in_turns(ways, sites, repeat, unmeasured=0, check=_require_equal)
                through = {name: await _through(builder, site, repeat) for name, site in sites.items()}
                isolation = {jail.isolation.tier.name.lower(): jail.isolation.mechanisms}
                machine = look(cold.versions(), isolation, before)
    finally:
        await jail.close()
    figures = [Figures.of(name, builds, through[name]) for name in sites]
    ratio = statistics.median(figure.ratio for figure in figures)
    known = {"machine": list(machine.lines()), "repeat": repeat, "ratio": ratio, "bar": BAR}
    lines = [
        *machine.lines(),
        f"{repeat} repetitions, milliseconds on the clock",
        f"{'site':28} {'cold':>20} {'prepared':>20} {'CPU':>6} {'through':>8} {'ratio':>6}",
        *(figure.line() for figure in figures),
        f"\ncold / prepared: {ratio:.1f} times on the median of the sites, bar {BAR:g}",
    ]
    return Result({**known, "figures": list(map(asdict, figures))}, lines, 0 if ratio >= BAR else 1)


async def _prepared(builder: JekyllBuilder, filled: asyncio.Event, site: Site) -> Build:
    """Build a site with a prepared process, once one waits.

    Raises:
        MeasurementError: It was not built.
    """
    await filled.wait()
    seconds, built = await timed(builder.build(site.files, _SETTINGS.limits))
    if built.cause is not BuildCause.BUILT or built.files is None:
        raise MeasurementError(f"{site.name}: {built.cause.value}: {built.error}")
    return Build(seconds, built.files, built.usage.cpu_seconds)


async def _cold(cold: Cold, filled: asyncio.Event, site: Site) -> Build:
    """Build a site with the plain command, once the next process is prepared."""
    await filled.wait()
    return Build(*await asyncio.to_thread(cold.build, site.name, site.files))


async def _through(builder: JekyllBuilder, site: Site, repeat: int) -> float:
    """Return the seconds of a build if the builder is asked again and again without a pause."""
    begun = time.perf_counter()
    for _ in range(repeat):
        await builder.build(site.files, _SETTINGS.limits)
    return (time.perf_counter() - begun) / repeat


def _note(filled: asyncio.Event, ready: int) -> None:
    """Note how many prepared processes wait."""
    if ready:
        filled.set()
    else:
        filled.clear()


def _require_equal(site: str, builds: Mapping[str, Build]) -> None:
    if builds["cold"].files != builds["prepared"].files:
        raise MeasurementError(f"{site}: the prepared process and the plain command differ")


def main() -> int:
    """Return 0 if the claim holds, 1 if it does not, 2 if the two sides differ."""
    parser = command_line("jekyll", __doc__)
    add_repeat(parser, 10)
    parser.add_argument("--data", type=Path, default=EXAMPLES, metavar="FOLDER")
    given = parser.parse_args()
    return finish(given, lambda: asyncio.run(run(given.data, given.repeat)))


if __name__ == "__main__":
    raise SystemExit(main())
