"""The interface between a service and the chassis."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from i2s_chassis.server.admission import Admission
from i2s_chassis.server.telemetry import Telemetry

if TYPE_CHECKING:
    import grpc.aio

    from i2s_chassis.jail import Jail

#: Adds a service's servicers to the server.
Register = Callable[["grpc.aio.Server"], None]


@dataclass(frozen=True, slots=True)
class Chassis:
    """The parts of the chassis that a service is given when it opens."""

    #: Slots and queue; every job holds a slot.
    admission: Admission
    #: What to count and measure.
    telemetry: Telemetry
    #: Set when the service shall end: what runs is finished, nothing is begun.
    draining: asyncio.Event
    #: The function that is told whether the service can work. While it cannot, health is NOT_SERVING and
    #: every call is answered UNAVAILABLE.
    set_healthy: Callable[[bool], Awaitable[None]]
    #: The jail of a renderer, which was started while the service had more privileges; None elsewhere.
    jail: Jail | None = None


class Service(Protocol):
    """One engine behind the wire."""

    @property
    def name(self) -> str:
        """Name in logs, metrics and the announcement: "documents"."""

    @property
    def wire_names(self) -> tuple[str, ...]:
        """Full names of its gRPC services: ("i2s.render.v1.RenderService",)."""

    def open(self, chassis: Chassis) -> AbstractAsyncContextManager[Register]:
        """Warm up, pass the self-tests and a canary, then give out how to register the servicers.

        The port is bound before; calls are answered UNAVAILABLE until the context is entered.
        Leaving the context closes everything; all calls have ended by then.

        Raises:
            StartError: Something is missing on this machine.
        """
