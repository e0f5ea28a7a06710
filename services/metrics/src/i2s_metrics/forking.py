"""Starting and ending the processes of this service, which confine themselves before they do anything."""

from __future__ import annotations

import asyncio
import faulthandler
import multiprocessing
import os
import resource
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Protocol, TypeVar, runtime_checkable

from i2s_chassis.jail.own_process import Confinement, ConfinementError, WorkerNeeds, confine
from i2s_metrics.error_output import LOG_BYTES, ErrorLog
from i2s_metrics.frames import LENGTH, framed, pack_confinement, pack_fault, unpack_confinement

S = TypeVar("S")

_MOST_REPORT_BYTES = 64 * 1024
#: Time after the end of a process for what it wrote last; only one that is not confined can have children
#: that keep standard error open.
_LAST_WORDS_SECONDS = 1.0
_STANDARD_ERROR = 2


@runtime_checkable
class HasDescriptors(Protocol):
    """Settings of a process that come with open files."""

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Open files that the process needs once it is confined."""


class WorkerLostError(Exception):
    """The process ended before it answered."""


@dataclass(frozen=True, slots=True)
class Child:
    """A process of ours, and our end of the socket to it.

    Attributes:
        errors: Logs what the process writes to standard error, until it ends.
        confinement: What it said that it is confined by; None for nothing.
    """

    process: ForkServerProcess
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    errors: asyncio.Task[None]
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
        """Kill the process, wait for its end, and log what it wrote last."""
        self.writer.close()
        self.process.kill()
        await asyncio.to_thread(self.process.join)
        self.process.close()
        await asyncio.wait({self.errors}, timeout=_LAST_WORDS_SECONDS)
        self.errors.cancel()


async def start(
    target: Callable[[socket.socket, S], None],
    settings: S,
    needs: WorkerNeeds | None,
    log_bytes: int = LOG_BYTES,
) -> Child:
    """Start a process that runs ``target`` with its end of a socket and its settings, once it is confined.

    Args:
        target: Runs until the other end is closed.
        settings: Settings of the target.
        needs: What stays permitted to the process; None leaves it unconfined.
        log_bytes: Bytes of its standard error that are logged in each minute.

    Raises:
        WorkerLostError: It ended before it was confined.
        WorkerError: It cannot be confined; the message says why.
    """
    ours, theirs = socket.socketpair()
    reading, writing = socket.socketpair()
    with theirs, writing:
        arguments = (theirs, writing, target, settings, needs)
        process = _context().Process(target=_enter, args=arguments, daemon=True)
        reader, writer = await asyncio.open_connection(sock=ours)
        error_reader, error_writer = await asyncio.open_connection(sock=reading)
        try:
            await asyncio.to_thread(process.start)
        except BaseException:
            writer.close()
            error_writer.close()
            raise
    errors = asyncio.create_task(_log_errors(error_reader, error_writer, process.pid or 0, log_bytes))
    child = Child(process, reader, writer, errors)
    try:
        return replace(child, confinement=unpack_confinement(await child.receive(_MOST_REPORT_BYTES)))
    except BaseException:
        await child.end()
        raise


async def _log_errors(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pid: int, log_bytes: int
) -> None:
    try:
        await ErrorLog(pid, log_bytes).read(reader)
    finally:
        writer.close()


def _enter(
    connection: socket.socket,
    error_output: socket.socket,
    target: Callable[[socket.socket, S], None],
    settings: S,
    needs: WorkerNeeds | None,
) -> None:
    # Ctrl-C reaches the whole group; the service decides when its processes end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with error_output:
        os.dup2(error_output.fileno(), _STANDARD_ERROR)
    faulthandler.enable()  # a process that is killed by a fault of its own says where that was
    try:
        kept = settings.descriptors if isinstance(settings, HasDescriptors) else ()
        confinement = None
        if needs is not None:
            confinement = confine(needs, [connection.fileno(), *kept], keep_errors=True)
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
