"""What it costs that a browser is traced: if no control groups can be made, ptrace counts its processes.

Two engines are open, one with control groups and one without, and show the same sites in turns. Counted are
seconds on the clock from question to image, and the processor time of all processes below this one from
the question until the next page is prepared; the latter says the same on a machine that does other work.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from statistics import median

from benchmarks.harness.command import MeasurementError
from benchmarks.harness.meter import TreeMeter
from benchmarks.harness.turns import in_turns, timed
from benchmarks.html import ways
from benchmarks.html.ways import Site
from i2s_render_html.engine import HtmlEngine

_FOLLOWED = "processes followed"


@dataclass(frozen=True, slots=True)
class Costs:
    """Medians over all pages, in seconds, by way of counting processes."""

    pages: int  #: How many pages each way has shown.
    wall_seconds: Mapping[str, float]  #: Wall time from question to image.
    cpu_seconds: Mapping[str, float]  #: Of all processes, the preparation of the next page included.
    load: float  #: Mean number of runnable processes of the machine over a minute, at the end.


async def compare(sites: Sequence[Site], repeat: int) -> Costs:
    """Show every site ``repeat`` times with each engine, after a round that is not measured.

    Raises:
        MeasurementError: A site was not shown, or control groups or tracing cannot be had on this machine.
    """
    async with (
        ways.open_engine(1) as grouped,
        ways.open_engine(1, uid_base=49_000, control_groups=False) as followed,
    ):
        engines = {"control groups": grouped, "traced": followed}
        if _FOLLOWED in grouped.isolation.mechanisms or _FOLLOWED not in followed.isolation.mechanisms:
            raise MeasurementError("this needs a machine that permits both control groups and ptrace")
        works = {name: partial(_show, engine) for name, engine in engines.items()}
        shown = await in_turns(works, {site.name: site for site in sites}, repeat)
    times = {name: list(chain.from_iterable(own.values())) for name, own in shown.items()}
    return Costs(
        repeat * len(sites),
        {name: median(wall for wall, _ in own) for name, own in times.items()},
        {name: median(cpu for _, cpu in own) for name, own in times.items()},
        os.getloadavg()[0],
    )


async def _show(engine: HtmlEngine, site: Site) -> tuple[float, float]:
    """Return the seconds on the clock until the image, and the CPU seconds of everything for the page."""
    meter = TreeMeter()
    meter.adopt(os.getpid())
    before = meter.cpu_seconds()
    seconds, _ = await timed(ways.prepared(engine, site))
    await ways.at_rest()
    return seconds, meter.cpu_seconds() - before
