"""Kill a process of a job from outside, as an operator or a kernel without memory does."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import grpc.aio

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import Running
from i2s_chassis.contract.below import Below, busy
from i2s_chassis.contract.lost_cell import RERUN

#: CPU seconds that a process must have computed before it is killed, so that it is in the middle of its work.
_BUSY_SECONDS = 0.1


def is_program(name: str) -> Any:
    """Return what recognises a process by the name of its program."""
    return lambda one: os.path.basename(one.command.partition(" ")[0]) == name


def is_forked_job(one: Below) -> bool:
    """Whether a process is the child of a warm engine, whose command line it has."""
    try:
        parent = int(Path(f"/proc/{one.pid}/stat").read_text().rpartition(")")[2].split()[1])
        command = Path(f"/proc/{parent}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except OSError:
        return False
    # The processes around a sandbox have such children too, and the command line of Python.
    return command == one.command and "i2s_chassis.jail" not in command and bool(command)


async def killed_while_busy(running: Running, wanted: Any, source: Any, **given: object) -> pb.RenderResponse:
    """Return the answer to a request of which one process is killed in the middle of its work.

    Args:
        running: The service.
        wanted: Recognises the process.
        source: The source, which keeps the process busy.
        given: More fields of the request.
    """
    before = len(running.process.lines(RERUN))
    asked = asyncio.ensure_future(running.render(source, **given))
    os.kill((await busy(running.process.pid, wanted, _BUSY_SECONDS)).pid, signal.SIGKILL)
    answer = await asked
    assert len(running.process.lines(RERUN)) == before + 1
    return answer


async def killed_each_time(running: Running, wanted: Any, source: Any, times: int, **given: object) -> str:
    """Return the message of the status with which a request ends whose processes are killed so many times.

    Args:
        running: The service.
        wanted: Recognises the process.
        source: The source, which keeps the process busy.
        times: Number of kills.
        given: More fields of the request.
    """
    asked = asyncio.ensure_future(running.render(source, **given))
    killed: set[int] = set()
    for _ in range(times):
        victim = (
            await busy(running.process.pid, lambda one: one.pid not in killed and wanted(one), _BUSY_SECONDS)
        ).pid
        os.kill(victim, signal.SIGKILL)
        killed.add(victim)
    try:
        answer = await asked
    except grpc.aio.AioRpcError as error:
        assert error.code() is grpc.StatusCode.ABORTED, error
        return error.details() or ""
    raise AssertionError(f"it has a verdict: {answer.verdict} {answer.message}")
