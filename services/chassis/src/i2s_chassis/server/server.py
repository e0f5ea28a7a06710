"""The life of a service: bind, announce, start, serve, drain, end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from i2s_chassis.callers.access import AccessFile
from i2s_chassis.callers.quota import CallerAccounts
from i2s_chassis.jail.work_folder import remove_stale
from i2s_chassis.server.admission import Admission
from i2s_chassis.server.privileges import ServicePrivileges
from i2s_chassis.server.service import Chassis, Service
from i2s_chassis.server.settings import ServiceSettings
from i2s_chassis.server.spans import exporting
from i2s_chassis.server.start import undisturbed
from i2s_chassis.server.telemetry import Telemetry

if TYPE_CHECKING:
    from i2s_chassis.jail import Jail

# grpc's own lines are not JSON and anybody who can connect can cause them; GRPC_VERBOSITY brings
# them back. It is read when grpc is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from i2s_chassis.callers.gate import Gate, Origins, Phase
from i2s_chassis.server.listeners import Health, announced, listening

_log = logging.getLogger(__name__)


def run_service(
    service: Service,
    settings: ServiceSettings,
    standing: ServicePrivileges,
    jail: Jail | None = None,
    removed: Sequence[Path] = (),
) -> int:
    """Serve until a signal to stop, in a process of its own; returns the exit code as ``serve`` does.

    Args:
        service: What to serve.
        settings: Settings of the service.
        standing: Privileges with which this process runs.
        jail: The jail, which was started with more privileges; closed at the end.
        removed: Folders of killed services that were removed before; for the log.
    """
    with exporting(service.name):
        return asyncio.run(serve(service, settings, standing, jail, removed))


async def serve(
    service: Service,
    settings: ServiceSettings,
    standing: ServicePrivileges,
    jail: Jail | None = None,
    removed: Sequence[Path] = (),
) -> int:
    """Serve until SIGTERM or SIGINT, then drain.

    Health is NOT_SERVING until the service is open. At the signal it is NOT_SERVING again, new
    calls get UNAVAILABLE, and running jobs have ``drain_seconds``; then the rest is cancelled with
    UNAVAILABLE. A second signal cancels at once. It drains likewise if the monitor of the jail is lost, which
    nothing but a restart of the service replaces.

    Returns:
        The exit code: 0; 1 if a second signal cut the draining short; EX_TEMPFAIL if the monitor of the jail
        was lost.

    Raises:
        StartError: It cannot serve here; the message is for the operator.
    """
    telemetry = Telemetry(service.name)
    access = _access_file(settings)
    accounts = CallerAccounts(settings.quota, time.monotonic, access.quota_of if access else None)
    origins = Origins(access, certificates=settings.tls_client_ca is not None)
    gate = Gate(service.wire_names, telemetry, settings.max_held_bytes, origins, accounts)
    health = Health(service.wire_names, telemetry)
    await health.set(False)
    draining, at_once, monitor_lost = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def set_healthy(healthy: bool) -> None:
        if gate.phase in {Phase.SERVING, Phase.UNHEALTHY}:
            gate.phase = Phase.SERVING if healthy else Phase.UNHEALTHY
            await health.set(healthy)

    admission = Admission(
        settings.slots,
        settings.queue,
        telemetry,
        pushback=settings.pushback,
        half_life=settings.share_half_life_seconds,
        accounts=accounts,
    )
    chassis = Chassis(admission, telemetry, draining, set_healthy, jail)
    try:
        async with AsyncExitStack() as stack:
            if jail is not None:
                stack.push_async_callback(jail.close)
                telemetry.cells(lambda: jail.open_cells)
            stop = _stopper(draining, gate)
            stack.enter_context(_stop_signals(stop, draining, at_once))
            if jail is not None:
                stack.enter_context(_watched(jail, stop, monitor_lost))
            stack.enter_context(_reload_signal(access))
            bound = await stack.enter_async_context(
                listening(settings, gate, health, service.wire_names, telemetry.registry)
            )
            stack.enter_context(announced(settings.announce, service.name, bound, standing.announcer))
            _log.info("listening", extra={"fields": asdict(bound)})
            _log_standing(standing)
            if removed := [*removed, *await asyncio.to_thread(remove_stale)]:
                folders = [str(path) for path in removed]
                _log.info("removed what killed services have left", extra={"fields": {"folders": folders}})
            register = await undisturbed(lambda: stack.enter_async_context(service.open(chassis)))
            await asyncio.sleep(0)  # a signal that came at the very end of the start takes effect here
            register(gate.registrar())
            gate.phase = Phase.SERVING
            await health.set(True)
            _log.info("serving", extra={"fields": {"address": bound.address, "slots": settings.slots}})

            await draining.wait()
            _log.info("draining", extra={"fields": {"seconds": settings.drain_seconds}})
            gate.phase = Phase.DRAINING
            await health.drain()
            await gate.finish(settings.drain_seconds, at_once)
    except asyncio.CancelledError:
        if gate.phase is not Phase.STARTING or not draining.is_set():
            raise
        _log.info("stopped while starting")
    _log.info("ended")
    if monitor_lost.is_set():
        return os.EX_TEMPFAIL
    return 1 if at_once.is_set() else 0


def _log_standing(standing: ServicePrivileges) -> None:
    if standing.reason:
        fields = {"mechanism": standing.mechanism, "reason": standing.reason}
        _log.warning("started as root and stays user 0", extra={"fields": fields})
    else:
        _log.info("privileges given up", extra={"fields": {"mechanism": standing.mechanism}})


def _access_file(settings: ServiceSettings) -> AccessFile | None:
    if settings.access_file is None:
        return None
    return AccessFile(settings.access_file, settings.quota, time.monotonic)


@contextmanager
def _reload_signal(access: AccessFile | None) -> Iterator[None]:
    """Read the access file again at SIGHUP; without such a file the signal does what it does by default."""
    if access is None:
        yield
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, access.reload)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)


def _stopper(draining: asyncio.Event, gate: Gate) -> Callable[[], None]:
    """Return what begins the draining, or cancels a start."""
    serving = asyncio.current_task()

    def stop() -> None:
        draining.set()
        if gate.phase is Phase.STARTING and serving is not None:
            serving.cancel()

    return stop


@contextmanager
def _stop_signals(
    stop: Callable[[], None], draining: asyncio.Event, at_once: asyncio.Event
) -> Iterator[None]:
    """Call ``stop`` at the first signal, and set ``at_once`` at a second."""
    loop = asyncio.get_running_loop()

    def received() -> None:
        if draining.is_set():
            at_once.set()
        stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, received)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


def _watched(
    jail: Jail, stop: Callable[[], None], monitor_lost: asyncio.Event
) -> AbstractContextManager[None]:
    """Call ``stop``, and set ``monitor_lost``, if the monitor of the jail ends."""

    def lost() -> None:
        _log.error("the monitor process of the jail was lost; the service ends and must be started again")
        monitor_lost.set()
        stop()

    return jail.watched(lost)
