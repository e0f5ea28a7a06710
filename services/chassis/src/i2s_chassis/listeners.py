"""The ports of a service: gRPC, health alone, Prometheus; and the file that announces them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import grpc
import grpc.aio
from grpc_reflection.v1alpha import reflection
from prometheus_client import CollectorRegistry, start_http_server

from i2s_chassis import announcement as announcement_file
from i2s_chassis import health
from i2s_chassis.address import Address
from i2s_chassis.announcement import Announcement
from i2s_chassis.errors import StartError
from i2s_chassis.gate import Gate
from i2s_chassis.privileges.announcer import Announcer
from i2s_chassis.settings import ServiceSettings
from i2s_chassis.tls import server_credentials

_LAST_WORDS_SECONDS = 0.5  # for statuses on their way out, after all calls have ended
_IDENTITY_ONLY = 1  # bit of the algorithm: what a compressed message unpacks to has no bound

# grpc throws away calls at random once 1000 have not been picked up, with CANCELLED, which a caller
# takes for its own doing. The streams of a connection are the bound instead.
_NO_BOUND = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Bound:
    """If a running service can be reached: host:port, None if not served."""

    address: str
    metrics_address: str | None
    health_address: str | None


@asynccontextmanager
async def listening(
    settings: ServiceSettings,
    gate: Gate,
    state: health.Health,
    wire_names: tuple[str, ...],
    registry: CollectorRegistry,
) -> AsyncIterator[Bound]:
    """Listen on every address that is set, until the block ends.

    Raises:
        StartError: An address cannot be bound or a certificate cannot be used.
    """
    async with AsyncExitStack() as stack:
        server = grpc.aio.server(options=_options(settings))
        server.add_generic_rpc_handlers((gate,))
        state.add_to(server)
        if settings.reflects:
            reflection.enable_server_reflection((*wire_names, health.NAME, reflection.SERVICE_NAME), server)
        address = _bind(server, "--listen", settings.listen, server_credentials(settings))
        health_address = None
        if settings.health_listen is not None:
            probes = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
            state.add_to(probes)
            health_address = _bind(probes, "--health-listen", settings.health_listen, None)
            await _start(stack, probes)
        metrics_address = None
        if settings.metrics_listen is not None:
            metrics_address = stack.enter_context(_metrics(settings.metrics_listen, registry))
        await _start(stack, server)
        yield Bound(address, metrics_address, health_address)


@contextmanager
def announced(file: Path | None, service: str, bound: Bound, announcer: Announcer | None) -> Iterator[None]:
    """Write the addresses to ``file``, all at once, and remove it at the end.

    Args:
        file: None for none.
        service: Name of the service.
        bound: The addresses.
        announcer: Who writes the file; None if this process does.

    Raises:
        StartError: The file cannot be written.
    """
    if file is None:
        yield
        return
    announcement = Announcement(service=service, **asdict(bound), pid=os.getpid())
    try:
        if announcer is not None:
            announcer.write(announcement)
        else:
            announcement_file.write(file, announcement)
    except OSError as error:
        raise StartError(f"--announce {file}: cannot be written: {error.strerror}") from None
    try:
        yield
    finally:
        if announcer is not None:
            announcer.end()
        else:
            announcement_file.remove(file, os.getpid())


def _options(settings: ServiceSettings) -> list[tuple[str, int]]:
    options = {
        "grpc.so_reuseport": 0,  # a second service on the same port is an error, not a partner
        "grpc.max_receive_message_length": int(settings.max_request_bytes),
        "grpc.max_send_message_length": -1,
        "grpc.compression_enabled_algorithms_bitset": _IDENTITY_ONLY,
        "grpc.max_concurrent_streams": settings.max_concurrent_streams,
        "grpc.server.max_pending_requests": _NO_BOUND,
        "grpc.server.max_pending_requests_hard_limit": _NO_BOUND,
        "grpc.keepalive_time_ms": round(settings.keepalive_seconds * 1000),
        "grpc.keepalive_permit_without_calls": 1,
        "grpc.http2.min_ping_interval_without_data_ms": round(settings.client_ping_seconds * 1000),
    }
    if settings.max_connection_age_seconds:
        options["grpc.max_connection_age_ms"] = round(settings.max_connection_age_seconds * 1000)
        options["grpc.max_connection_age_grace_ms"] = round(settings.max_connection_age_grace_seconds * 1000)
    return list(options.items())


def _bind(server: grpc.aio.Server, option: str, listen: str, tls: grpc.ServerCredentials | None) -> str:
    wanted = Address.parse(listen)
    try:
        port = server.add_secure_port(listen, tls) if tls else server.add_insecure_port(listen)
    except RuntimeError:
        raise StartError(f"{option} {listen}: the address is in use or not of this machine") from None
    return str(Address(wanted.host, port))


async def _start(stack: AsyncExitStack, server: grpc.aio.Server) -> None:
    stack.push_async_callback(server.stop, _LAST_WORDS_SECONDS)
    await server.start()


@contextmanager
def _metrics(listen: str, registry: CollectorRegistry) -> Iterator[str]:
    wanted = Address.parse(listen)
    try:
        server, thread = start_http_server(wanted.port, wanted.host, registry)
    except OSError as error:
        raise StartError(f"--metrics-listen {listen}: {error.strerror}") from None
    try:
        yield str(Address(wanted.host, server.server_port))
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
