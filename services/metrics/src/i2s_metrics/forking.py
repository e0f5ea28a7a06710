"""Starting and ending the processes of this service."""

from __future__ import annotations

import asyncio
import multiprocessing
import socket
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import TypeVar

from i2s_metrics.frames import LENGTH, framed

S = TypeVar("S")


class WorkerLostError(Exception):
    """The process ended before it answered."""


@dataclass(frozen=True, slots=True)
class Child:
    """A process of ours, and our end of the socket to it."""

    process: ForkServerProcess
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

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


async def start(target: Callable[[socket.socket, S], None], settings: S) -> Child:
    """Start a process that runs ``target`` with its end of a socket and its settings."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = _context().Process(target=target, args=(theirs, settings), daemon=True)
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            await asyncio.to_thread(process.start)
        except BaseException:
            writer.close()
            raise
    return Child(process, reader, writer)


def _context() -> ForkServerContext:
    # Workers are forked from a process that has everything imported and nothing else: importing
    # takes seconds, and forking this process would copy its threads' locks.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", "i2s_metrics.worker", "i2s_metrics.warm"])
    return context
