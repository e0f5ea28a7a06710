"""The process that holds services between ``i2s-sdk up`` and ``i2s-sdk down``.

Run as ``python -m i2s_sdk.stack.supervise SECONDS all|installed LOCK HTTP PORTS NAME…``, with the address of
the HTTP gateway or "". It starts the services as its children, and the gateway after them, restarts those
that die, writes the record once each serves or has died again and again, and ends with them at SIGTERM.
However it ends, they end too. At SIGUSR1 it adds the gateway that was asked for (``request_gateway``).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence, Set
from contextlib import AsyncExitStack
from pathlib import Path

from i2s_client.service_table import GATEWAY, NEEDED
from i2s_sdk.errors import I2SError, StackError
from i2s_sdk.stack.child import Child, keep_bounded, local_services
from i2s_sdk.stack.command import ServiceCommand
from i2s_sdk.stack.services import gateway_command, service_command
from i2s_sdk.stack.state import (
    GATEWAY_WANTED,
    SUPERVISOR_LOG,
    StackKind,
    Up,
    UpService,
    remove_record,
    requested_gateway,
    stack_folder,
    supervising,
    write_record,
)

_log = logging.getLogger(__name__)

DoWithout = Callable[[str, StackError], None]


async def supervise(
    names: Sequence[str],
    seconds: float,
    *,
    insist: bool,
    http: str,
    ports: str,
    started: Callable[[], None],
) -> None:
    """Run services until SIGTERM.

    Args:
        names: Names of the services.
        seconds: Seconds that each may take until it serves.
        insist: Whether all of them must be installed, or only those that everything needs.
        http: Address of the HTTP gateway; empty for none.
        ports: The setting ``up_ports``.
        started: Called when all serve and the record is written.

    Raises:
        StackError: One is not installed, none can be started, or services are up already.
    """
    missing: dict[str, str] = {}

    def do_without(name: str, error: StackError) -> None:
        if insist or name in NEEDED:
            raise error
        missing[name] = error.message

    end = asyncio.Event()
    wanted = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, end.set)
    asyncio.get_running_loop().add_signal_handler(GATEWAY_WANTED, wanted.set)
    folder = stack_folder()
    with supervising(folder):
        commands = [service_command(name, ports) for name in names]
        stack = _Stack(folder, missing, end, wanted)
        holding = asyncio.create_task(stack.hold(commands, seconds, http, do_without, started))
        ending = asyncio.create_task(end.wait())
        bounding = asyncio.create_task(keep_bounded(folder / SUPERVISOR_LOG))
        try:
            await asyncio.wait({holding, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            remove_record(folder)  # before the services end: nobody shall find them any more
            bounding.cancel()
            ending.cancel()
            holding.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await holding


class _Stack:
    """The services of a supervisor, their gateway, and the record of them.

    A service that fails when the gateway is started is not behind it: the gateway waits for each at its
    start, and at the address of one that fails somebody else may listen. Once it serves, the gateway is
    started again, with it, at the same address.
    """

    def __init__(
        self, folder: Path, missing: dict[str, str], end: asyncio.Event, changed: asyncio.Event
    ) -> None:
        self._folder, self._missing, self._end = folder, missing, end
        self._children: dict[str, Child] = {}
        self._failing: dict[str, str] = {}
        self._recorded = False
        self._changed = changed  # a gateway is wanted, or one that was left out of it serves again
        self._left_out: Set[str] = frozenset()  # services that failed when the gateway was started

    async def hold(
        self,
        commands: Sequence[ServiceCommand],
        seconds: float,
        http: str,
        do_without: DoWithout,
        on_started: Callable[[], None],
    ) -> None:
        """Run services, and the gateway that is asked for, until this is cancelled."""
        services = local_services(commands, self._folder, seconds, do_without, self._note)
        async with services as children, AsyncExitStack() as held:
            self._children.update(children)

            async def put_gateway(listen: str) -> None:
                serving = {name: child for name, child in children.items() if name not in self._failing}
                self._left_out = children.keys() - serving.keys()
                behind = {name: child.address for name, child in serving.items()}
                await held.aclose()  # ends the one before
                gateway = local_services(
                    [gateway_command(behind, listen)], self._folder, seconds, on_failing=self._note
                )
                self._children.update(await held.enter_async_context(gateway))

            if http:
                await put_gateway(http)
            self._recorded = True
            self._record()
            on_started()
            while True:
                await self._changed.wait()
                self._changed.clear()
                before = self._children.get(GATEWAY)
                if before is not None and self._left_out <= self._failing.keys():  # it has failed again
                    continue
                self._missing.pop(GATEWAY, None)
                try:
                    await put_gateway(before.address if before else requested_gateway(self._folder))
                except StackError as error:
                    self._left_out = frozenset()
                    self._changed.clear()
                    self._children.pop(GATEWAY, None)
                    self._failing.pop(GATEWAY, None)
                    self._missing[GATEWAY] = error.message
                    _log.warning("%s", error.message)
                self._record()

    def _note(self, name: str, reason: str | None) -> None:
        """Take note of a service that dies at each start, or serves again."""
        if reason is None:
            self._failing.pop(name, None)
            if name in self._left_out:
                self._changed.set()
        else:
            self._failing[name] = reason
        if self._recorded:  # else `up` says it
            _log.warning("%s", f"{name} serves again" if reason is None else reason)
            self._record()

    def _record(self) -> None:
        if self._end.is_set():  # nobody shall find them any more
            return
        services = tuple(
            UpService(name, child.address)
            for name, child in self._children.items()
            if _has_port(child.address)
        )
        write_record(Up(StackKind.PROCESSES, services, self._missing, self._failing), self._folder)


def _has_port(address: str) -> bool:
    """Return whether an address is known: whether its port was chosen."""
    return not address.endswith(":0")


def main(arguments: list[str]) -> int:
    """Run until a signal ends it; return 1 if a service is not installed or none starts, else 0."""
    logging.basicConfig(format="%(message)s", stream=sys.stderr, level=logging.WARNING)
    seconds, which, lock = float(arguments[0]), arguments[1], int(arguments[2])
    http, ports, *names = arguments[3:]
    started = functools.partial(os.close, lock)
    os.set_inheritable(lock, False)  # of us, not of the services
    try:
        asyncio.run(supervise(names, seconds, insist=which == "all", http=http, ports=ports, started=started))
    except I2SError as error:
        print(error.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
