"""What a call ends with whose sandbox is lost; a part of ``suite``."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import grpc

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract.below import Below, busy
from i2s_chassis.contract.running import Call, Running

#: What a service logs if it runs a job again.
RERUN = "a process was lost; the job is run once more"
#: CPU seconds that a job must have computed before its cell is taken from it; preparing for it needs less.
_BUSY_SECONDS = 3.0
#: CPU seconds that a job may use. One that is run once more uses them all.
_LIMIT_SECONDS = 8
#: Processes between a service and its jobs: the monitor of the spawner, the spawner, the supervisor.
_DEPTH_OF_SUPERVISORS = 3


class LostCellContract:
    """The test; see ``suite.RendererContract``."""

    async def test_a_job_whose_cell_is_lost_is_not_blamed_for_it(self, running: Running) -> None:
        """It has no verdict, or it is run once more (a browser and its cell are replaced) and has its own."""
        renderer, before = running.renderer, await running.picture()
        reruns = len(running.process.lines(RERUN))
        limits = pb.Limits(cpu_seconds=_LIMIT_SECONDS)
        call = running.send(renderer.request(renderer.endless, limits=limits))
        asked = asyncio.ensure_future(_answer(call))
        job = await busy(running.process.pid, _is_of_a_job(running.process.pid), _BUSY_SECONDS)
        os.kill(_ancestors(job.pid, running.process.pid)[-_DEPTH_OF_SUPERVISORS], signal.SIGKILL)
        try:
            answer = await asked
        except grpc.aio.AioRpcError as error:
            assert error.code() is grpc.StatusCode.UNAVAILABLE, error.details()
        else:
            assert answer.verdict == pb.VERDICT_TIME_LIMIT
            assert len(running.process.lines(RERUN)) == reruns + 1
        assert await running.picture() == before


async def _answer(call: Call) -> pb.RenderResponse:
    return await call


def _is_of_a_job(service: int) -> Callable[[Below], bool]:
    def below_a_supervisor(one: Below) -> bool:
        return len(_ancestors(one.pid, service)) > _DEPTH_OF_SUPERVISORS

    return below_a_supervisor


def _ancestors(pid: int, service: int) -> list[int]:
    """Return a process and those above it, up to the child of the service; nothing if it is not below it."""
    found: list[int] = []
    while pid != service:
        found.append(pid)
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return []
        if pid <= 1:
            return []
    return found
