"""The services behind a gateway: calls, health, and what may be sent to them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

from i2s_client.connection import AsyncConnection, keeps_secrets
from i2s_client.health import is_serving
from i2s_client.service_table import wire_name
from i2s_gateway.errors import GatewayError, of_call
from i2s_wire.contract import Method, contract

M = TypeVar("M", bound=Message)

_Metadata = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Backends:
    """The services behind a gateway.

    The gateway has no credentials of its own: what a caller brings is passed on, and nothing else.

    Attributes:
        connections: Connections by name of the service.
        deadline: Seconds that a call may take.
    """

    connections: Mapping[str, AsyncConnection]
    deadline: float

    async def call(self, service: str, method: Method, message: Message, metadata: _Metadata) -> Message:
        """Call a method of a service and return its answer.

        Raises:
            GatewayError: There is no such service here, or it had no answer.
        """
        connection = self.connection(service)
        if any(name == "authorization" for name, _ in metadata) and not keeps_secrets(
            connection.address, connection.credentials
        ):
            why = f"the gateway reaches {service} without TLS, so it does not send your token there"
            raise GatewayError(HTTPStatus.BAD_GATEWAY, "FAILED_PRECONDITION", why)
        call = connection.channel.unary_unary(
            method.path,
            request_serializer=method.request.SerializeToString,
            response_deserializer=method.response.FromString,
        )
        try:
            answer: Message = await call(message, timeout=self.deadline, metadata=tuple(metadata))
        except grpc.aio.AioRpcError as error:
            raise of_call(error) from None
        return answer

    async def describe(self, service: str, metadata: _Metadata) -> Message:
        """Return what a service says of itself; raises as ``call`` does."""
        method = contract().method(wire_name(service), "Describe")
        return await self.call(service, method, method.request(), metadata)

    async def health(self) -> dict[str, str]:
        """Return "SERVING", "NOT_SERVING" or "UNREACHABLE" for each service."""

        async def one(name: str, connection: AsyncConnection) -> str:
            try:
                serves = await is_serving(connection.channel, wire_name(name))
            except grpc.aio.AioRpcError:
                return "UNREACHABLE"
            return "SERVING" if serves else "NOT_SERVING"

        said = await asyncio.gather(*(one(*pair) for pair in self.connections.items()))
        return dict(zip(self.connections, said, strict=True))

    async def taking_anonymous_calls(self) -> list[str]:
        """Return the names of the services that describe themselves to callers without credentials."""

        async def takes(name: str) -> bool:
            try:
                await self.describe(name, ())
            except GatewayError as error:
                return error.status != "UNAUTHENTICATED"
            return True

        answers = await asyncio.gather(*(takes(name) for name in self.connections))
        return [name for name, answer in zip(self.connections, answers, strict=True) if answer]

    def connection(self, service: str) -> AsyncConnection:
        """Return the connection to a service.

        Raises:
            GatewayError: There is no such service here.
        """
        if service not in self.connections:
            there_are = ", ".join(self.connections)
            raise GatewayError(
                404,
                "NOT_FOUND",
                f"the service {service!r} is not behind this gateway; there are: {there_are}",
            )
        return self.connections[service]
