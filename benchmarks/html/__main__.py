"""Time per web page: prepared, with a browser for each page, and as the reference implementation goes.

Compared, in one run, in turns, on the sites of the examples:

    prepared    the renderer's engine as the service has it: jailed, a page ready, Jekyll prepared; settled
    launched    Playwright launches a plain browser for the page: built site, load event, screenshot, close
    served      `jekyll serve`, then the same: what the reference implementation does for each page

The last two with all of Chromium, which is what the reference implementation runs, and with the headless
shell, which is what the service runs. Counted are seconds on the clock from question to image, one page at
a time. Left out: the wire, the start of Playwright itself, and for ``launched`` the build of Jekyll sites.
``prepared`` and ``served`` of Chromium must show the same image. With ``--soak`` hostile and good pages are
mixed instead, and nothing is timed. With ``--followed`` the engine is compared with itself: its browser
traced, as on machines without control groups, and not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from playwright.async_api import BrowserType

from benchmarks.harness.command import (
    MeasurementError,
    Result,
    add_repeat,
    command_line,
    finish,
    positive,
    say,
)
from benchmarks.harness.images import image_difference
from benchmarks.harness.turns import at_once, in_turns, row, timed
from benchmarks.html import ways
from benchmarks.html.followed import compare
from benchmarks.html.soak import soak
from benchmarks.html.ways import Site, read_sites
from i2s_chassis.errors import RendererError, StartError
from i2s_chassis.jail import JailError
from i2s_render_html.engine import HtmlEngine

_EXAMPLES = """examples:
  python -m benchmarks.html                           all sites, five repetitions
  python -m benchmarks.html --limit 3 --repeat 2      a quick look
  python -m benchmarks.html --soak 300                hostile and good pages mixed
  python -m benchmarks.html --json > benchmarks/results/html.json
"""
_CHROMIUM = Path("/usr/lib/chromium/chromium")
_ROUNDS = 2
#: Seconds of another way over those of a prepared page.
BARS = {"launched": 4.0, "served": 6.0}
_PREPARED = "prepared"
# Plain flags and ours round colours of gradients differently: by one step or two, in a few pixels.
_MOST_DIFFERENCE = 0.05

Show: TypeAlias = Callable[[Site], Awaitable[bytes]]


async def run(sites: Sequence[Site], repeat: int, browsers: int) -> Result:
    """Measure everything.

    Raises:
        MeasurementError: A way failed, or images differ.
    """
    before = os.getloadavg()[0]
    by_name = {site.name: site for site in sites}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for site in sites:
            site.write(folder / "source" / site.name)
            await ways.build(folder / "source" / site.name, folder / "built" / site.name)
        async with ways.open_engine(1) as engine, ways.open_playwright() as playwright:
            works = {way: partial(_timed, show) for way, show in all_ways(engine, playwright, folder).items()}
            shown = await in_turns(works, by_name, repeat, check=_require_equal)
            machine = _machine(engine, before)
    async with ways.open_engine(browsers) as engine:
        say(f"{browsers} browsers at once")
        show = partial(ways.prepared, engine)
        await at_once(show, sites[:browsers], browsers)
        taken, _ = await timed(at_once(show, [*sites] * _ROUNDS, browsers))
    seconds = {
        way: {site: median(wall for wall, _ in pages) for site, pages in own.items()}
        for way, own in shown.items()
    }
    ratios = {
        way: median(own[site] / seconds[_PREPARED][site] for site in own)
        for way, own in seconds.items()
        if way != _PREPARED
    }
    figures = {
        "machine": machine,
        "repeat": repeat,
        "seconds": seconds,
        "ratios": ratios,
        "pages_per_second": _ROUNDS * len(sites) / taken,
        "browsers": browsers,
    }
    holds = all(ratios[way] >= bar for way, bar in BARS.items())
    return Result({"bars": BARS, "holds": holds, **figures}, _lines(figures), 0 if holds else 1)


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield tables for people; times are milliseconds on the clock."""
    for name, value in figures["machine"].items():
        yield f"{name}: {value}"
    yield f"{figures['repeat']} repetitions, medians of milliseconds on the clock"
    yield ""
    seconds = figures["seconds"]
    yield row("", list(seconds), 34, 20)
    for site in seconds[_PREPARED]:
        yield row(site, [f"{1000 * of[site]:.0f}" for of in seconds.values()], 34, 20)
    yield row("median of the sites", [f"{1000 * median(of.values()):.0f}" for of in seconds.values()], 34, 20)
    yield ""
    for way, ratio in figures["ratios"].items():
        bar = BARS.get(way)
        kept = "" if bar is None else f", at least {bar:g}" if ratio >= bar else f", BELOW {bar:g}"
        yield f"{way} / prepared: {ratio:.1f} on the median of the sites{kept}"
    yield f"{figures['browsers']} browsers at once: {figures['pages_per_second']:.2f} pages a second"


def all_ways(engine: HtmlEngine, playwright: BrowserType, folder: Path) -> dict[str, Show]:
    """Return what is compared: ours, and plain ways with all of Chromium and with the shell that ours uses.

    Raises:
        MeasurementError: There is no Chromium beside the headless shell.
    """
    if not _CHROMIUM.is_file():
        raise MeasurementError(f"{_CHROMIUM} does not exist; install it with: apt-get install chromium")
    chromium = ways.Plain(playwright, _CHROMIUM)
    shell = ways.Plain(playwright, engine.chromium.program)

    def launched(plain: ways.Plain, site: Site) -> Awaitable[bytes]:
        return ways.launched(plain, folder / "built" / site.name)

    def served(plain: ways.Plain, site: Site) -> Awaitable[bytes]:
        return ways.served(plain, folder / "source" / site.name)

    return {
        _PREPARED: partial(ways.prepared, engine),
        "launched": partial(launched, chromium),
        "served": partial(served, chromium),
        "launched, shell": partial(launched, shell),
        "served, shell": partial(served, shell),
    }


async def _timed(show: Show, site: Site) -> tuple[float, bytes]:
    await ways.at_rest()
    return await timed(show(site))


def _require_equal(site: str, shown: Mapping[str, tuple[float, bytes]]) -> None:
    # Shown as files, sites with absolute paths lack their style, and the shell by itself moves glyphs to
    # whole pixels: the times of those count alone.
    difference = image_difference(shown[_PREPARED][1], shown["served"][1])
    if difference is None or difference > _MOST_DIFFERENCE:
        raise MeasurementError(f"{site}: prepared and served differ by {difference} of 255")


def _machine(engine: HtmlEngine, before: float) -> dict[str, str]:
    return {
        "machine": f"{platform.machine()}, {len(os.sched_getaffinity(0))} CPUs, Linux {platform.release()}",
        "versions": f"Python {platform.python_version()}, Chromium {engine.chromium.version}",
        "isolation": f"{engine.isolation.tier.name.lower()}: {', '.join(engine.isolation.mechanisms)}",
        "load": f"before {before:.1f}, after {os.getloadavg()[0]:.1f}",
    }


def _parser() -> argparse.ArgumentParser:
    command = command_line("html", __doc__, _EXAMPLES)
    add_repeat(command, 5, "of each page")
    add = command.add_argument
    add("--limit", type=positive, metavar="N", help="only the first N sites")
    add("--browsers", type=positive, default=2, help="at once, for throughput and soak (default: 2)")
    add("--soak", type=int, metavar="PAGES", help="mix so many hostile and good pages instead")
    add("--followed", action="store_true", help="measure tracing in place of control groups instead")
    return command


async def soak_result(sites: Sequence[Site], pages: int, browsers: int) -> Result:
    """Mix hostile and good pages."""
    outcome = await soak(sites, pages, browsers)
    document = {"holds": outcome.holds, **asdict(outcome)}
    return Result(document, [json.dumps(document, indent=2)], 0 if outcome.holds else 1)


async def followed_result(sites: Sequence[Site], repeat: int) -> Result:
    """Compare the engine with itself: its browser traced and not."""
    document = asdict(await compare(sites, repeat))
    return Result(document, [json.dumps(document, indent=2)], 0)


def main() -> int:
    """Run the command line; 0: holds, 1: does not, 2: no measurement."""
    given = _parser().parse_args()
    sites = read_sites()[: given.limit]
    if given.soak:
        work = soak_result(sites, given.soak, given.browsers)
    elif given.followed:
        work = followed_result(sites, given.repeat)
    else:
        work = run(sites, given.repeat, given.browsers)
    failures = (RendererError, JailError, StartError)
    return finish(given, lambda: asyncio.run(work), failures=failures, indent=2)


if __name__ == "__main__":
    raise SystemExit(main())
