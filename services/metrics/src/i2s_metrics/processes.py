"""The processes of this service: their start and end, their bounds in time, and the log of their errors."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import multiprocessing
import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any, Protocol, TypeVar, runtime_checkable

from i2s_chassis.jail.clock import Clock
from i2s_chassis.jail.own_process import Confinement, ConfinementError, WorkerNeeds, confine
from i2s_metrics.frames import LENGTH, framed, pack_confinement, pack_fault, unpack_confinement

_log = logging.getLogger(__name__)
#: Default of what is logged of one process in each minute.
LOG_BYTES = 64 * 1024
_MESSAGE = "a process of this service wrote to standard error"
_CHUNK_BYTES = 64 * 1024
#: A longer line is logged in pieces.
_LINE_BYTES = 1000
_PERIOD_SECONDS = 60.0


class ErrorLog:
    r"""Logs what one process writes to standard error, a record for each line.

    A process that works on hostile data may write anything. Bytes that are not UTF-8 and characters that are
    not printable are logged as escapes such as ``\x1b``. What exceeds the limit is discarded, and the number
    of discarded bytes is logged.

    Args:
        pid: Process id, a field of each record.
        most_bytes: Bytes that are logged in each minute; 0 for none.
        clock: Returns seconds, monotonic.
    """

    def __init__(self, pid: int, most_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._pid, self._most_bytes, self._clock = pid, most_bytes, clock
        self._line = b""
        self._period_began = clock()
        self._left, self._discarded = most_bytes, 0

    async def read(self, reader: asyncio.StreamReader) -> None:
        """Log what is read until the other end is closed."""
        try:
            while data := await reader.read(_CHUNK_BYTES):
                self.write(data)
        except ConnectionError:
            pass  # the process has ended
        finally:
            self.close()

    def write(self, data: bytes) -> None:
        """Take what the process wrote, and log the lines that are complete."""
        if self._clock() - self._period_began >= _PERIOD_SECONDS:
            self._report_discarded()
            self._period_began, self._left = self._clock(), self._most_bytes
        taken = data[: self._left]
        self._left -= len(taken)
        self._discarded += len(data) - len(taken)
        *lines, self._line = (self._line + taken).split(b"\n")
        for line in lines:
            self._log(line)
        while len(self._line) > _LINE_BYTES:
            self._log(self._line[:_LINE_BYTES])
            self._line = self._line[_LINE_BYTES:]

    def close(self) -> None:
        """Log the last line, which may have no end, and what was discarded."""
        self._log(self._line)
        self._line = b""
        self._report_discarded()

    def _log(self, line: bytes) -> None:
        for start in range(0, len(line), _LINE_BYTES):
            text = printable(line[start : start + _LINE_BYTES])
            _log.warning(_MESSAGE, extra={"fields": {"pid": self._pid, "text": text}})

    def _report_discarded(self) -> None:
        if self._discarded:
            fields = {"pid": self._pid, "discarded_bytes": self._discarded}
            _log.warning(_MESSAGE, extra={"fields": fields})
            self._discarded = 0


def printable(raw: bytes) -> str:
    r"""Return a line as text in which everything that is not printable is an escape such as ``\x1b``."""
    text = raw.decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


T = TypeVar("T")

LOOK_SECONDS = 0.5
_LEAST_SECONDS = 0.02  # between two looks, where next to nothing of the bound is left


class ProcessClock:
    """Time of a process, without that in which the machine kept it waiting for a processor."""

    def __init__(self, pid: int) -> None:
        """Begin at 0."""
        self._pid = pid
        self.restart()

    def restart(self) -> None:
        """Begin at 0 again."""
        self._clock = Clock(started := time.monotonic())
        self._clock.look([self._pid], started, at_once=True)  # what it waited before does not count

    def seconds(self) -> float:
        """Return the time since it was started, as for jobs of renderers."""
        self._clock.look([self._pid], now := time.monotonic(), at_once=True)
        return self._clock.seconds(now)


async def within(seconds: float, pid: int, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work that a process does for us.

    Args:
        seconds: Time that the work may take, by the clock of the process.
        pid: The process.
        work: Cancelled if it takes longer, or if this call is cancelled.

    Raises:
        TimeoutError: It took longer.
    """
    clock = ProcessClock(pid)
    task = asyncio.ensure_future(work)
    try:
        left = seconds
        while left > 0:
            await asyncio.wait({task}, timeout=max(_LEAST_SECONDS, min(LOOK_SECONDS, left)))
            if task.done():
                return task.result()
            left = seconds - clock.seconds()
        raise TimeoutError
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


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
class ChildProcess:
    """A process of ours, and our end of the socket to it."""

    process: ForkServerProcess
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    #: Logs what the process writes to standard error, until it ends.
    errors: asyncio.Task[None]
    #: What it said that it is confined by; None for nothing.
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
) -> ChildProcess:
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
    child = ChildProcess(process, reader, writer, errors)
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
