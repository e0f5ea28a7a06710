"""An HTTP gateway in the event loop of a test, and a renderer behind it that does what the test says."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc.aio
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import aio as health_servicers
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceServicer, add_RenderServiceServicer_to_server
from i2s_client.connection import AsyncConnection
from i2s_client.service_table import wire_name
from i2s_gateway.app import FurtherRoutes
from i2s_gateway.operations import Backends
from i2s_gateway.serve import serve_gateway
from i2s_gateway.settings import GatewaySettings

Answer = Callable[[pb.RenderRequest, Any], Awaitable[pb.RenderResponse]]


@asynccontextmanager
async def served(
    addresses: Mapping[str, str],
    deadline: float = 60.0,
    further: Sequence[FurtherRoutes] = (),
    **chosen: Any,
) -> AsyncIterator[str]:
    """Serve a gateway as long as the block lasts; yields its URL.

    Args:
        addresses: Addresses of the services behind it, by name.
        deadline: Seconds of a call.
        further: What returns routes beside those of the services.
        chosen: Settings of the gateway.
    """
    settings = GatewaySettings(**{"listen": "127.0.0.1:0", "deadline": deadline, **chosen})
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    async with AsyncExitStack() as stack:
        connections = {
            name: await stack.enter_async_context(AsyncConnection(address))
            for name, address in addresses.items()
        }
        backends = Backends(connections, settings)
        serving = asyncio.create_task(
            serve_gateway(backends, settings, further=further, on_ready=ready.set_result)
        )
        try:
            await asyncio.wait({serving, ready}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                await serving
            yield ready.result()
        finally:
            serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await serving


@asynccontextmanager
async def renderer(
    answer: Answer, listen: str = "127.0.0.1:0", languages: Sequence[str] = ()
) -> AsyncIterator[str]:
    """Serve i2s.render.v1 with a method of a test as long as the block lasts; yields the address.

    Args:
        answer: Answers requests to render; "Describe" is told with one without a source.
        listen: Where it listens.
        languages: Languages of generic sources that it says it renders.
    """

    class Servicer(RenderServiceServicer):
        async def Render(self, request: pb.RenderRequest, context: Any) -> pb.RenderResponse:  # noqa: N802
            return await answer(request, context)

        async def Describe(self, request: pb.DescribeRequest, context: Any) -> pb.DescribeResponse:  # noqa: N802
            await answer(pb.RenderRequest(), context)
            return pb.DescribeResponse(service="render-latex", languages=languages)

    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    add_RenderServiceServicer_to_server(Servicer(), server)
    health = health_servicers.HealthServicer()
    add_HealthServicer_to_server(health, server)
    await health.set(wire_name("render-latex"), health_pb2.HealthCheckResponse.SERVING)
    port = server.add_insecure_port(listen)
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


async def echo(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
    """Answer with the document as the message, and the metadata of the call as the log."""
    metadata = [f"{name}={value}" for name, value in context.invocation_metadata()]
    return pb.RenderResponse(
        id=request.id,
        verdict=pb.VERDICT_COMPILE_ERROR,
        message=request.latex.document.decode(),
        log=pb.LogExcerpt(head="\n".join(metadata)),
    )
