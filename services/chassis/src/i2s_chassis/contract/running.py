"""A renderer that serves, and its client."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import ClassVar

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from i2s_chassis.contract.process import Started, started
from i2s_chassis.contract.renderer import Renderer, Source

Call = grpc.aio.UnaryUnaryCall[pb.RenderRequest, pb.RenderResponse]

SLOTS, QUEUE = 2, 2
HANG_SECONDS = 240
NOT_SERVING, SERVING = health_pb2.HealthCheckResponse.NOT_SERVING, health_pb2.HealthCheckResponse.SERVING


class Running:
    """A service that serves, and its client. A service that is no renderer has a subclass.

    Attributes:
        stub_of: Makes the client of a channel.
    """

    stub_of: ClassVar[type[RenderServiceStub]] = RenderServiceStub

    def __init__(self, renderer: Renderer, process: Started, jobs: Path, channel: grpc.aio.Channel) -> None:
        self.renderer, self.process, self.jobs = renderer, process, jobs
        self.stub, self.health = type(self).stub_of(channel), health_pb2_grpc.HealthStub(channel)

    def send(self, request: pb.RenderRequest, timeout: float = HANG_SECONDS) -> Call:
        """Send a request; returns the call."""
        return self.stub.Render(request, timeout=timeout)

    @staticmethod
    def verdict(answer: pb.RenderResponse) -> int:
        """Return the verdict of an answer."""
        return answer.verdict

    async def render(
        self,
        source: Source | None = None,
        *,
        id: str = "",
        options: pb.RenderOptions | None = None,
        limits: pb.Limits | None = None,
    ) -> pb.RenderResponse:
        """Return the answer to a request."""
        return await self.send(self.renderer.request(source, id=id, options=options, limits=limits))

    async def picture(self) -> bytes:
        """Return the image of the good source."""
        answer = await self.render()
        assert answer.verdict == pb.VERDICT_RENDERED, answer
        return answer.pictures[0].png

    async def refusal(self, request: pb.RenderRequest) -> grpc.aio.AioRpcError:
        """Return how a request was refused."""
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await self.send(request)
        return raised.value

    async def fill(self, cpu_seconds: float) -> list[Call]:
        """Fill all slots and the queue with endless jobs; returns their calls when one more was sent away."""
        limits = pb.Limits(cpu_seconds=cpu_seconds)
        request = self.renderer.request(self.renderer.endless, limits=limits)
        calls = [self.send(request) for _ in range(SLOTS + QUEUE + 1)]
        tasks = {asyncio.ensure_future(_outcome(call)): call for call in calls}
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        refused = [task.result() for task in done]
        assert [one.code() for one in refused] == [grpc.StatusCode.RESOURCE_EXHAUSTED], refused
        pushback = dict(refused[0].trailing_metadata()).get("grpc-retry-pushback-ms")
        assert int(pushback) > 0
        return [call for task, call in tasks.items() if task not in done]

    async def drain(self) -> None:
        """End the service while it is full: what it accepted is answered, and it exits with 0."""
        calls = await self.fill(cpu_seconds=1)
        watch = self.health.Watch(health_pb2.HealthCheckRequest(), timeout=HANG_SECONDS)
        assert (await watch.read()).status == SERVING
        self.process.process.send_signal(signal.SIGTERM)
        assert (await watch.read()).status == NOT_SERVING
        answers = await asyncio.gather(*calls)
        assert set(map(self.verdict, answers)) == {pb.VERDICT_TIME_LIMIT}
        assert await asyncio.to_thread(self.process.process.wait, HANG_SECONDS) == 0


async def _outcome(call: Call) -> pb.RenderResponse | grpc.aio.AioRpcError:
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        return error
    except asyncio.CancelledError:
        return grpc.aio.AioRpcError(grpc.StatusCode.CANCELLED, grpc.aio.Metadata(), grpc.aio.Metadata())


@contextlib.asynccontextmanager
async def serving(renderer: Renderer, kind: type[Running] = Running) -> AsyncIterator[Running]:
    """Start a service; it is drained at the end.

    Args:
        renderer: How it is started, and its endless job.
        kind: Its client.
    """
    with tempfile.TemporaryDirectory(prefix="i2s-contract-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        jobs = folder / "jobs"
        jobs.mkdir(mode=0o755)
        options = ["--slots", str(SLOTS), "--queue", str(QUEUE), "--drain-seconds", str(HANG_SECONDS)]
        options += ["--jail-state-dir", str(jobs), *renderer.arguments(folder)]
        module = renderer.module or renderer.spec.module
        with started(module, folder, options, renderer.environment) as process:
            limits = [("grpc.max_receive_message_length", -1)]
            async with grpc.aio.insecure_channel(process.address, options=limits) as channel:
                running = kind(renderer, process, jobs, channel)
                yield running
                await running.drain()
