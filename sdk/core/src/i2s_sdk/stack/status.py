"""What is up: whether it serves, and what it says."""

from __future__ import annotations

import asyncio
import http.client
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from i2s_client import AsyncDocumentsClient, AsyncMetricsClient, AsyncRenderClient, RetryPolicy
from i2s_client.service_table import DOCUMENTS, GATEWAY, METRICS
from i2s_sdk.errors import I2SError, StackError, UnknownNameError
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.child import last_lines
from i2s_sdk.stack.state import StackKind, UpService, read_record, stack_folder

_PATIENCE = 5.0  # seconds for a service to say how it is
_LOOK_EVERY = 0.2
_LONGEST_LINE = 4096  # bytes, on average, of those that are shown


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The state of a service.

    Attributes:
        name: Name, such as "render-latex".
        address: Where it listens.
        serves: Whether it answers and says that it serves.
        detail: Its version and isolation, or why it does not serve.
    """

    name: str
    address: str
    serves: bool
    detail: str


def status() -> tuple[ServiceState, ...]:
    """Ask every service that is up how it is; empty if nothing is up.

    Raises:
        StackError: The record of what is up cannot be read.
    """
    up = read_record()
    return run_blocking(_ask_all(up.services)) if up is not None else ()


def status_names() -> tuple[str, ...]:
    """Return the names of the services that are up."""
    up = read_record()
    return tuple(one.name for one in up.services) if up is not None else ()


def service_log(name: str, lines: int, *, follow: bool = False) -> Iterator[bytes]:
    """Yield the end of the log of a service that is up, and with ``follow`` what comes after, for ever.

    Raises:
        StackError: Nothing is up.
        UnknownNameError: That service is not up.
    """
    up = read_record()
    if up is None:
        raise StackError("nothing is up; `i2s-sdk up` starts the services")
    service = next((one for one in up.services if one.name == name), None)
    if service is None:
        raise UnknownNameError("service that is up", name, [one.name for one in up.services])
    if up.kind is StackKind.DOCKER:
        from i2s_sdk.stack.containers import container_log

        return container_log(service.runs_as, lines, follow=follow)
    return _file_log(stack_folder() / f"{name}.log", lines, follow=follow)


def _file_log(log: Path, lines: int, *, follow: bool) -> Iterator[bytes]:
    shown = last_lines(log, lines, lines * _LONGEST_LINE)
    yield "".join(f"{line}\n" for line in shown).encode()
    if not follow:
        return
    with log.open("rb") as file:
        file.seek(0, 2)
        while True:
            if piece := file.read():
                yield piece
            else:
                time.sleep(_LOOK_EVERY)


async def _ask_all(services: tuple[UpService, ...]) -> tuple[ServiceState, ...]:
    return tuple(await asyncio.gather(*(_ask(one) for one in services)))


async def _ask(service: UpService) -> ServiceState:
    once = RetryPolicy(total_seconds=_PATIENCE)
    try:
        if service.name == GATEWAY:
            return await asyncio.to_thread(_ask_gateway, service)
        if service.name == METRICS:
            async with AsyncMetricsClient(service.address, deadline=_PATIENCE, retry=once) as metrics:
                await metrics.wait_ready(_PATIENCE)
                detail = (await metrics.describe()).device
        elif service.name == DOCUMENTS:
            async with AsyncDocumentsClient(service.address, deadline=_PATIENCE, retry=once) as documents:
                await documents.wait_ready(_PATIENCE)
                said = await documents.describe()
                engines = ", ".join(f"{one.name} {one.version}" for one in said.engines)
                detail = f"{engines}, tier {said.isolation.tier.name.lower()}"
        else:
            async with AsyncRenderClient(service.address, deadline=_PATIENCE, retry=once) as renderer:
                await renderer.wait_ready(_PATIENCE)
                about = await renderer.describe()
                detail = (
                    f"{about.engine.name} {about.engine.version}, tier {about.isolation.tier.name.lower()}"
                )
    except I2SError as error:
        return ServiceState(service.name, service.address, False, error.message)
    return ServiceState(service.name, service.address, True, detail)


def _ask_gateway(service: UpService) -> ServiceState:
    """Ask the HTTP gateway. It serves if it answers; each service behind it is asked for itself."""
    connection = http.client.HTTPConnection(service.address, timeout=_PATIENCE)
    try:
        connection.request("GET", "/v1/health")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException) as error:
        return ServiceState(service.name, service.address, False, str(error) or type(error).__name__)
    finally:
        connection.close()
    return ServiceState(service.name, service.address, True, f"http://{service.address}")
