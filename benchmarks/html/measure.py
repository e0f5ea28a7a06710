"""Show every site in every way, in turns, so that noise of the machine hits all alike."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageStat
from playwright.async_api import BrowserType

from benchmarks.html import ways
from benchmarks.html.sites import Site
from i2s_render_html.engine import HtmlEngine

#: Called with what is going on, for people.
Say = Callable[[str], None]

#: The first is ours. The others with all of Chromium, and with the headless shell, which ours uses.
WAYS = ("prepared", "launched", "served", "launched, shell", "served, shell")
_CHROMIUM = Path("/usr/lib/chromium/chromium")
# Plain flags and ours round colours of gradients differently: by one step or two, in a few pixels.
_MOST_DIFFERENCE = 0.05


@dataclass(frozen=True, slots=True)
class Sample:
    """One picture: site, way, and seconds on the clock."""

    site: str
    way: str
    wall_seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that shows sites: our engine, and browsers as Playwright starts them.

    Attributes:
        engine: Engine of this project.
        chromium: Browser that is all of Chromium.
        shell: Browser that is the program of our engine.
        folder: Folder of the sites: ``source``, and ``built`` by Jekyll.
    """

    engine: HtmlEngine
    chromium: ways.Plain
    shell: ways.Plain
    folder: Path

    @classmethod
    def between(cls, engine: HtmlEngine, playwright: BrowserType, folder: Path) -> Comparison:
        """Take the browsers of this machine.

        Raises:
            WayError: There is no Chromium beside the headless shell.
        """
        if not _CHROMIUM.is_file():
            raise ways.WayError(f"{_CHROMIUM} does not exist; install it with: apt-get install chromium")
        shell = ways.Plain(playwright, engine.chromium.program)
        return cls(engine, ways.Plain(playwright, _CHROMIUM), shell, folder)

    def show(self, way: str, site: Site) -> Awaitable[bytes]:
        """Show a site in one of the ways; gives the picture."""
        if way == WAYS[0]:
            return ways.prepared(self.engine, site)
        plain = self.shell if way.endswith("shell") else self.chromium
        if way.startswith("launched"):
            return ways.launched(plain, self.folder / "built" / site.name)
        return ways.served(plain, self.folder / "source" / site.name)


async def sample_all(comparison: Comparison, sites: Sequence[Site], repeat: int, say: Say) -> list[Sample]:
    """Measure every site ``repeat`` times in every way, one at a time, after a round that is not measured.

    Raises:
        WayError: A site was not shown, or two ways show different pictures.
    """
    samples: list[Sample] = []
    for site in sites:
        site.write(comparison.folder / "source" / site.name)
        await ways.build(comparison.folder / "source" / site.name, comparison.folder / "built" / site.name)
    for number in range(repeat + 1):
        for site in sites:
            say(f"round {number} of {repeat}: {site.name}")
            pictures = {}
            for way in WAYS:
                await ways.at_rest()
                seconds, pictures[way] = await _timed(comparison.show(way, site))
                if number > 0:
                    samples.append(Sample(site.name, way, seconds))
            if number == 0:
                # Shown as files, sites with absolute paths lack their style, and the shell by itself moves
                # glyphs to whole pixels: the times of those count alone.
                _compare(site, pictures["prepared"], pictures["served"])
    return samples


async def _timed(work: Awaitable[bytes]) -> tuple[float, bytes]:
    began = time.monotonic()
    picture = await work
    return time.monotonic() - began, picture


def _compare(site: Site, ours: bytes, plain: bytes) -> None:
    pictures = [Image.open(io.BytesIO(png)).convert("RGB") for png in (ours, plain)]
    mean = max(ImageStat.Stat(ImageChops.difference(*pictures)).mean)
    if mean > _MOST_DIFFERENCE:
        raise ways.WayError(
            f"{site.name}: prepared and served differ by {mean:.3f} of 255; times mean nothing"
        )


async def pages_per_second(engine: HtmlEngine, sites: Sequence[Site], at_once: int, rounds: int) -> float:
    """Return how many pages a second the engine shows, ``at_once`` at the same time."""
    waiting = iter([site for _ in range(rounds) for site in sites])

    async def work() -> None:
        for site in waiting:
            await ways.prepared(engine, site)

    began = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(work())
    return rounds * len(sites) / (time.monotonic() - began)
