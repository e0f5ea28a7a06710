"""Time per web page: prepared, with a browser for each page, and as the reference implementation goes.

Compared, in one run, in turns, on the sites of the examples:

    prepared    the renderer's engine as the service has it: jailed, a page ready, Jekyll prepared; settled
    launched    Playwright launches a plain browser for the page: built site, load event, screenshot, close
    served      `jekyll serve`, then the same: what the reference implementation does for each page

The last two with all of Chromium, which is what the reference implementation runs, and with the headless
shell, which is what the service runs. Counted are seconds on the clock from question to picture, one page at
a time. Left out: the wire, the start of Playwright itself, and for ``launched`` the build of Jekyll sites.
``prepared`` and ``served`` of Chromium must show the same picture. With ``--soak`` hostile and good pages are
mixed instead, and nothing is timed. With ``--followed`` the engine is compared with itself: its browser
traced, as on machines without control groups, and not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.html import ways
from benchmarks.html.followed import compare
from benchmarks.html.measure import Comparison, Say, pages_per_second, sample_all
from benchmarks.html.report import Report, report_of
from benchmarks.html.sites import Site, read_sites
from benchmarks.html.soak import soak
from i2s_chassis.errors import RendererError, StartError
from i2s_chassis.jail import JailError
from i2s_render_html.engine import HtmlEngine

_EXAMPLES = """examples:
  python -m benchmarks.html                           all sites, five repetitions
  python -m benchmarks.html --limit 3 --repeat 2      a quick look
  python -m benchmarks.html --soak 300                hostile and good pages mixed
  python -m benchmarks.html --json > benchmarks/results/html.json
"""
_SITES = Path(__file__).parents[2] / "examples" / "structures"
_ROUNDS = 2


async def run(sites: list[Site], repeat: int, browsers: int, say: Say) -> Report:
    """Measure everything.

    Raises:
        WayError: A way failed, or pictures differ.
    """
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        async with ways.open_engine(1) as engine, ways.open_playwright() as playwright:
            comparison = Comparison.between(engine, playwright, Path(folder))
            samples = await sample_all(comparison, sites, repeat, say)
            machine = _machine(engine, before)
    async with ways.open_engine(browsers) as engine:
        say(f"{browsers} browsers at once")
        await pages_per_second(engine, sites[:browsers], browsers, 1)
        pages = await pages_per_second(engine, sites, browsers, _ROUNDS)
    return report_of(machine, repeat, samples, pages, browsers)


def _machine(engine: HtmlEngine, before: float) -> dict[str, str]:
    return {
        "machine": f"{platform.machine()}, {len(os.sched_getaffinity(0))} CPUs, Linux {platform.release()}",
        "versions": f"Python {platform.python_version()}, Chromium {engine.chromium.version}",
        "isolation": f"{engine.isolation.tier.name.lower()}: {', '.join(engine.isolation.mechanisms)}",
        "load": f"before {before:.1f}, after {os.getloadavg()[0]:.1f}",
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.html",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--limit", type=int, help="only the first so many sites")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of each page (default: 5)")
    parser.add_argument(
        "--browsers", type=int, default=2, help="at once, for throughput and soak (default: 2)"
    )
    parser.add_argument(
        "--soak", type=int, metavar="PAGES", help="mix so many hostile and good pages instead"
    )
    parser.add_argument(
        "--followed",
        action="store_true",
        help="measure what tracing costs in place of control groups instead",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def main() -> int:
    """Run the command line; 0: holds, 1: does not, 2: no measurement."""
    options = _parser().parse_args()
    sites = read_sites(_SITES)[: options.limit]

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    try:
        if options.soak:
            outcome = asyncio.run(soak(sites, options.soak, options.browsers, say))
            print(json.dumps({"holds": outcome.holds, **asdict(outcome)}, indent=2))
            return 0 if outcome.holds else 1
        if options.followed:
            print(json.dumps(asdict(asyncio.run(compare(sites, options.repeat, say))), indent=2))
            return 0
        report = asyncio.run(run(sites, options.repeat, options.browsers, say))
    except (ways.WayError, RendererError, JailError, StartError) as error:
        print(f"benchmarks.html: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report.as_json(), indent=2) if options.json else "\n".join(report.lines()))
    return 0 if report.holds else 1


if __name__ == "__main__":
    raise SystemExit(main())
