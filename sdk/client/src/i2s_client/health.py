"""Waiting until a service serves, by the standard health protocol (grpc.health.v1)."""

from __future__ import annotations

import asyncio
import time

import grpc
import grpc.aio

from i2s_client.errors import ServiceUnavailableError

#: Seconds between two looks at a service that does not serve yet, and for one look.
LOOK_EVERY, LOOK_FOR = 0.1, 5.0

# The messages of the protocol have one field each, so that grpcio-health-checking is not needed for them.
_SERVING = b"\x08\x01"  # HealthCheckResponse with status = SERVING
_ONE_BYTE = 128  # lengths from here on take two


async def is_serving(channel: grpc.aio.Channel, service: str) -> bool:
    """Return whether ``service`` (full name) says SERVING on this channel now.

    Raises:
        grpc.aio.AioRpcError: There is no answer.
    """
    check = channel.unary_unary(
        "/grpc.health.v1.Health/Check", request_serializer=_request, response_deserializer=bytes
    )
    answer: bytes = await check(service, timeout=LOOK_FOR)
    return answer == _SERVING


def _request(service: str) -> bytes:
    """Return a HealthCheckRequest, whose only field is number 1, the name."""
    name = service.encode()
    assert len(name) < _ONE_BYTE
    return bytes([0x0A, len(name)]) + name


async def wait_until_serving(channel: grpc.aio.Channel, address: str, service: str, seconds: float) -> None:
    """Return once ``service`` says SERVING.

    Args:
        channel: Channel to the service.
        address: Address of the channel, for the message.
        service: Full name, such as "i2s.render.v1.RenderService".
        seconds: How long to wait; at least one look is taken.

    Raises:
        ServiceUnavailableError: It did not in time; the message has what it said last.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            if await is_serving(channel, service):
                return
            last = "it says NOT_SERVING"
        except grpc.aio.AioRpcError as error:
            last = f"{error.code().name}: {error.details()}"
        if time.monotonic() + LOOK_EVERY >= end:
            break
        await asyncio.sleep(LOOK_EVERY)
    raise ServiceUnavailableError(
        f"no {service} was ready at {address} within {seconds:g} s ({last}); is it running there?",
        address=address,
        method="Check",
        status="UNAVAILABLE",
        detail=last,
    )
