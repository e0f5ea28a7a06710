"""A service that is killed from outside while it starts, as by a kernel without memory, is started again."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from i2s_client.service_table import METRICS, METRICS_WIRE_NAME
from i2s_sdk.errors import ServiceStartError
from i2s_sdk.stack.child import Child
from i2s_sdk.stack.command import ServiceCommand

pytestmark = [pytest.mark.integration, pytest.mark.timeout(3600)]

#: Far above what a start takes, on a busy machine too.
SECONDS = 1800.0


async def _next_pid(child: Child, killed: list[int], starting: asyncio.Task[None]) -> int | None:
    """Return the process of a service that is not among those killed; None if the start has ended."""
    while not starting.done():
        await asyncio.sleep(0)
        try:
            if child.pid not in killed:
                return child.pid
        except ServiceStartError:  # it was not started yet
            continue
    return None


async def _killed_at_start(child: Child, times: int) -> list[int]:
    """Start a service whose process is killed so many times; returns the processes that were killed."""
    starting = asyncio.create_task(child.start(SECONDS))
    killed: list[int] = []
    while len(killed) < times and (pid := await _next_pid(child, killed, starting)) is not None:
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)
    await starting
    return killed


@pytest.mark.parametrize("times", [1, 3])
async def test_a_service_that_is_killed_while_it_starts_is_started_again(tmp_path: Path, times: int) -> None:
    child = Child(ServiceCommand(METRICS, METRICS_WIRE_NAME), tmp_path)
    try:
        killed = await _killed_at_start(child, times)
        assert len(killed) == times
        assert child.pid not in killed
    finally:
        await child.stop()


async def test_a_service_that_is_killed_at_every_start_ends_the_start(tmp_path: Path) -> None:
    child = Child(ServiceCommand(METRICS, METRICS_WIRE_NAME), tmp_path)
    killed = r"i2s-metrics died 6 times in a row before it served, last with signal SIGKILL"
    with pytest.raises(ServiceStartError, match=killed):
        await _killed_at_start(child, 1000)
    await child.stop()


async def test_a_service_that_lost_a_part_is_started_again_and_one_that_cannot_serve_is_not(
    tmp_path: Path,
) -> None:
    script, starts = tmp_path / "service", tmp_path / "starts"
    script.write_text(
        f"echo start >> {starts}\n[ $(wc -l < {starts}) -gt 1 ] && exit 1\nexit {os.EX_TEMPFAIL}\n"
    )
    child = Child(ServiceCommand("odd", None, program=("/bin/sh", str(script))), tmp_path)
    with pytest.raises(ServiceStartError, match="ended with exit code 1 before it served"):
        await child.start(SECONDS)
    assert starts.read_text().split() == ["start", "start"]
