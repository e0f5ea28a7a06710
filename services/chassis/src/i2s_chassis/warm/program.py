"""A program in a cell of its own that is warmed up once and forks for each job, and the settings for it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Literal

from pydantic import ByteSize, Field

from i2s_chassis.errors import WarmError, WarmKilledError
from i2s_chassis.jail import Cell, Ended, Jail, KilledError
from i2s_chassis.limits import START_WALL_PER_CPU, Limits
from i2s_chassis.renderer import GenericSettings, RendererSettings

#: Where a program finds its ends of the two pipes.
FROM_SERVICE, TO_SERVICE = 3, 4

_FOREVER = 10 * 365 * 24 * 3600.0
_BETWEEN_JOBS_SECONDS = 5.0  # of CPU, to clean up and to wait
_MIB = 1024 * 1024
_OWN_PROCESSES, _OWN_DISK, _OWN_INODES = 8, 8 * _MIB, 64
_FIXED = ("memory_bytes", "processes", "file_bytes", "disk_bytes", "inodes")


@dataclass(frozen=True, slots=True)
class WarmSettings:
    """The settings of warm programs."""

    #: Limits of a job: the defaults of the service.
    limits: Limits
    #: Number of jobs after which a program is replaced.
    jobs: int = 100
    #: Room for the program itself, beside that of a job.
    memory_bytes: int = 256 * _MIB
    #: CPU seconds that it may take to get ready.
    start_seconds: float = 30.0
    #: Number of programs that stand ready beyond one for each slot.
    spare: int = 1

    def cell(self) -> Limits:
        """Return the limits of a cell that holds a program and one job at a time."""
        limits = self.limits
        return replace(
            limits,
            cpu_seconds=self.start_seconds,
            wall_seconds=START_WALL_PER_CPU * self.start_seconds,
            memory_bytes=limits.memory_bytes + self.memory_bytes,
            processes=limits.processes + _OWN_PROCESSES,
            disk_bytes=limits.disk_bytes + _OWN_DISK,
            inodes=limits.inodes + _OWN_INODES,
        )

    def fit(self, limits: Limits) -> bool:
        """Whether a job with these limits can be served: some are set once for the life of a program."""
        return all(getattr(limits, name) == getattr(self.limits, name) for name in _FIXED)


@dataclass(frozen=True, slots=True)
class Program:
    """The program to start."""

    #: Command line.
    argv: tuple[str, ...]
    #: Files that lie in its folder.
    files: Mapping[str, bytes]
    #: What it must read outside of /usr.
    readable: tuple[Path, ...]
    #: Variables that are added to those of the jail.
    environment: Mapping[str, str]


class Warm:
    """A running program. ``open_warm`` makes one.

    Attributes:
        cell: Where it runs.
        condemned: Why it must not serve another job, None while it may.
    """

    def __init__(self, cell: Cell, run: asyncio.Task[Ended], reader: asyncio.StreamReader, out: int) -> None:
        self.cell = cell
        self.condemned: str | None = None
        self._run, self._reader, self._out = run, reader, out
        self._jobs = 0

    @property
    def alive(self) -> bool:
        """Whether the program runs."""
        return not self._run.done()

    def next_folder(self) -> str:
        """Return a name for the folder of a job that no other job has had."""
        self._jobs += 1
        return f"job{self._jobs}"

    async def hear(self) -> list[str] | Ended:
        """Return the words of the next line, or how the program ended instead.

        Raises:
            WarmKilledError: Something outside killed it.
            JailError: Its cell was lost.
        """
        # The supervisor of the cell holds the pipes too, so they do not end when the program does.
        reading = asyncio.ensure_future(self._reader.readline())
        try:
            await asyncio.wait((reading, self._run), return_when=asyncio.FIRST_COMPLETED)
            if reading.done() and (line := reading.result()).endswith(b"\n"):
                return line.decode(errors="replace").split()
            return await self.ended()
        finally:
            reading.cancel()

    async def ended(self) -> Ended:
        """Return how the program ended, once it has.

        Raises:
            WarmKilledError: Something outside killed it.
            JailError: Its cell was lost.
        """
        try:
            return await asyncio.shield(self._run)
        except KilledError as error:
            self.condemn("killed")
            raise WarmKilledError(str(error)) from None

    async def ask(self, *words: str) -> list[str] | Ended:
        """Send a line and return the answer; see ``hear``."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._out, f"{' '.join(words)}\n".encode())
        return await self.hear()

    def condemn(self, reason: str) -> None:
        """Let it serve no other job; the first reason stands."""
        self.condemned = self.condemned or reason

    async def clean(self, folder: str) -> None:
        """Remove a job's folder, and let the program wait for the next job for as long as it takes."""
        if self.condemned is None and await self.ask("clean", folder) != ["clean", "1"]:
            self.condemn("not_cleaned")
        if self.condemned is None:
            await self.cell.allow(cpu_seconds=_BETWEEN_JOBS_SECONDS, wall_seconds=_FOREVER)


@contextlib.asynccontextmanager
async def open_warm(jail: Jail, program: Program, settings: WarmSettings) -> AsyncIterator[Warm]:
    """Start a program and wait until it is ready; it ends with the context.

    Raises:
        WarmError: It did not get ready; says why.
        JailError: A fault of the jail.
    """
    async with contextlib.AsyncExitStack() as stack:
        theirs_in, out = os.pipe()
        stack.callback(os.close, out)
        into, theirs_out = os.pipe()
        with _closing(theirs_in, theirs_out):
            reader, transport = await _reader(into)
            stack.callback(transport.close)
            channels = {FROM_SERVICE: theirs_in, TO_SERVICE: theirs_out}
            cell = await stack.enter_async_context(
                jail.cell(settings.cell(), program.files, readable=program.readable, channels=channels)
            )
        run = asyncio.create_task(cell.run(program.argv, env=program.environment))
        stack.push_async_callback(_to_the_end, run)
        warm = Warm(cell, run, reader, out)
        answer = await warm.hear()
        if isinstance(answer, Ended) or answer != ["ready"]:
            output = answer.output.whole.decode(errors="replace")[-500:] if isinstance(answer, Ended) else ""
            raise WarmError(f"{program.argv[0]} did not get ready: {output or answer}")
        await cell.allow(cpu_seconds=_BETWEEN_JOBS_SECONDS, wall_seconds=_FOREVER)
        yield warm


async def _reader(fd: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(fd, "rb", buffering=0)
    )
    return reader, transport


@contextlib.contextmanager
def _closing(*descriptors: int) -> Iterator[None]:
    try:
        yield
    finally:
        for fd in descriptors:
            os.close(fd)


async def _to_the_end(run: asyncio.Task[Ended]) -> None:
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)


class ForkingRendererSettings(RendererSettings):
    """Base of their settings."""

    warm: Literal["auto", "zygote", "single-use"] = Field(
        "auto",
        description="zygote: jobs are forked from an engine that stands ready; single-use: each starts "
        "its own; auto: zygote where its self-test passes.",
    )
    warm_jobs: int = Field(100, ge=1, description="Jobs after which a warm process is replaced.")
    warm_spare: int = Field(
        1, ge=0, le=100, description="Warm processes beyond one for each slot, so that none is waited for."
    )
    warm_memory_bytes: ByteSize = Field(
        ByteSize(256 * _MIB), ge=64 * _MIB, description="Room for a warm process, beside the limit of a job."
    )
    warm_start_seconds: float = Field(
        30.0, gt=0, description="CPU seconds that a warm process may take to get ready."
    )

    def cells(self) -> tuple[Limits, ...]:
        """Return the limits of cells with warm processes."""
        return tuple(replace(self.warm_settings(), limits=each).cell() for each in (self.limit, self.max))

    def warm_settings(self) -> WarmSettings:
        """Return what an operator has decided about warm processes."""
        return WarmSettings(
            limits=self.limit_table().default,
            jobs=self.warm_jobs,
            memory_bytes=self.warm_memory_bytes,
            start_seconds=self.warm_start_seconds,
            spare=self.warm_spare,
        )


class WorkerSettings(ForkingRendererSettings, GenericSettings):
    """Base of the settings of a renderer of generic sources whose engine is a Python module."""

    @property
    def engine(self) -> ModuleType:
        """The module ``engine`` beside that of the settings; its ``plan`` looks at this machine.

        It is imported when it is needed, so that --help stays fast.
        """
        package, _, _ = type(self).__module__.rpartition(".")
        return importlib.import_module(f"{package}.engine")

    def readable_by_jobs(self) -> tuple[Path, ...]:
        """Return the interpreter, the engine, the worker, and fonts outside of /usr."""
        readable: tuple[Path, ...] = self.engine.plan(self).worker.all_readable
        return readable
