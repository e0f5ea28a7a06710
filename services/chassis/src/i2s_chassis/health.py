"""Health as grpc.health.v1 has it: for the process ("") and for each of its gRPC services."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

NAME = health.SERVICE_NAME


class Health:
    """NOT_SERVING from the start until ``set`` is called, and for good once draining."""

    def __init__(self, wire_names: Iterable[str], on_change: Callable[[bool], None] = lambda _: None) -> None:
        """Prepare.

        Args:
            wire_names: Full names of the gRPC services.
            on_change: Called with whether the service serves, each time that it is said.
        """
        self._names, self._on_change = ("", *wire_names), on_change
        self._servicer = health.aio.HealthServicer()

    async def set(self, serving: bool) -> None:
        """Say whether the service can work."""
        status = (
            health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
        )
        self._on_change(serving)
        for name in self._names:
            await self._servicer.set(name, status)

    async def drain(self) -> None:
        """Say NOT_SERVING from now on, whatever is set later."""
        self._on_change(False)
        await self._servicer.enter_graceful_shutdown()

    def add_to(self, server: grpc.aio.Server) -> None:
        """Answer health checks at this server."""
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
