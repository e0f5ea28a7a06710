"""The process that holds services between ``i2s-sdk up`` and ``i2s-sdk down``.

Run as ``python -m i2s_sdk.stack.supervise SECONDS all|installed LOCK HTTP NAME…``, with the address of the
HTTP gateway or "". It starts the services as its children, and the gateway after them, restarts those that
die, writes the record once all serve, and ends with them at SIGTERM. However it ends, they end too. At
SIGUSR1 it adds the gateway that was asked for (``request_gateway``).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack

from i2s_client.service_table import GATEWAY, SERVICES
from i2s_sdk.errors import I2SError, StackError
from i2s_sdk.stack.child import local_services
from i2s_sdk.stack.services import gateway_command, service_command
from i2s_sdk.stack.state import (
    GATEWAY_WANTED,
    StackKind,
    Up,
    UpService,
    remove_record,
    requested_gateway,
    stack_folder,
    supervising,
    write_record,
)

#: Services without which nothing can be evaluated; the others may be absent.
NEEDED = tuple(one.name for one in SERVICES if not one.optional)

DoWithout = Callable[[str, StackError], None]


async def supervise(
    names: Sequence[str], seconds: float, *, insist: bool, http: str, started: Callable[[], None]
) -> None:
    """Run services until SIGTERM.

    Args:
        names: Names of the services.
        seconds: Seconds that each may take until it serves.
        insist: Whether all of them must start, or only those that everything needs.
        http: Address of the HTTP gateway; empty for none.
        started: Called when all serve and the record is written.

    Raises:
        StackError: One cannot be started, died too often, or services are up already.
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
        holding = asyncio.create_task(_hold(names, seconds, http, missing, do_without, started, wanted))
        ending = asyncio.create_task(end.wait())
        try:
            await asyncio.wait({holding, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            remove_record(folder)  # before the services end: nobody shall find them any more
            ending.cancel()
            holding.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await holding


async def _hold(
    names: Sequence[str],
    seconds: float,
    http: str,
    missing: dict[str, str],
    do_without: DoWithout,
    on_started: Callable[[], None],
    gateway_wanted: asyncio.Event,
) -> None:
    folder = stack_folder()
    commands = [service_command(name) for name in names]
    async with local_services(commands, folder, seconds, do_without) as children, AsyncExitStack() as held:
        behind = {name: children[name].address for name in names if name in children}
        addresses = dict(behind)

        async def add_gateway(listen: str) -> None:
            gateway = local_services([gateway_command(behind, listen)], folder, seconds)
            added = await held.enter_async_context(gateway)
            addresses.update((name, one.address) for name, one in added.items())

        def record() -> None:
            started = tuple(UpService(*pair) for pair in addresses.items())
            write_record(Up(StackKind.PROCESSES, started, missing), folder)

        if http:
            await add_gateway(http)
        record()
        on_started()
        while True:
            await gateway_wanted.wait()
            gateway_wanted.clear()
            missing.pop(GATEWAY, None)
            try:
                await add_gateway(requested_gateway(folder))
            except StackError as error:
                missing[GATEWAY] = error.message
            record()


def main(arguments: list[str]) -> int:
    """Run until a signal ends it; return 1 if a service cannot be started or stops too often, else 0."""
    logging.basicConfig(format="%(message)s", stream=sys.stderr, level=logging.WARNING)
    seconds, which, lock, http = float(arguments[0]), arguments[1], int(arguments[2]), arguments[3]
    names, started = arguments[4:], functools.partial(os.close, lock)
    os.set_inheritable(lock, False)  # of us, not of the services
    try:
        asyncio.run(supervise(names, seconds, insist=which == "all", http=http, started=started))
    except I2SError as error:
        print(error.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
