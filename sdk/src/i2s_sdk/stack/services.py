"""The services that a command needs: running ones that were named, started ones otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.clients import AsyncMetricsClient, AsyncRenderClient, RetryPolicy
from i2s_sdk.clients.metrics import SERVICE as METRICS_WIRE_NAME
from i2s_sdk.clients.render import SERVICE as RENDER_WIRE_NAME
from i2s_sdk.settings import Settings
from i2s_sdk.stack.child import Child
from i2s_sdk.stack.command import ServiceCommand
from i2s_sdk.stack.local import local_services

RENDER_LATEX, METRICS = "render-latex", "metrics"


@dataclass(frozen=True, slots=True)
class Services:
    """Clients of the services that were asked for, all of which serve.

    Attributes:
        clients: By name.
        children: Those that were started here, by name.
    """

    clients: dict[str, AsyncRenderClient | AsyncMetricsClient]
    children: dict[str, Child]

    @property
    def renderer(self) -> AsyncRenderClient:
        """The LaTeX renderer, which was asked for."""
        client = self.clients[RENDER_LATEX]
        assert isinstance(client, AsyncRenderClient)
        return client

    @property
    def scorer(self) -> AsyncMetricsClient:
        """The metric service, which was asked for."""
        client = self.clients[METRICS]
        assert isinstance(client, AsyncMetricsClient)
        return client


@asynccontextmanager
async def open_services(
    settings: Settings,
    logs: Path,
    needed: Collection[str] = (RENDER_LATEX, METRICS),
    preambles: Sequence[Path] = (),
) -> AsyncIterator[Services]:
    """Have services as long as the block lasts.

    Args:
        settings: Addresses of running services, and how long to wait.
        logs: Folder for the logs of those that are started.
        needed: Names of services.
        preambles: Files that a LaTeX renderer started here prepares a format for.

    Yields:
        Clients; they are closed, and what was started is stopped, at the end of the block.

    Raises:
        StackError: A service cannot be started, or dies again and again (then the block is cancelled).
        ServiceUnavailableError: A named service does not serve within ``settings.start_seconds``.
    """
    named = {RENDER_LATEX: settings.render_latex, METRICS: settings.metrics}
    commands = {
        RENDER_LATEX: ServiceCommand(RENDER_LATEX, RENDER_WIRE_NAME, _preamble_flags(preambles)),
        METRICS: ServiceCommand(METRICS, METRICS_WIRE_NAME),
    }
    to_start = [commands[name] for name in needed if not named[name]]
    retry = RetryPolicy(total_seconds=settings.retry_seconds)
    async with AsyncExitStack() as stack:
        children = await stack.enter_async_context(local_services(to_start, logs, settings.start_seconds))
        clients: dict[str, AsyncRenderClient | AsyncMetricsClient] = {}
        for name in needed:
            address = named[name] or children[name].address
            kind = AsyncMetricsClient if name == METRICS else AsyncRenderClient
            client = kind(address, deadline=settings.deadline, retry=retry)
            clients[name] = await stack.enter_async_context(client)
            if named[name]:
                await client.wait_ready(settings.start_seconds)
        yield Services(clients, children)


def _preamble_flags(preambles: Sequence[Path]) -> tuple[str, ...]:
    return tuple(word for path in preambles for word in ("--preamble", str(path)))
