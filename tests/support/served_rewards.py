"""A gateway with rewards in the event loop of a test, and renderers behind it that do what the test says."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc.aio
import httpx
from PIL import Image

from i2s.metrics.v1 import metrics_pb2 as metrics
from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceServicer, add_MetricsServiceServicer_to_server
from i2s.render.v1 import render_pb2 as pb
from i2s_client import AsyncMetricsClient, AsyncRenderClient, RetryPolicy
from i2s_client.credentials import Token
from i2s_gateway.rewards import open_rewards
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import Services
from served_gateway import Answer, renderer, served

#: What is rendered in these tests: figures of the task scimage, which are compared with no reference.
INPUTS = {"prompt": "a square", "output": "python"}


def drawn(number: object, **more: Any) -> dict[str, Any]:
    """Return an item whose answer is a program."""
    return {"task": "scimage", "inputs": INPUTS, "completion": f"```python\nplot({number})\n```", **more}


def said(answer: object, gold: object = 1, **more: Any) -> dict[str, Any]:
    """Return an item that no service is needed for: an answer of JSON."""
    schema = {"type": "object"}
    target = {"answer": {"a": gold}}
    return {"task": "sobench", "inputs": {"schema": schema}, "target": target, "completion": answer, **more}


@asynccontextmanager
async def rewards_of(
    addresses: Mapping[str, str],
    *,
    token: Token | None = None,
    retry_seconds: float = 2.0,
    headers: Mapping[str, str] | None = None,
    **chosen: Any,
) -> AsyncIterator[httpx.AsyncClient]:
    """Have a client of a gateway with rewards as long as the block lasts.

    Args:
        addresses: Addresses of the renderers behind it, by name.
        token: The token that the gateway itself has for them.
        retry_seconds: Seconds for which a service is asked again.
        headers: Headers of all requests.
        chosen: Settings of the gateway.
    """
    settings = Settings(retry_seconds=retry_seconds)
    gateway = GatewaySettings(**{"listen": "127.0.0.1:0", **chosen})
    retry = RetryPolicy(total_seconds=retry_seconds)
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(AsyncRenderClient(address, token=token, retry=retry))
            for name, address in addresses.items()
            if name != "metrics"
        }
        comparer = None
        if "metrics" in addresses:
            comparer = AsyncMetricsClient(addresses["metrics"], token=token, retry=retry)
            await stack.enter_async_context(comparer)
        rewards = open_rewards(Services(clients, comparer, {}), settings, gateway)
        stack.push_async_callback(rewards.close)
        url = await stack.enter_async_context(served(addresses, further=[rewards.routes], **chosen))
        yield await stack.enter_async_context(
            httpx.AsyncClient(base_url=url, timeout=60, headers=dict(headers or {}))
        )


@asynccontextmanager
async def rewards_before(answer: Answer, **more: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Do the same with one renderer for all programs and documents, whose answers are those of a function."""
    async with renderer(answer) as address:
        addresses = {"render-python": address, "render-latex": address}
        async with rewards_of(addresses, **more) as client:
            yield client


def picture() -> pb.RenderResponse:
    """Return the answer of a renderer that has drawn something."""
    png = png_of(Image.linear_gradient("L"))
    return pb.RenderResponse(
        verdict=pb.VERDICT_RENDERED,
        pictures=[pb.Picture(png=png, width=256, height=256)],
        usage=pb.Usage(cpu_seconds=0.25),
    )


def png_of(image: Image.Image) -> bytes:
    """Return an image as a PNG file."""
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


async def draws_at_once(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
    """Answer every request with an image."""
    return picture()


class _Comparer(MetricsServiceServicer):
    async def Describe(self, request: metrics.DescribeRequest, context: Any) -> metrics.DescribeResponse:  # noqa: N802
        ems = metrics.MetricDescription(
            name="ems",
            version="1",
            available=True,
            direction=metrics.DIRECTION_HIGHER_IS_BETTER,
            profiles=[metrics.PROFILE_PAPER, metrics.PROFILE_HELM],
        )
        return metrics.DescribeResponse(service="metrics", metrics=[ems], max_image_pixels=25_000_000)


@asynccontextmanager
async def latex_gateway(**chosen: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Have a client of a gateway with rewards for LaTeX: its metric service describes itself and no more."""
    server = grpc.aio.server()
    add_MetricsServiceServicer_to_server(_Comparer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with renderer(draws_at_once) as address:
            addresses = {"render-latex": address, "metrics": f"127.0.0.1:{port}"}
            async with rewards_of(addresses, **chosen) as client:
                yield client
    finally:
        await server.stop(0)
