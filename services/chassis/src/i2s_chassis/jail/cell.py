"""A cell, as the service sees it: the other end of a supervisor's socket.

Over our end go questions with a number each, answered in any order.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import mmap
import os
import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace

from i2s_chassis.jail import framing
from i2s_chassis.jail.errors import (
    CellError,
    CellLostError,
    KilledError,
    OutputError,
    OutputReason,
    StarvedError,
)
from i2s_chassis.jail.framing import Head, Message
from i2s_chassis.jail.model import (
    Cause,
    Ended,
    Excerpt,
    Fill,
    PolicyEvent,
    PolicyKind,
    ProcessIsolation,
    Usage,
    fields_of,
)
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.job_limits import Limits

#: Seconds for an answer of a supervisor, on top of the time of a run; one that takes longer counts as lost.
_BACKSTOP_SECONDS = 180.0
_CLOSE_SECONDS = 60.0
_NO_ANSWER = "the supervisor of a cell does not answer"


class Cell:
    """A fresh work folder in the sandbox, in which programs run one after the other.

    Everything but a second ``run`` may also be asked while a program runs.

    Attributes:
        workdir: Path of the work folder as programs see it; also their current folder, HOME
            and TMPDIR.
    """

    def __init__(self, plan: CellPlan, link: Link) -> None:
        self.workdir = plan.workdir
        self._limits, self._times = plan.limits, plan.patience
        self._link = link
        self._uid: int | None = None
        self._running = asyncio.Lock()
        self._patience = asyncio.timeout(None)

    async def stand(self) -> None:
        """Wait until the supervisor has made the cell.

        Raises:
            CellError: It could not.
            StarvedError: It did not answer in time.
        """
        async with _in_time(_BACKSTOP_SECONDS):
            self._uid = _checked(await self._link.hello()).head.get("uid")

    async def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cpu_seconds: float | None = None,
        wall_seconds: float | None = None,
        probe: str | None = None,
    ) -> Ended:
        """Run a program to its end; nothing of it is left afterwards.

        A cancelled run is the end of the cell.

        Args:
            argv: Command line; a name without "/" is looked for in /usr/local/bin, /usr/bin, /bin.
            env: Variables that are added to PATH, HOME, TMPDIR and LANG.
            cpu_seconds: CPU seconds, at most this of what is left of the cell's budget.
            wall_seconds: Wall time in seconds, likewise.
            probe: Name of one of i2s_chassis.jail.probes that runs instead of a program, with ``argv``
                as its arguments.

        Returns:
            How it ended; a limit is an end like others.

        Raises:
            CellError: The program could not be started.
            CellLostError: The cell is gone.
            KilledError: Something outside killed the program. The cell stands, and can run another one.
            StarvedError: The machine kept the program waiting for far longer than its wall time.
        """
        request = {
            "op": "run",
            "argv": list(argv),
            "env": dict(env or {}),
            "cpu_seconds": cpu_seconds or 0,
            "wall_seconds": wall_seconds or 0,
            "probe": probe,
        }
        async with self._running:
            try:
                async with asyncio.timeout(self._backstop(self._limits.wall_seconds)) as self._patience:
                    message = _checked(await self._link.ask(request))
            except asyncio.CancelledError:
                self._link.hang_up()
                raise
            except TimeoutError:
                self._link.hang_up()
                raise StarvedError(_NO_ANSWER) from None
        ended = _ended(message.head, message.body)
        if ended.cause is Cause.KILLED:
            raise KilledError(f"something outside killed {argv[0] if argv else probe}")
        return ended

    async def usage(self) -> Usage:
        """Return what the program that runs has used so far, or the last one if none does.

        Seconds count from its start; peaks from its start or from the last ``allow``.

        Raises:
            CellLostError: The cell is gone.
        """
        return Usage(**(await self._ask({"op": "usage"})).head["usage"])

    async def limit_met(self) -> bool:
        """Return whether the program that runs has met a limit up to now, has lost a process, or has ended.

        A supervisor looks at its cell now and then. Who is about to give the cell to another job
        asks, so that no job answers for what an earlier one did between two looks. If a limit
        was met, or the kernel has killed a process for memory, ``run`` returns.

        Raises:
            CellLostError: The cell is gone.
        """
        return bool((await self._ask({"op": "limit"})).head["met"])

    async def allow(
        self,
        *,
        cpu_seconds: float | None = None,
        wall_seconds: float | None = None,
        memory_bytes: int | None = None,
        waits_for: Sequence[int] = (),
    ) -> Usage:
        """Let the program that runs use this much from now on, whatever it has used before.

        Args:
            cpu_seconds: CPU seconds; None leaves that bound as it is.
            wall_seconds: Wall time in seconds, likewise.
            memory_bytes: Beyond what it has now, within the limit of the cell; None leaves that bound as it
                is.
            waits_for: Processes outside of the cell that answer the program. While the machine keeps one of
                them waiting for a processor, the clock of the program stands still. Until the next call.

        Returns:
            What it has used so far; subtract it from what ``usage`` returns later.

        Raises:
            CellError: No program runs.
            CellLostError: The cell is gone.
        """
        request = {
            "op": "allow",
            "cpu_seconds": cpu_seconds,
            "wall_seconds": wall_seconds,
            "memory_bytes": memory_bytes,
            "waits_for": list(waits_for),
        }
        used = Usage(**(await self._ask(request)).head["usage"])
        if wall_seconds is not None and self._running.locked() and not self._patience.expired():
            now = asyncio.get_running_loop().time()
            self._patience.reschedule(now + self._backstop(wall_seconds))
        return used

    def _backstop(self, wall_seconds: float) -> float:
        """Return when a run with this limit has ended if its supervisor works."""
        return wall_seconds * self._times + _BACKSTOP_SECONDS

    async def stop(self) -> None:
        """Kill the program that runs; its ``run`` returns with Cause.STOPPED. Nothing if none does.

        Raises:
            CellLostError: The cell is gone.
        """
        await self._ask({"op": "stop"})

    async def write(self, name: str, content: bytes) -> None:
        """Write a file into the work folder, replacing what has that name.

        Raises:
            CellError: The folder is full, or the name leads out of it.
        """
        await self._ask({"op": "write", "name": name}, content)

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:
        """Return a file of the work folder.

        Args:
            name: Relative path.
            max_bytes: Bound on its size; the file limit of the cell by default.

        Raises:
            OutputError: It is missing, larger, or no regular file of the job's own.
        """
        bound = self._limits.file_bytes if max_bytes is None else max_bytes
        message = await self._ask({"op": "read", "name": name})
        if message.file is None:
            raise CellError("the supervisor of a cell sent no file")
        return _read(message.file, name, bound)

    async def view(self, name: str, max_bytes: int | None = None) -> memoryview:
        """Return a file of the work folder without copying it, read-only.

        Waits for the end of a program that runs: the file must not change any more. Nor may a
        later program be run while the view is in use.

        Args:
            name: Relative path.
            max_bytes: Bound on its size; the file limit of the cell by default.

        Raises:
            OutputError: It is missing, larger, or no regular file of the job's own.
        """
        bound = self._limits.file_bytes if max_bytes is None else max_bytes
        async with self._running:
            message = await self._ask({"op": "read", "name": name})
            if message.file is None:
                raise CellError("the supervisor of a cell sent no file")
            return _map(message.file, name, bound)

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:
        """Return the first and the last bytes of a file of the work folder.

        Raises:
            OutputError: It is missing or no regular file of the job's own.
        """
        message = await self._ask({"op": "excerpt", "name": name, "head": head, "tail": tail})
        split, body = message.head["head"], message.body
        return Excerpt(body[:split], body[split:], message.head["total"])

    async def renew(self, limits: Limits, files: Mapping[str, bytes]) -> None:
        """Make the cell what a new one would be: an empty folder, and limits of its own.

        For the next step of the same job that must see nothing of the step before, at a fraction
        of the price of a cell. Never for another job. The number of processes, the user and
        the readable paths stay what they are.

        Args:
            limits: Limits of every run from now on; CPU and wall seconds are a new budget.
            files: Lie in the folder afterwards, and nothing else.

        Raises:
            CellError: The folder cannot be emptied, or a program runs.
        """
        async with self._running:
            self._limits = replace(limits, processes=self._limits.processes)
            await self._ask({"op": "renew", "limits": fields_of(self._limits)})
            for name, content in files.items():
                await self.write(name, content)

    async def list(self) -> dict[str, int]:
        """Return the regular files of the work folder by relative path, with their sizes."""
        files: dict[str, int] = json.loads((await self._ask({"op": "list"})).body)
        return files

    async def fill(self) -> Fill:
        """Return how full the work folder is, folders and links included."""
        return Fill(**(await self._ask({"op": "fill"})).head["fill"])

    async def processes(self) -> frozenset[int]:
        """Return the pids of all processes of the cell, as the service sees them."""
        return frozenset(json.loads((await self._ask({"op": "processes"})).body))

    async def process_isolation(self) -> tuple[ProcessIsolation, ...]:
        """Return what stands around each process of the cell, parents before children."""
        message = await self._ask({"op": "isolation"})
        return tuple(ProcessIsolation(**load) for load in json.loads(message.body))

    @property
    def uid(self) -> int | None:
        """User that programs run as, None for that of the service."""
        return self._uid

    async def close(self) -> None:
        """Kill what runs, remove the cell, and wait until that is done.

        Raises:
            CellError: The supervisor did not come to its end.
        """
        self._link.hang_up()
        try:
            await asyncio.wait_for(self._link.ended(), _CLOSE_SECONDS)
        except TimeoutError:
            raise CellError("the supervisor of a cell does not end") from None
        finally:
            self._link.close()

    async def _ask(self, request: Head, body: bytes = b"") -> Message:
        async with _in_time(_BACKSTOP_SECONDS):
            return _checked(await self._link.ask(request, body))


@contextlib.asynccontextmanager
async def _in_time(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise StarvedError(_NO_ANSWER) from None


def _checked(message: Message) -> Message:
    """Return an answer that is none of the errors."""
    head = message.head
    if head.get("error") == "output":
        raise OutputError(head["name"], OutputReason(head["reason"]))
    if head.get("error") == "starved":
        raise StarvedError(head["message"])
    if head.get("error") == "killed":
        raise KilledError(head["message"])
    if "error" in head:
        raise CellError(head["message"])
    return message


def _ended(head: Head, body: bytes) -> Ended:
    return Ended(
        cause=Cause(head["cause"]),
        exit_code=head["exit_code"],
        signal=head["signal"],
        usage=Usage(**head["usage"]),
        output=Excerpt(body[: head["head"]], body[head["head"] :], head["total"]),
        events=tuple(PolicyEvent(PolicyKind(kind), detail, count) for kind, detail, count in head["events"]),
    )


def _read(fd: int, name: str, bound: int) -> bytes:
    """Read a file to its end and close it. Not mapped: who still runs may change it under us."""
    with open(fd, "rb") as file:
        too_large = os.fstat(fd).st_size > bound
        content = b"" if too_large else file.read(bound + 1)
    if too_large or len(content) > bound:
        raise OutputError(name, OutputReason.TOO_LARGE)
    return content


def _map(fd: int, name: str, bound: int) -> memoryview:
    with open(fd, "rb"):
        size = os.fstat(fd).st_size
        if size > bound:
            raise OutputError(name, OutputReason.TOO_LARGE)
        return memoryview(mmap.mmap(fd, size, prot=mmap.PROT_READ) if size else b"")


_LOST = "the supervisor of a cell was lost"


class Link:
    """A connection on which several questions may be open at the same time."""

    def __init__(self, sock: socket.socket) -> None:
        """Take over the socket; needs a running event loop."""
        sock.setblocking(False)
        self._sock = sock
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count(1)
        # The supervisor speaks first, and unasked, to say that the cell stands: that is number 0.
        self._open: dict[int, asyncio.Future[Message]] = {0: self._loop.create_future()}
        self._sending = asyncio.Lock()
        self._ended = asyncio.Event()
        self._loop.add_reader(sock, self._read)

    async def hello(self) -> Message:
        """Return the first message of the supervisor.

        Raises:
            CellLostError: The supervisor has gone.
        """
        return await self._answer(0)

    async def ask(self, head: Head, body: bytes = b"") -> Message:
        """Send a question and return its answer; whoever asks closes the answer's file.

        Raises:
            CellLostError: The supervisor has gone.
        """
        number = next(self._numbers)
        self._open[number] = self._loop.create_future()
        try:
            await self._send(Message({**head, "id": number}, body))
            return await self._answer(number)
        finally:
            self._open.pop(number, None)

    async def _answer(self, number: int) -> Message:
        if self._ended.is_set():
            raise CellLostError(_LOST)
        try:
            return await self._open[number]
        finally:
            self._open.pop(number, None)

    async def _send(self, message: Message) -> None:
        async with self._sending:
            while True:
                try:
                    return framing.send(self._sock, message)
                except BlockingIOError:
                    await self._writable()
                except OSError as error:
                    raise CellLostError(f"{_LOST}: {error}") from error

    async def _writable(self) -> None:
        ready = asyncio.Event()
        self._loop.add_writer(self._sock, ready.set)
        try:
            await ready.wait()
        finally:
            self._loop.remove_writer(self._sock)

    def _read(self) -> None:
        for message in self._messages():
            waiting = self._open.pop(message.head["id"], None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
            elif message.file is not None:  # nobody waits for it any more
                os.close(message.file)

    def _messages(self) -> Iterator[Message]:
        while True:
            try:
                message = framing.receive(self._sock)
            except BlockingIOError:
                return
            except OSError:
                message = None
            if message is None:
                self._end()
                return
            yield message

    def _end(self) -> None:
        self._loop.remove_reader(self._sock)
        self._ended.set()
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(CellLostError(_LOST))
                waiting.exception()  # it may be that nobody waits

    def hang_up(self) -> None:
        """Notify the supervisor that no further request follows: it kills and removes everything."""
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)

    async def ended(self) -> None:
        """Wait until the supervisor has closed its end, which it does last of all."""
        await self._ended.wait()

    def close(self) -> None:
        """Close our end."""
        self._loop.remove_reader(self._sock)
        self._sock.close()
