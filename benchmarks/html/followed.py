"""What it costs that a browser is traced: if no control groups can be made, ptrace counts its processes.

Two engines are open, one with control groups and one without, and show the same sites in turns. Counted are
seconds on the clock from question to picture, and the processor time of all processes below this one from
the question until the next page is prepared; the latter says the same on a machine that does other work.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.html import ways
from benchmarks.html.measure import Say
from benchmarks.html.sites import Site
from i2s_render_html.engine import HtmlEngine

_FOLLOWED = "processes followed"
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Costs:
    """Medians over all pages, in seconds, by way of counting processes.

    Attributes:
        pages: How many pages each way has shown.
        wall_seconds: Wall time from question to picture.
        cpu_seconds: CPU seconds of all processes, the preparation of the next page included.
        load: Mean number of runnable processes of the machine over a minute, at the end.
    """

    pages: int
    wall_seconds: Mapping[str, float]
    cpu_seconds: Mapping[str, float]
    load: float


async def compare(sites: Sequence[Site], repeat: int, say: Say) -> Costs:
    """Show every site ``repeat`` times with each engine, after a round that is not measured.

    Raises:
        WayError: A site was not shown, or control groups or tracing cannot be had on this machine.
    """
    async with (
        ways.open_engine(1) as grouped,
        ways.open_engine(1, uid_base=49_000, control_groups=False) as followed,
    ):
        engines = {"control groups": grouped, "traced": followed}
        if _FOLLOWED in grouped.isolation.mechanisms or _FOLLOWED not in followed.isolation.mechanisms:
            raise ways.WayError("this needs a machine that permits both control groups and ptrace")
        wall: dict[str, list[float]] = {name: [] for name in engines}
        cpu: dict[str, list[float]] = {name: [] for name in engines}
        for number in range(repeat + 1):
            say(f"round {number} of {repeat}")
            for site in sites:
                for name, engine in engines.items():
                    seconds, used = await _show(engine, site)
                    if number > 0:
                        wall[name].append(seconds)
                        cpu[name].append(used)
    return Costs(
        repeat * len(sites),
        {name: median(values) for name, values in wall.items()},
        {name: median(values) for name, values in cpu.items()},
        os.getloadavg()[0],
    )


async def _show(engine: HtmlEngine, site: Site) -> tuple[float, float]:
    """Return the seconds on the clock until the picture, and the CPU seconds of everything for the page."""
    before, began = _cpu_seconds(), time.monotonic()
    await ways.prepared(engine, site)
    seconds = time.monotonic() - began
    await ways.at_rest()
    return seconds, _cpu_seconds() - before


def _cpu_seconds() -> float:
    """Return the CPU seconds of this process, of all below it, and of those that they have waited for."""
    ticks: dict[int, int] = {}
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents[int(entry.name)] = int(fields[1])
        ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    return sum(used for pid, used in ticks.items() if _is_below(pid, os.getpid(), parents)) / _TICKS


def _is_below(pid: int, ancestor: int, parents: Mapping[int, int]) -> bool:
    while pid != ancestor and pid in parents:
        pid = parents[pid]
    return pid == ancestor
