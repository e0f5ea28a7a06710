"""Hostile and good pages mixed: the good ones stay the same bytes, memory stays flat, nobody is left."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.harness.command import say
from benchmarks.harness.meter import descendants
from benchmarks.harness.turns import at_once
from benchmarks.html.ways import Site, open_engine
from i2s_chassis.limits import Limits
from i2s_render_html.engine import HtmlEngine
from i2s_render_html.model import SiteJob
from i2s_wire.render.request import File

_LIMITS = Limits(
    cpu_seconds=1.0, wall_seconds=10.0, memory_bytes=1200 << 20, processes=400, disk_bytes=512 << 20
)
_UID_BASE = 48_000
_UIDS = 256
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LOOKS, _LOOK_SECONDS = 40, 0.05
_IDLE_LOOKS, _LEAST_LOOKS, _IDLE_LOOK_SECONDS = 240, 6, 0.5
_WARM_UP = 0.34  # of the pages; memory is compared after them

HOSTILE = (
    "<script>for (;;);</script>",
    "<script>const a = []; for (;;) a.push(new Uint8Array(1 << 27).fill(1))</script>",
    "<script>for (;;) alert(1)</script>",
    "<script>onload = () => location.reload()</script>",
    "<script>for (let i = 0; i < 50; i++) open('/?' + i)</script>",
    "<iframe src=file:///etc/passwd></iframe><img src=http://169.254.169.254/x>",
    "<script>const u = URL.createObjectURL(new Blob(['for (;;);']));"
    "for (let i = 0; i < 6; i++) new Worker(u)</script>",
    "<script>for (let i = 0; i < 1e5; i++) console.log('flood '.repeat(50))</script>",
    "<script>for (;;) document.write('x')</script>",
    "<canvas id=c width=16000 height=16000></canvas><script>c.getContext('2d').fillRect(0, 0, 9, 9)</script>",
    "<a id=a download href='data:text/plain,x'>x</a><script>onload = () => a.click()</script>",
    "<script>setInterval(() => { for (;;); }, 50)</script>",
)


@dataclass(slots=True)
class Outcome:
    """The result of a soak."""

    pages: int = 0  #: Number of pages shown in all.
    verdicts: dict[str, int] = field(default_factory=dict)  #: How often each, hostile pages alone.
    changed: list[str] = field(default_factory=list)  #: Good pages that looked different than at first.
    first_bytes: int = 0  #: Private memory of everything after the warm-up, while no page is shown.
    last_bytes: int = 0  #: The same at the end.
    left: int = 0  #: Processes of jobs after everything was closed.

    @property
    def holds(self) -> bool:
        """Whether good pages stayed the same, memory flat, and nobody was left."""
        return not self.changed and not self.left and self.last_bytes < 1.5 * self.first_bytes


async def soak(sites: Sequence[Site], pages: int, browsers: int) -> Outcome:
    """Show pages, every second one hostile.

    Args:
        sites: The good ones.
        pages: Number of pages in all.
        browsers: Number of browsers at once.
    """
    outcome = Outcome()
    async with open_engine(browsers, _UID_BASE) as engine:
        good = {site.name: await _image(engine, site) for site in sites}

        async def show(number: int) -> None:
            await _one(engine, sites, good, number, outcome)
            if outcome.pages % 20 == 0:
                say(f"{outcome.pages} of {pages}: {_private_bytes() >> 20} MiB")

        warm_up = max(1, round(pages * _WARM_UP))
        await at_once(show, range(warm_up), browsers)
        outcome.first_bytes = await _idle_bytes(engine, browsers)
        await at_once(show, range(warm_up, pages), browsers)
        outcome.last_bytes = await _idle_bytes(engine, browsers)
    outcome.left = await _left()
    return outcome


async def _idle_bytes(engine: HtmlEngine, browsers: int) -> int:
    """Return the least resident memory seen while every browser waits for a page.

    Raises:
        RuntimeError: Browsers that are being replaced do not come back.
    """
    seen = []
    for look in range(_IDLE_LOOKS):
        await asyncio.sleep(_IDLE_LOOK_SECONDS)
        if engine.browsers == browsers:
            seen.append(_private_bytes())
        if seen and look >= _LEAST_LOOKS:
            return min(seen)
    raise RuntimeError(f"{engine.browsers} of {browsers} browsers are ready")


async def _one(
    engine: HtmlEngine, sites: Sequence[Site], good: dict[str, bytes | None], number: int, outcome: Outcome
) -> None:
    turn, is_hostile = divmod(number, 2)
    if is_hostile:
        page = HOSTILE[turn % len(HOSTILE)]
        job = SiteJob((File("index.html", page.encode()),), limits=_LIMITS)
        name = (await engine.render(job)).verdict.name
        outcome.verdicts[name] = outcome.verdicts.get(name, 0) + 1
    else:
        site = sites[turn % len(sites)]
        if await _image(engine, site) != good[site.name]:
            outcome.changed.append(site.name)
    outcome.pages += 1


async def _image(engine: HtmlEngine, site: Site) -> bytes | None:
    rendering = await engine.render(site.job())
    return rendering.picture.png if rendering.picture else None


async def _left() -> int:
    """Return how many processes of jobs stay; the killed may take a moment to be gone."""
    for _ in range(_LOOKS):
        if not _of_jobs():
            return 0
        await asyncio.sleep(_LOOK_SECONDS)
    return len(_of_jobs())


def _of_jobs() -> list[int]:
    """Return the processes that run as one of the users of this run's jobs."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and _UID_BASE <= entry.stat().st_uid < _UID_BASE + _UIDS:
                found.append(int(entry.name))
        except FileNotFoundError:
            continue
    return found


def _private_bytes() -> int:
    """Return the private memory of this process and its descendants."""
    return sum(_private_pages(pid) for pid in (os.getpid(), *descendants(os.getpid()))) * _PAGE


def _private_pages(pid: int) -> int:
    try:
        resident, shared = Path(f"/proc/{pid}/statm").read_text().split()[1:3]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(resident) - int(shared)
