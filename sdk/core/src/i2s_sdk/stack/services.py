"""The services that a command needs: running ones that were named, started ones otherwise."""

from __future__ import annotations

import logging
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from i2s_client import AsyncDocumentsClient, AsyncMetricsClient, AsyncRenderClient, RetryPolicy
from i2s_client.credentials import tls_credentials
from i2s_client.service_table import (
    DOCUMENTS,
    GATEWAY,
    METRICS,
    NEEDED,
    default_port,
    variable_name,
    wire_name,
)
from i2s_sdk.errors import I2SError, RequestRefusedError, ServiceUnavailableError, UsageError
from i2s_sdk.settings import FREE_PORTS, Settings
from i2s_sdk.stack.child import Child, local_services
from i2s_sdk.stack.command import ServiceCommand
from i2s_sdk.stack.state import up_address
from i2s_sdk.tasks.latex.document import preamble_files
from i2s_wire.renderers import RENDERER_SPECS


@contextmanager
def passing_logs() -> Iterator[Path]:
    """Yield a new folder that is removed at the end.

    It is kept if something failed that its logs can explain: something was raised, which was not the
    caller's mistake, and there are logs.
    """
    folder = Path(tempfile.mkdtemp(prefix="i2s-logs-"))
    explains = False
    try:
        yield folder
    except (UsageError, RequestRefusedError):
        raise
    except BaseException:
        explains = any(folder.glob("*.log"))
        raise
    finally:
        if not explains:
            shutil.rmtree(folder, ignore_errors=True)


_log = logging.getLogger(__name__)

Client = AsyncRenderClient | AsyncMetricsClient | AsyncDocumentsClient

_CLIENTS: Mapping[str, type[Client]] = {METRICS: AsyncMetricsClient, DOCUMENTS: AsyncDocumentsClient}


def client_kind(name: str) -> type[Client]:
    """Return the class of the client of a service."""
    return _CLIENTS.get(name, AsyncRenderClient)


@dataclass(frozen=True, slots=True)
class Services:
    """Clients of the services that were asked for, all of which serve."""

    #: Renderers by name.
    renderers: Mapping[str, AsyncRenderClient]
    #: The metric service, if it was asked for.
    metrics: AsyncMetricsClient | None
    #: Services that were started here, by name.
    children: Mapping[str, Child]
    #: Why those are not here that could be done without, by name.
    missing: Mapping[str, I2SError] = field(default_factory=dict)
    #: The documents service, if it was asked for.
    documents: AsyncDocumentsClient | None = None

    @property
    def clients(self) -> dict[str, Client]:
        """All clients by name."""
        others: dict[str, Client | None] = {METRICS: self.metrics, DOCUMENTS: self.documents}
        return {**self.renderers, **{name: client for name, client in others.items() if client is not None}}

    @property
    def converter(self) -> AsyncDocumentsClient:
        """The documents service, which was asked for."""
        assert self.documents is not None
        return self.documents

    @property
    def scorer(self) -> AsyncMetricsClient:
        """The metric service, which was asked for."""
        assert self.metrics is not None
        return self.metrics


@asynccontextmanager
async def open_services(
    settings: Settings,
    logs: Path,
    needed: Collection[str] = NEEDED,
    optional: Collection[str] = (),
    *,
    await_named: bool = True,
) -> AsyncIterator[Services]:
    """Have services as long as the block lasts.

    Args:
        settings: Addresses of running services, and how long to wait. Those that ``up`` has started are
            found without an address.
        logs: Folder for the logs of those that are started.
        needed: Names of services.
        optional: Names of those that may be missing, among the needed ones: if such a one cannot be
            started, or does not serve at its address, the reason is told and kept and the block goes on.
        await_named: Whether services at known addresses have to serve before the block begins. Without it
            the block has clients of all of them, and some may not be there yet.

    Yields:
        Clients; they are closed, and what was started is stopped, at the end of the block.

    Raises:
        StackError: A service cannot be started, or dies again and again (then the block is cancelled).
        ServiceUnavailableError: A named service does not serve within ``settings.start_seconds``.
        SettingsError: A file for TLS cannot be read.
    """
    named = {name: known_address(settings, name) for name in needed}
    commands = [service_command(name) for name in needed if not named[name]]
    missing: dict[str, I2SError] = {}

    def do_without(name: str, error: I2SError) -> None:
        if name not in optional:
            raise error
        missing[name] = error
        _log.warning("%s", error.message)

    async with AsyncExitStack() as stack:
        children = await stack.enter_async_context(
            local_services(commands, logs, settings.start_seconds, do_without)
        )
        renderers: dict[str, AsyncRenderClient] = {}
        metrics: AsyncMetricsClient | None = None
        documents: AsyncDocumentsClient | None = None
        for name, address in named.items():
            if not address and name not in children:
                continue
            client = _client(name, address, children, settings)
            await stack.enter_async_context(client)
            if address and await_named:
                try:
                    await client.wait_ready(settings.start_seconds)
                except ServiceUnavailableError as error:
                    do_without(name, error)
                    continue
            match client:
                case AsyncMetricsClient():
                    metrics = client
                case AsyncDocumentsClient():
                    documents = client
                case AsyncRenderClient():
                    renderers[name] = client
        yield Services(renderers, metrics, children, missing, documents)


def address_of(settings: Settings, name: str) -> str | None:
    """Return the address that the settings give for a service; None if it is to be started."""
    return settings.address_of(name)


def known_address(settings: Settings, name: str) -> str | None:
    """Return where a service is: as the settings say, else where ``up`` has started it; None for neither."""
    return address_of(settings, name) or up_address(name)


def service_command(name: str, ports: str = FREE_PORTS) -> ServiceCommand:
    """Return how a service is started here.

    Args:
        name: Name of the service.
        ports: Where it listens, as the setting ``up_ports`` says.
    """
    option = next(
        (renderer_spec.preamble_option for renderer_spec in RENDERER_SPECS if renderer_spec.name == name), ""
    )
    arguments = tuple(word for path in preamble_files() for word in (option, str(path))) if option else ()
    return ServiceCommand(name, wire_name(name), arguments, listen=up_listen(name, ports))


def up_listen(name: str, ports: str) -> str:
    """Return where a service of ``up`` listens; with port 0 the system chooses.

    Args:
        name: Name of the service.
        ports: The setting ``up_ports``.
    """
    own = default_port(name)
    if ports == FREE_PORTS or not own:
        return "127.0.0.1:0"
    return f"127.0.0.1:{own + int(ports)}"


def gateway_command(addresses: Mapping[str, str], listen: str) -> ServiceCommand:
    """Return how the HTTP gateway is started here.

    Args:
        addresses: Addresses of the services behind it, by name.
        listen: The address at which it listens, on the loopback.
    """
    return ServiceCommand(
        GATEWAY,
        None,
        tuple(addresses),
        program=(sys.executable, "-m", "i2s_sdk.cli", GATEWAY),
        listen=listen,
        environment={variable_name(name): address for name, address in addresses.items()},
    )


def _client(name: str, address: str | None, children: Mapping[str, Child], settings: Settings) -> Client:
    kind = client_kind(name)
    retry = RetryPolicy(total_seconds=settings.retry_seconds)
    if address is None:
        return kind(children[name].address, deadline=settings.deadline, retry=retry)
    is_ours = address_of(settings, name) is None  # from ``up``: on the loopback, without TLS
    if is_ours:
        return kind(address, deadline=settings.deadline, retry=retry)
    credentials = tls_credentials(settings.tls_ca, settings.tls_cert, settings.tls_key)
    token = settings.token_for(name)
    return kind(address, deadline=settings.deadline, retry=retry, credentials=credentials, token=token)
