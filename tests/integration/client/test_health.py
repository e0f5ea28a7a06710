"""The messages of the health protocol are those of grpcio-health-checking."""

from __future__ import annotations

import grpc.aio
import pytest
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import aio as health
from grpc_health.v1.health_pb2_grpc import add_HealthServicer_to_server

from i2s_client.connection import is_serving, wait_until_serving
from i2s_client.errors import ServiceUnavailableError

NAME = "i2s.render.v1.RenderService"


async def test_a_service_serves_only_if_it_says_so() -> None:
    servicer, server = health.HealthServicer(), grpc.aio.server()
    add_HealthServicer_to_server(servicer, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    statuses = health_pb2.HealthCheckResponse.ServingStatus
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            with pytest.raises(grpc.aio.AioRpcError, match="NOT_FOUND"):
                await is_serving(channel, NAME)
            for status in statuses.values():
                await servicer.set(NAME, status)
                assert await is_serving(channel, NAME) == (status == statuses.Value("SERVING"))
            await servicer.set(NAME, statuses.Value("NOT_SERVING"))
            with pytest.raises(ServiceUnavailableError, match="it says NOT_SERVING"):
                await wait_until_serving(channel, address, NAME, 0.0)
            await servicer.set(NAME, statuses.Value("SERVING"))
            await wait_until_serving(channel, address, NAME, 0.0)
    finally:
        await server.stop(None)
