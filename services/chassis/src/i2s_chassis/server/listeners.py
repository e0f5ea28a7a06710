"""The ports of a service: gRPC with certificates, health alone, Prometheus; and the file that announces them.

Health is as grpc.health.v1 has it: for the process ("") and for each of its gRPC services. Certificates are
read again when their files change.
"""

from __future__ import annotations

import logging
import os
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import CollectorRegistry, start_http_server

from i2s_chassis.callers.gate import Gate
from i2s_chassis.errors import StartError
from i2s_chassis.server import announcement as announcement_file
from i2s_chassis.server.announcement import Announcement, Announcer
from i2s_chassis.server.settings import Address, ServiceSettings
from i2s_chassis.server.telemetry import Telemetry

_log = logging.getLogger(__name__)

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
    state: Health,
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
            reflection.enable_server_reflection(
                (*wire_names, HEALTH_SERVICE_NAME, reflection.SERVICE_NAME), server
            )
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


def server_credentials(settings: ServiceSettings) -> grpc.ServerCredentials | None:
    """Return credentials that follow the files; None if TLS is not set.

    Raises:
        StartError: A file cannot be read, or holds no key or certificate.
    """
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    files = _CertificateFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    try:
        first = files.read()
        # Checked here because grpc reports a bad pair at the first handshake only.
        files.check()
    except OSError as error:
        pair = f"--tls-cert {settings.tls_cert}, --tls-key {settings.tls_key}"
        raise StartError(f"{pair}: cannot be used: {error.strerror or error}") from None
    # grpc takes None for "no change", which its types do not say.
    fetch = cast(Callable[[], grpc.ServerCertificateConfiguration], files.changed)
    return grpc.dynamic_ssl_server_credentials(first, fetch, settings.tls_client_ca is not None)


class _CertificateFiles:
    def __init__(self, cert: Path, key: Path, client_ca: Path | None) -> None:
        self._cert, self._key, self._client_ca = cert, key, client_ca
        self._stamp = self._stamps()

    def read(self) -> grpc.ServerCertificateConfiguration:
        pair = (self._key.read_bytes(), self._cert.read_bytes())
        roots = self._client_ca.read_bytes() if self._client_ca else None
        return grpc.ssl_server_certificate_configuration([pair], roots)

    def check(self) -> None:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self._cert, self._key)

    def changed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the new certificates, None if they are as before; called for each handshake."""
        try:
            stamp = self._stamps()
            if stamp == self._stamp:
                return None
            self.check()  # half-written files keep the old pair in force
            fresh = self.read()
        except OSError:
            _log.exception("the new TLS files cannot be used; the old ones stay in force")
            return None
        self._stamp = stamp
        _log.info("TLS files read again")
        return fresh

    def _stamps(self) -> tuple[tuple[int, int], ...]:
        files = [file.stat() for file in (self._cert, self._key, self._client_ca) if file is not None]
        return tuple((file.st_mtime_ns, file.st_ino) for file in files)


HEALTH_SERVICE_NAME = health.SERVICE_NAME
#: The name of health that says whether all layers of the isolation of jobs are on.
ISOLATION = "i2s.isolation"


def _status(serving: bool) -> int:
    return int(
        health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
    )


class Health:
    """NOT_SERVING from the start until ``set`` is called, and for good once draining.

    The name ISOLATION is NOT_SERVING also while a layer of the isolation of jobs is off.
    """

    def __init__(self, wire_names: Iterable[str], telemetry: Telemetry) -> None:
        """Prepare.

        Args:
            wire_names: Full names of the gRPC services.
            telemetry: Is told whether the service serves, and knows whether the isolation is degraded.
        """
        self._names, self._telemetry = ("", *wire_names), telemetry
        self._servicer = health.aio.HealthServicer()

    async def set(self, serving: bool) -> None:
        """Say whether the service can work."""
        self._telemetry.serving(serving)
        for name in self._names:
            await self._servicer.set(name, _status(serving))
        isolated = serving and not self._telemetry.is_isolation_degraded
        await self._servicer.set(ISOLATION, _status(isolated))

    async def drain(self) -> None:
        """Say NOT_SERVING from now on, whatever is set later."""
        self._telemetry.serving(False)
        await self._servicer.enter_graceful_shutdown()

    def add_to(self, server: grpc.aio.Server) -> None:
        """Answer health checks at this server."""
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
