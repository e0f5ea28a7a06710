"""Servers that answer as a test wants it; they stand for no renderer, they try the clients."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import grpc.aio
import pytest

from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceServicer, add_MetricsServiceServicer_to_server
from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceServicer, add_RenderServiceServicer_to_server

Handler = Callable[[pb.RenderRequest, grpc.aio.ServicerContext], Awaitable[pb.RenderResponse]]


class ScriptedRenderer(RenderServiceServicer):
    """Answers call number n with step n of a script, and every later call with the last step."""

    def __init__(self, *script: Handler) -> None:
        self.script = script
        self.requests: list[pb.RenderRequest] = []

    async def Render(self, request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:  # noqa: N802
        self.requests.append(request)
        step = self.script[min(len(self.requests), len(self.script)) - 1]
        return await step(request, context)


def status(code: grpc.StatusCode, detail: str = "", **trailing: str) -> Handler:
    """Return a step that ends the call with a status."""

    async def step(request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:
        metadata = tuple((key.replace("_", "-"), value) for key, value in trailing.items())
        await context.abort(code, detail, metadata)
        raise AssertionError("abort raises")

    return step


def answer(**fields: object) -> Handler:
    """Return a step that answers; the verdict is NO_OUTPUT unless said otherwise."""

    async def step(request: pb.RenderRequest, context: grpc.aio.ServicerContext) -> pb.RenderResponse:
        return pb.RenderResponse(id=request.id, **{"verdict": pb.VERDICT_NO_OUTPUT, **fields})

    return step


Serve = Callable[..., Awaitable[str]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Serve a servicer on a port that the system chooses, or on a given address; return the address."""
    async with AsyncExitStack() as stack:

        async def start(
            servicer: RenderServiceServicer | MetricsServiceServicer, address: str = "127.0.0.1:0"
        ) -> str:
            server = grpc.aio.server()
            if isinstance(servicer, RenderServiceServicer):
                add_RenderServiceServicer_to_server(servicer, server)
            else:
                add_MetricsServiceServicer_to_server(servicer, server)
            port = server.add_insecure_port(address)
            await server.start()
            stack.push_async_callback(server.stop, None)
            return f"127.0.0.1:{port}"

        yield start


@pytest.fixture
def scripted() -> type[ScriptedRenderer]:
    return ScriptedRenderer


@pytest.fixture
def steps() -> tuple[Callable[..., Handler], Callable[..., Handler]]:
    return status, answer
