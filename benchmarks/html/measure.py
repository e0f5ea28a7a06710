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

#: Told what is going on, for people.
Say = Callable[[str], None]

WAYS = ("prepared", "launched", "served")
# Plain flags and ours round colours of gradients differently: by one step or two, in a few pixels.
_MOST_DIFFERENCE = 0.05


@dataclass(frozen=True, slots=True)
class Sample:
    """One picture: site, way, and seconds on the clock."""

    site: str
    way: str
    wall_seconds: float


async def sample_all(
    engine: HtmlEngine, chromium: BrowserType, sites: Sequence[Site], folder: Path, repeat: int, say: Say
) -> list[Sample]:
    """Measure every site ``repeat`` times in every way, one at a time, after a round that is not measured.

    Raises:
        WayError: A site was not shown, or two ways show different pictures.
    """
    samples: list[Sample] = []
    for site in sites:
        site.write(folder / "source" / site.name)
        await ways.build(folder / "source" / site.name, folder / "built" / site.name)
    for number in range(repeat + 1):
        for site in sites:
            say(f"round {number} of {repeat}: {site.name}")
            pictures = {}
            for way in WAYS:
                await ways.at_rest()
                seconds, pictures[way] = await _timed(_way(way, engine, chromium, site, folder))
                if number > 0:
                    samples.append(Sample(site.name, way, seconds))
            if number == 0:
                _compare(site, pictures)
    return samples


def _way(way: str, engine: HtmlEngine, chromium: BrowserType, site: Site, folder: Path) -> Awaitable[bytes]:
    if way == "prepared":
        return ways.prepared(engine, site)
    if way == "launched":
        return ways.launched(chromium, folder / "built" / site.name)
    return ways.served(chromium, folder / "source" / site.name)


async def _timed(work: Awaitable[bytes]) -> tuple[float, bytes]:
    began = time.monotonic()
    picture = await work
    return time.monotonic() - began, picture


def _compare(site: Site, pictures: dict[str, bytes]) -> None:
    decoded = {way: Image.open(io.BytesIO(png)).convert("RGB") for way, png in pictures.items()}
    # Not ``launched``: shown as files, sites with absolute paths lack their style. Its time counts alone.
    difference = ImageChops.difference(decoded["prepared"], decoded["served"])
    mean = max(ImageStat.Stat(difference).mean)
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
