"""A gateway with all that it is made of: the services behind it, its routes, and what goes on beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from i2s_client.credentials import tls_credentials
from i2s_client.service_table import service_names
from i2s_gateway.episodes import open_episodes
from i2s_gateway.operations import Backends
from i2s_gateway.renewal import watched
from i2s_gateway.rewards import open_rewards
from i2s_gateway.serve import serve_gateway
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.settings import Settings
from i2s_sdk.stack.lifecycle import check_free
from i2s_sdk.stack.services import Services, open_services, passing_logs


async def run_gateway(
    names: Sequence[str],
    settings: Settings,
    gateway: GatewaySettings,
    announce: Path | None,
    on_ready: Callable[[Sequence[str], str], None],
) -> None:
    """Serve until cancelled.

    Args:
        names: Names of the services; none means all that are up, are configured or can be started here.
        settings: Settings of the SDK.
        gateway: Those of the gateway.
        announce: File that gets the address once it serves; None for none.
        on_ready: Called then with the names of the services and the URL.

    Raises:
        UnknownNameError: There is no such service.
        UsageError: There is none to be served, or a package is missing that the store needs.
        SettingsError: An address or a certificate cannot be used, or services would be open to all.
        StackError: A service that was named cannot be started.
    """
    known = tuple(dict.fromkeys((*service_names(), *settings.other_addresses)))
    for name in names:
        if name not in known:
            raise UnknownNameError("service", name, known)
    check_free(gateway.listen)  # before services are started
    if gateway.metrics_listen is not None:
        check_free(gateway.metrics_listen, "--metrics-listen")
    async with AsyncExitStack() as stack:
        logs = stack.enter_context(passing_logs())
        # Replicas of services come and go while a gateway serves: that one is away now is no reason to wait.
        opened = open_services(settings, logs, names or known, () if names else known, await_named=False)
        services = await stack.enter_async_context(opened)
        if not services.clients:
            raise UsageError("there is no service to be served; `i2s-sdk doctor` says what is missing")
        files = (settings.tls_ca, settings.tls_cert, settings.tls_key)
        await stack.enter_async_context(watched(files, lambda: _renew(services, settings)))
        rewards = open_rewards(services, settings, gateway)
        stack.push_async_callback(rewards.close)
        episodes = open_episodes(rewards, settings, gateway)
        await stack.enter_async_context(episodes.swept())
        await serve_gateway(
            Backends(services.clients, gateway),
            gateway,
            further=[rewards.routes, episodes.routes],
            announce=announce,
            on_ready=lambda url: on_ready(tuple(services.clients), url),
        )


def _renew(services: Services, settings: Settings) -> None:
    """Have calls that begin from now on use the certificates that lie in the files now."""
    credentials = tls_credentials(settings.tls_ca, settings.tls_cert, settings.tls_key)
    for client in services.clients.values():
        if client.credentials is not None and credentials is not None:
            client.renew(credentials)
