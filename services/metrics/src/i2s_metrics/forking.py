"""Starting and ending the processes of this service, which confine themselves before they do anything."""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import TypeVar

from i2s_chassis.jail.own_process import Confinement, ConfinementError, Needs, confine
from i2s_metrics.frames import LENGTH, framed, pack_confinement, pack_fault, unpack_confinement

S = TypeVar("S")

_MOST_REPORT_BYTES = 64 * 1024


class WorkerLostError(Exception):
    """The process ended before it answered."""


@dataclass(frozen=True, slots=True)
class Child:
    """A process of ours, and our end of the socket to it.

    Attributes:
        confinement: What it said that it is confined by; None for nothing.
    """

    process: ForkServerProcess
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    confinement: Confinement | None = None

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.is_alive() and not self.reader.at_eof()

    async def send(self, body: bytes) -> None:
        """Write a frame.

        Raises:
            WorkerLostError: The process does not listen any more.
        """
        try:
            self.writer.write(framed(body))
            await self.writer.drain()
        except ConnectionError as error:
            raise WorkerLostError from error

    async def receive(self, most_bytes: int) -> bytes:
        """Read a frame.

        Raises:
            WorkerLostError: The process ended, or wants to send more than ``most_bytes``.
        """
        try:
            (length,) = LENGTH.unpack(await self.reader.readexactly(LENGTH.size))
            if length > most_bytes:
                raise WorkerLostError(f"an answer of {length} bytes")
            return await self.reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise WorkerLostError from error

    async def end(self) -> None:
        """Kill the process and wait for its end."""
        self.writer.close()
        self.process.kill()
        await asyncio.to_thread(self.process.join)
        self.process.close()


async def start(target: Callable[[socket.socket, S], None], settings: S, needs: Needs | None) -> Child:
    """Start a process that runs ``target`` with its end of a socket and its settings, once it is confined.

    Args:
        target: Runs until the other end is closed.
        settings: Of the target.
        needs: What stays permitted to the process; None leaves it unconfined.

    Raises:
        WorkerLostError: It ended before it was confined.
        WorkerError: It cannot be confined; the message says why.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        process = _context().Process(target=_enter, args=(theirs, target, settings, needs), daemon=True)
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            await asyncio.to_thread(process.start)
        except BaseException:
            writer.close()
            raise
    child = Child(process, reader, writer)
    try:
        return replace(child, confinement=unpack_confinement(await child.receive(_MOST_REPORT_BYTES)))
    except BaseException:
        await child.end()
        raise


def _enter(
    connection: socket.socket,
    target: Callable[[socket.socket, S], None],
    settings: S,
    needs: Needs | None,
) -> None:
    # Ctrl-C reaches the whole group; the service decides when its processes end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        confinement = confine(needs, [connection.fileno()]) if needs is not None else None
    except ConfinementError as error:
        connection.sendall(framed(pack_fault(f"the process cannot be confined: {error}")))
        return
    connection.sendall(framed(pack_confinement(confinement)))
    target(connection, settings)


def _context() -> ForkServerContext:
    # Workers are forked from a process that has everything imported and nothing else: importing
    # takes seconds, and forking this process would copy its threads' locks.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", "i2s_metrics.origin"])
    return context
