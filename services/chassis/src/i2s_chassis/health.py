"""Health as grpc.health.v1 has it: for the process ("") and for each of its gRPC services."""

from __future__ import annotations

from collections.abc import Iterable

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

NAME = health.SERVICE_NAME


class Health:
    """NOT_SERVING from the start until ``set`` is called, and for good once draining."""

    def __init__(self, wire_names: Iterable[str]) -> None:
        self._names = ("", *wire_names)
        self._servicer = health.aio.HealthServicer()

    async def set(self, serving: bool) -> None:
        """Say whether the service can work."""
        status = (
            health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
        )
        for name in self._names:
            await self._servicer.set(name, status)

    async def drain(self) -> None:
        """Say NOT_SERVING from now on, whatever is set later."""
        await self._servicer.enter_graceful_shutdown()

    def add_to(self, server: grpc.aio.Server) -> None:
        """Answer health checks at this server."""
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
