"""A TCP proxy: forwards connections from a port to a service.

Run as ``python -m i2s_sdk.stack.tcp_proxy 7740=metrics:7740 …``. Services in containers are in networks
without a route to the outside. This program alone is in those networks and in one with a route. It forwards
bytes unread. Each connection goes to the next of the addresses that the name of the service has at that
moment.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import signal
import socket
import sys
from collections.abc import Sequence
from typing import Any

_CHUNK = 64 * 1024
_CONNECT_SECONDS = 5.0


async def forward(port: int, host: str, target: int) -> None:
    """Serve a port for ever.

    Args:
        port: Port to listen at, on every address of this container.
        host: Name of the service.
        target: Its port.
    """
    turns = itertools.count()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await _connect(host, target, next(turns))
        except OSError:
            writer.close()
            return
        try:
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            writer.close()
            far_writer.close()

    server = await asyncio.start_server(connected, port=port)
    async with server:
        await server.serve_forever()


async def _connect(host: str, port: int, turn: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to one of the addresses of a name, beginning with another one each turn.

    Raises:
        OSError: None of them answers.
    """
    loop = asyncio.get_running_loop()
    entries = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = sorted({str(entry[4][0]) for entry in entries})
    failure: OSError = ConnectionRefusedError(f"{host} has no address")
    for step in range(len(addresses)):
        address = addresses[(turn + step) % len(addresses)]
        try:
            return await asyncio.wait_for(asyncio.open_connection(address, port), _CONNECT_SECONDS)
        except OSError as error:  # TimeoutError is one too
            failure = error
    raise failure


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.write_eof()


async def run(routes: Sequence[str]) -> None:
    """Forward all routes, such as "7740=metrics:7740", until SIGTERM."""
    end = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, end.set)
    tasks: list[asyncio.Task[Any]] = [asyncio.create_task(end.wait())]
    for route in routes:
        port, _, target = route.partition("=")
        host, _, far = target.rpartition(":")
        tasks.append(asyncio.create_task(forward(int(port), host, int(far))))
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    for task in done:
        task.result()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1:]))
