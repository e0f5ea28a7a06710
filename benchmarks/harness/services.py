"""Services that run here for a benchmark, each with a meter of its CPU time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.meter import Meter, open_meter
from i2s_sdk.stack.child import Child
from i2s_sdk.stack.command import ServiceCommand

_START_SECONDS = 600.0  # the first start on a machine builds an index and formats


@dataclass(frozen=True, slots=True)
class Served:
    """A service that serves."""

    child: Child
    meter: Meter


@asynccontextmanager
async def serving(command: ServiceCommand, logs: Path, title: str = "") -> AsyncIterator[Served]:
    """Run a service as long as the block lasts.

    Args:
        command: How it is started.
        logs: Folder for its log.
        title: Name of the meter; empty for that of the service.

    Raises:
        StackError: It does not start.
    """
    child = Child(command, logs)
    meter = open_meter(title or command.name)
    try:
        with meter.starting():
            await child.start(_START_SECONDS)
        meter.adopt(child.pid)
        yield Served(child, meter)
    finally:
        await child.stop()
        meter.close()
