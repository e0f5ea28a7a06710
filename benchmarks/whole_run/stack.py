"""The services of this project as they are started for a run, each with a meter of its CPU time."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.harness.meter import Meter, descendants, own_seconds
from benchmarks.harness.services import Served, serving
from i2s_client.service_table import METRICS
from i2s_sdk.stack.services import service_command
from i2s_wire.renderers import RENDER_HTML, RENDER_LATEX, RENDER_LILYPOND

SERVICES = (RENDER_LATEX.name, RENDER_HTML.name, RENDER_LILYPOND.name, METRICS)
#: Names of programs that do the work of a renderer; what else runs for a service is its own overhead.
_ENGINES = ("chromium", "chrome", "headless", "ruby")
#: What a line of a log has if it is about a call.
_AUDIT = b'"i2s_chassis.audit"'
#: Pause after the last answer of a task, in which the page renderer prepares its next page.
_REST_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Stack:
    """Services that run."""

    addresses: Mapping[str, str]  #: Addresses by the name of the setting of each service.
    meters: Mapping[str, Meter]  #: Meters by the name of the service.
    pids: Mapping[str, int]  #: Process ids of their first processes, by the name of the service.
    logs: Mapping[str, Path]  #: Files that services log to, by the name of the service.
    started: float  #: CPU seconds that all of them took until they served.
    workers: int  #: Jobs of each service at the same time, and processors that all of them share.

    async def rested(self) -> dict[str, float]:
        """Return the CPU seconds of each service so far, after what follows the last answer."""
        await asyncio.sleep(_REST_SECONDS)
        return {name: await meter.settled() for name, meter in self.meters.items()}

    def charged(self) -> dict[str, float]:
        """Return the CPU seconds that each service has charged its callers with so far.

        For a renderer these are the stages of its jobs (TeX, LilyPond, Ghostscript, the crop), for the metric
        service what its worker used for the pairs.
        """
        return {name: charged_in(log) for name, log in self.logs.items()}

    def beside_engines(self, name: str) -> dict[int, float]:
        """Return the CPU seconds so far of each process of a service that is no engine, by pid.

        For web pages these are the server, Playwright's driver, and the supervisors of cells.
        """
        pids = (self.pids[name], *descendants(self.pids[name]))
        return {pid: own_seconds(pid) for pid in pids if not is_engine(pid)}


def charged_in(log: Path) -> float:
    """Return the CPU seconds of all calls that the log of a service has."""
    lines = [line for line in log.read_bytes().splitlines() if _AUDIT in line]
    return sum(float(json.loads(line).get("cpu_seconds", 0.0)) for line in lines)


def is_engine(pid: int) -> bool:
    """Return whether a process runs a program that does the work of a renderer; False if it is gone."""
    try:
        # Not by its command line, which Chromium's renderer processes overwrite with one without separators.
        program = Path(f"/proc/{pid}/exe").readlink()
    except OSError:
        return False
    return any(word in program.name for word in _ENGINES)


def processors() -> list[int]:
    """Return the processors that this process may use."""
    return sorted(os.sched_getaffinity(0))


@asynccontextmanager
async def open_stack(workers: int, logs: Path) -> AsyncIterator[Stack]:
    """Run all services with so many slots on so many processors as long as the block lasts.

    This process and what it starts are restricted to these processors during the block.

    Args:
        workers: Slots of each service, and processors.
        logs: Folder for the logs.

    Raises:
        StackError: A service does not start.
    """
    allowed = processors()
    os.sched_setaffinity(0, allowed[:workers])
    no_weights = logs / "no-weights"  # LPIPS and CIS are left out, whatever this machine has
    no_weights.mkdir(parents=True, exist_ok=True)
    try:
        async with AsyncExitStack() as started:
            served: dict[str, Served] = {}
            for name in SERVICES:
                command = service_command(name)
                own = (
                    ("--weights-dir", str(no_weights), "--hub-dir", str(no_weights))
                    if name == METRICS
                    else ()
                )
                command = replace(command, arguments=(*command.arguments, "--slots", str(workers), *own))
                served[name] = await started.enter_async_context(serving(command, logs))
            stack = Stack(
                {name.replace("-", "_"): one.child.address for name, one in served.items()},
                {name: one.meter for name, one in served.items()},
                {name: one.child.pid for name, one in served.items()},
                {name: one.child.log for name, one in served.items()},
                0.0,
                workers,
            )
            yield replace(stack, started=sum((await stack.rested()).values()))
    finally:
        os.sched_setaffinity(0, allowed)
