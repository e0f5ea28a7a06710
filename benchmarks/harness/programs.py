"""Programs of a comparison that exchange lines of JSON with it, and how they end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

from benchmarks.harness.command import MeasurementError

_LONGEST_LINE = 64 * 1024 * 1024
_STOP_SECONDS = 3.0  # after each signal of the way to the end
_LAST_SECONDS = 10.0


class Program:
    """A program that runs.

    Args:
        name: Name for messages.
        process: The process.
    """

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self._name, self._process = name, process

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    async def read(self) -> dict[str, Any]:
        """Return the next line.

        Raises:
            MeasurementError: The program has ended.
        """
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            code = await self._process.wait()
            raise MeasurementError(
                f"{self._name} ended with exit code {code} before it had answered; the reason is above"
            )
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def write(self, line: Mapping[str, Any] | None = None) -> None:
        """Write a line; None writes an empty one."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(line).encode() + b"\n" if line is not None else b"\n")
        with contextlib.suppress(ConnectionError):
            await self._process.stdin.drain()

    async def ask(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Write a job, and return what is answered.

        Raises:
            MeasurementError: The program has ended.
        """
        await self.write(job)
        return await self.read()

    async def end(self) -> None:
        """Close its standard input, and wait until it has ended by itself."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def stop(self) -> None:
        """End it if it still runs: interrupted so that it ends what it started, killed after a while."""
        for seconds in (_STOP_SECONDS, _LAST_SECONDS):
            if self._process.returncode is not None:
                return
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGINT)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), seconds)
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()


@asynccontextmanager
async def running(
    module: str,
    *arguments: str,
    counted: AbstractContextManager[None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[Program]:
    """Run a module of the benchmarks as long as the block lasts.

    Args:
        module: Its name below ``benchmarks``.
        arguments: Its arguments.
        counted: Entered while the program is started, so that its CPU time is counted from its start.
        environment: Variables that it gets beside those of this process.
    """
    with counted or contextlib.nullcontext():
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", f"benchmarks.{module}", *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            env={**os.environ, **(environment or {})},
            start_new_session=True,  # Ctrl-C of the terminal is for the comparison alone
        )
    program = Program(module, process)
    try:
        yield program
    finally:
        await program.stop()
