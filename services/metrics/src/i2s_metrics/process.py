"""The engine's end of a worker process."""

from __future__ import annotations

import asyncio
import multiprocessing
import socket
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Self

from i2s_metrics.frames import LENGTH, MOST_ANSWER_BYTES, framed, pack_job, unpack_score
from i2s_metrics.model import Job, Score
from i2s_metrics.worker import WorkerSettings, work


class WorkerLostError(Exception):
    """The process ended before it answered."""


class WorkerProcess:
    """A running worker. Made by ``start``, ended by ``close``, whatever it is doing."""

    def __init__(
        self, process: ForkServerProcess, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._process, self._reader, self._writer = process, reader, writer

    @classmethod
    async def start(cls, settings: WorkerSettings) -> Self:
        """Start a process and wait until it can work.

        Raises:
            WorkerLostError: It ended before that.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            process = _context().Process(target=work, args=(theirs, settings), daemon=True)
            worker = cls(process, *await asyncio.open_connection(sock=ours))
            try:
                await asyncio.to_thread(process.start)
            except BaseException:
                worker._writer.close()
                raise
        try:
            await worker._receive()
        except BaseException:
            await worker.close()
            raise
        return worker

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.is_alive() and not self._reader.at_eof()

    async def score(self, job: Job) -> Score:
        """Have a job done. After a cancellation the worker is of no more use and must be closed.

        Raises:
            WorkerLostError: The process ended before it answered.
            WorkerError: It met a fault of this program.
        """
        try:
            self._writer.write(framed(pack_job(job)))
            await self._writer.drain()
        except ConnectionError as error:
            raise WorkerLostError from error
        return unpack_score(await self._receive())

    async def close(self) -> None:
        """Kill the process and wait for its end."""
        self._writer.close()
        self._process.kill()
        await asyncio.to_thread(self._process.join)
        self._process.close()

    async def _receive(self) -> bytes:
        try:
            (length,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
            if length > MOST_ANSWER_BYTES:
                raise WorkerLostError(f"an answer of {length} bytes")
            return await self._reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise WorkerLostError from error


def _context() -> ForkServerContext:
    # Workers are forked from a process that has everything imported and nothing else: importing
    # takes seconds, and forking this process would copy its threads' locks.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", "i2s_metrics.worker"])
    return context
