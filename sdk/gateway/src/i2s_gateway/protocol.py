"""Connections of the gateway: HTTP/1.1 by uvicorn and h11, bounded in number and in time."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from i2s_gateway.settings import GatewaySettings

#: Seconds that a caller whose body is not read has to read the answer.
_LINGER_SECONDS = 2.0

_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s"
)
_BUSY_BODY = b'{"error": {"status": "UNAVAILABLE", "message": "too many connections"}}'


def bounded_protocol(settings: GatewaySettings) -> type[H11Protocol]:
    """Return the protocol of one gateway, whose connections are counted together."""
    return type("BoundedH11Protocol", (_Bounded,), {"settings": settings, "each": Counter()})


class _Bounded(H11Protocol):
    settings: GatewaySettings
    each: Counter[str]

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **more)
        self._header_timer: asyncio.TimerHandle | None = None
        self._reading_timer: asyncio.TimerHandle | None = None
        self._counted: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        who = self.client[0] if self.client is not None else ""
        full = len(self.connections) > self.settings.connections
        if full or self.each[who] >= self.settings.connections_each:
            transport.write(_BUSY % (len(_BUSY_BODY), _BUSY_BODY))
            transport.close()
            return
        self._counted = who
        self.each[who] += 1
        self._await_header()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._counted is not None:
            self.each[self._counted] -= 1
            self.each += Counter()  # without those that are 0
            self._counted = None
        self._end(self._header_timer)
        self._end(self._reading_timer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._end(self._header_timer)
            self._header_timer = None
        elif self._header_timer is None:
            self._await_header()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:  # the answer was a refusal, and nobody reads the rest
            self._unset_keepalive_if_required()
            self.loop.call_later(_LINGER_SECONDS, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_timer = self.loop.call_later(self.settings.body_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self._end(self._reading_timer)
        self._reading_timer = None
        super().resume_writing()

    def _await_header(self) -> None:
        self._header_timer = self.loop.call_later(self.settings.header_seconds, self.transport.abort)

    @staticmethod
    def _end(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
