"""Bodies of requests, bounded in size, number and time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from i2s_gateway.errors import GatewayError
from i2s_gateway.settings import GatewaySettings

_BUSY_SECONDS = 1.0


class Bodies:
    """Reads bodies as far as the memory for all of them together goes."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._taken = 0

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytearray]:
        """Read the body of a request of JSON; its memory counts as taken until the block ends.

        Raises:
            GatewayError: It is not JSON by its header, is too large or too slow, or all memory for bodies is
                taken.
        """
        self._check(request)
        body = bytearray()
        try:
            await self._read(request, body)
            yield body
        finally:
            self._taken -= len(body)

    async def _read(self, request: Request, body: bytearray) -> None:
        """Add the body to ``body``. What has arrived counts as taken, not what is announced."""
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                async for piece in request.stream():
                    if len(body) + len(piece) > self._settings.body_bytes:
                        raise self._too_large()
                    if self._taken + len(piece) > self._settings.bodies_bytes:
                        message = "the gateway reads as much at once as it may; try again"
                        raise GatewayError(503, "UNAVAILABLE", message, retry_after_seconds=_BUSY_SECONDS)
                    self._taken += len(piece)
                    body += piece
        except TimeoutError:
            message = f"the body did not arrive within {self._settings.body_seconds:g} s"
            raise GatewayError(408, "DEADLINE_EXCEEDED", message) from None
        except ClientDisconnect:
            raise GatewayError(499, "CANCELLED", "the caller went away") from None

    def _check(self, request: Request) -> None:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            message = f"the body is {kind or 'of no type'}; send it with Content-Type: application/json"
            raise GatewayError(415, "INVALID_ARGUMENT", message)
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise GatewayError(415, "INVALID_ARGUMENT", "the body is compressed; send it as it is")
        announced = request.headers.get("content-length", "0")
        if not announced.isdigit() or int(announced) > self._settings.body_bytes:
            raise self._too_large()

    def _too_large(self) -> GatewayError:
        message = f"the body is larger than {self._settings.body_bytes} bytes, the most that is read"
        return GatewayError(413, "RESOURCE_EXHAUSTED", message)
