"""A gateway that listens: connections of HTTP/1.1 by uvicorn and h11, bounded in number and in time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import os
import socket
import ssl
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from i2s_gateway.app import FurtherRoutes, build_app
from i2s_gateway.measurements import Measurements, monitoring_app
from i2s_gateway.operations import Backends
from i2s_gateway.renewal import watched
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.errors import SettingsError
from i2s_sdk.stack.lifecycle import listen_on

#: Seconds that a caller whose body is not read has to read the answer.
_LINGER_SECONDS = 2.0

_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s"
)
_BUSY_BODY = b'{"error": {"status": "UNAVAILABLE", "message": "too many connections"}}'


def bounded_protocol(settings: GatewaySettings) -> type[_Bounded]:
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
        self._refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        who = self.client[0] if self.client is not None else ""
        full = self.each.total() >= self.settings.connections
        if full or self.each[who] >= self.settings.connections_each:
            self._refuse(transport)
            return
        self._counted = who
        self.each[who] += 1
        self._await_header()

    def _refuse(self, transport: asyncio.Transport) -> None:
        """Say that there are too many, and read what the caller sends meanwhile: else it gets a reset."""
        transport.write(_BUSY % (len(_BUSY_BODY), _BUSY_BODY))
        if not transport.can_write_eof() or len(self.connections) > 2 * self.settings.connections:
            transport.close()
            return
        transport.write_eof()
        self._refused = True
        self.loop.call_later(_LINGER_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._counted is not None:
            self.each[self._counted] -= 1
            self.each += Counter()  # without those that are 0
            self._counted = None
        self._end(self._header_timer)
        self._end(self._reading_timer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing() or self._refused:
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


_KEEP_ALIVE_SECONDS = 5
_HEADER_BYTES = 64 * 1024


async def serve_gateway(
    backends: Backends,
    settings: GatewaySettings,
    *,
    further: Sequence[FurtherRoutes] = (),
    announce: Path | None = None,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Answer requests until cancelled; those that are under way then have ``settings.drain_seconds``.

    Args:
        backends: The services behind.
        settings: What to listen on, and the bounds.
        further: What returns routes beside those of the services.
        announce: File that gets the address and the process id once the gateway serves; removed at the end.
        on_ready: Called with the URL of the gateway once it serves.

    Raises:
        SettingsError: The address cannot be listened on, a certificate cannot be used, or others on the
            network would have access to services that ask for no credentials.
    """
    await check_reach(backends, settings)
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(listen_on(settings.listen))
        config = _config(backends, settings, further)
        monitoring = await stack.enter_async_context(_monitored(backends.measurements, settings))
        if config.ssl is not None:
            await stack.enter_async_context(_renewed(config.ssl, settings))
        stack.enter_context(_announcing(announce))
        address = _bound(settings.listen, listener)

        def ready() -> None:
            if announce is not None:
                announcement = {"address": address, "metrics_address": monitoring, "pid": os.getpid()}
                _write(announce, announcement)
            if on_ready is not None:
                on_ready(f"{'http' if settings.certificate is None else 'https'}://{address}")

        server = _Server(config, ready)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            server.should_exit = True
            await serving
            raise


@asynccontextmanager
async def _monitored(measurements: Measurements, settings: GatewaySettings) -> AsyncIterator[str | None]:
    """Serve metrics as long as the block lasts, the end of the gateway included; yields the address.

    It is served by the loop that serves callers: if that stands still, probes have no answer either.

    Raises:
        SettingsError: The address cannot be listened on.
    """
    if settings.metrics_listen is None:
        yield None
        return
    with listen_on(settings.metrics_listen, "--metrics-listen") as listener:
        started = asyncio.Event()
        server = _Server(_plain_config(monitoring_app(measurements)), started.set)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await started.wait()
        try:
            yield _bound(settings.metrics_listen, listener)
        finally:
            server.should_exit = True
            await serving


def _renewed(context: ssl.SSLContext, settings: GatewaySettings) -> AbstractAsyncContextManager[None]:
    """Have connections that begin after a renewal of the certificate get the new one."""
    certificate, key = settings.certificate, settings.key
    assert certificate is not None

    def load() -> None:
        ssl.create_default_context().load_cert_chain(certificate, key)  # else half of a pair could stay
        context.load_cert_chain(certificate, key)

    return watched((certificate, key), load)


def _bound(listen: str, listener: socket.socket) -> str:
    """Return the address that was listened on, with the port that the system chose."""
    return f"{listen.rpartition(':')[0]}:{listener.getsockname()[1]}"


async def check_reach(backends: Backends, settings: GatewaySettings) -> None:
    """Check that the services behind a gateway that others can reach ask who they are.

    Those that are not there yet are asked before their first call.

    Raises:
        SettingsError: One does not, and ``settings.insecure`` does not say that this is wanted.
    """
    if settings.is_loopback or settings.insecure:
        return
    open_to_all = await backends.require_credentials()
    if open_to_all:
        raise SettingsError(
            f"--listen {settings.listen}: everybody who reaches it could use {', '.join(open_to_all)}, "
            "which asked this gateway for no token; start services with an access file, or give --insecure"
        )


class _Server(uvicorn.Server):
    """Leaves signals to the program, and says when it serves."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_started()


def _config(
    backends: Backends, settings: GatewaySettings, further: Sequence[FurtherRoutes]
) -> uvicorn.Config:
    protocol = bounded_protocol(settings)
    backends.measurements.connections(protocol.each.total, settings.connections)
    config = _plain_config(
        build_app(backends, settings, further),
        http=protocol,
        timeout_graceful_shutdown=math.ceil(settings.drain_seconds),
        h11_max_incomplete_event_size=_HEADER_BYTES,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        files = f"--https-cert {settings.certificate}, --https-key {settings.key}"
        raise SettingsError(f"{files}: cannot be used: {error}") from None
    return config


def _plain_config(app: ASGIApp, **more: Any) -> uvicorn.Config:  # noqa: ANN401
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # requests that are not HTTP are not news
    return uvicorn.Config(
        app,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        **more,
    )


@contextlib.contextmanager
def _announcing(file: Path | None) -> Iterator[None]:
    """Remove the announcement at the end of the block."""
    try:
        yield
    finally:
        if file is not None:
            file.unlink(missing_ok=True)


def _write(file: Path, content: object) -> None:
    """Write a file, all at once."""
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=f".{file.name}.", delete=False) as draft:
        draft.write(json.dumps(content) + "\n")
    Path(draft.name).replace(file)
