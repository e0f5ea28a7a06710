"""The processes that a process of a test has started, and what they have computed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Below:
    """A living process below another one.

    Attributes:
        pid: Its number.
        command: Its command line.
        cpu_seconds: CPU seconds that it has computed.
    """

    pid: int
    command: str
    cpu_seconds: float


def below(pid: int) -> list[Below]:
    """Return all living processes below a process, parents before children."""
    found, queue = [], _children(pid)
    while queue:
        one = queue.pop(0)
        queue += _children(one)
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            command = Path(f"/proc/{one}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if fields[0] not in "ZX":
            found.append(Below(one, command.strip(), (int(fields[11]) + int(fields[12])) / _TICKS))
    return found


def _children(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []


async def busy(pid: int, wanted: Callable[[Below], bool], seconds: float) -> Below:
    """Wait until a wanted process below ``pid`` has computed for so long since it was first seen."""
    first: dict[int, float] = {}
    async with asyncio.timeout(120):
        while True:
            for one in filter(wanted, below(pid)):
                if one.cpu_seconds - first.setdefault(one.pid, one.cpu_seconds) >= seconds:
                    return one
            await asyncio.sleep(0.03)  # a look at all processes is not free
