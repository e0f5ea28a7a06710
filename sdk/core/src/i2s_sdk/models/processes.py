"""Programs, each the leader of a session, so that nothing that they start outlives this process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Sequence

from i2s_sdk.models.completion import ModelAccessError
from i2s_sdk.models.completion_bound import read_bounded

_CHUNK = 65_536  # bytes
_PIPE_SECONDS = 2.0  # that the pipes of a killed program are read

_started: set[int] = set()


async def start(argv: Sequence[str], stderr: int | None = None) -> asyncio.subprocess.Process:
    """Start a program with pipes for its standard input and output.

    Args:
        argv: The program and its arguments.
        stderr: Standard error as for ``asyncio.create_subprocess_exec``; None for that of this process.

    Raises:
        ModelAccessError: It cannot be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
    except OSError as error:
        raise ModelAccessError(f"{argv[0]!r} cannot be started: {error.strerror}") from None
    _started.add(process.pid)
    return process


async def run_program(argv: Sequence[str], given: bytes, most: int) -> tuple[int, bytes, bytes]:
    """Run a program and return its exit code, its standard output, and the last of its standard error.

    Args:
        argv: The program and its arguments.
        given: Its standard input.
        most: Bytes that it may print.

    Raises:
        AnswerTooLongError: It printed more.
        ModelAccessError: It cannot be started.
    """
    process = await start(argv, stderr=asyncio.subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    writing = asyncio.create_task(_write(process.stdin, given))
    last = asyncio.create_task(_last_bytes(process.stderr))
    try:
        out = await read_bounded(chunks(process.stdout), most)
        await writing
        return await process.wait(), out, await last
    finally:  # also where the time was over: nothing that was started for this question outlives it
        for task in (writing, last):
            task.cancel()
        await asyncio.gather(writing, last, return_exceptions=True)
        send_signal(process, signal.SIGKILL)
        await _reaped(process)
        has_ended(process)


async def end_program(process: asyncio.subprocess.Process, seconds: float) -> None:
    """End a program by the end of its standard input, else by SIGTERM, else by SIGKILL.

    Args:
        process: The program.
        seconds: Seconds that it has after each of them.
    """
    if process.stdin is not None:
        process.stdin.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            send_signal(process, number)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), seconds)
            has_ended(process)
            return


def send_signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Send a signal to a program and to all of its session that has not left its process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def has_ended(process: asyncio.subprocess.Process) -> None:
    """Forget a program whose processes have ended."""
    _started.discard(process.pid)


def kill_all() -> None:
    """Kill every program that has not ended; for a process that has no time left to wait for them."""
    for pid in list(_started):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


async def _write(stdin: asyncio.StreamWriter, given: bytes) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a program need not read its input
        stdin.write(given)
        await stdin.drain()
    stdin.close()


async def chunks(stream: asyncio.StreamReader, size: int = _CHUNK) -> AsyncIterator[bytes]:
    """Yield what comes from a stream, at most so many bytes at a time."""
    while chunk := await stream.read(size):
        yield chunk


async def _last_bytes(stream: asyncio.StreamReader) -> bytes:
    last = b""
    async for chunk in chunks(stream):
        last = (last + chunk)[-_CHUNK:]
    return last


async def _reaped(process: asyncio.subprocess.Process) -> None:
    """Wait until a killed process is gone.

    asyncio reports the end of a process only after its pipes are read to their ends. A pipe that something
    else still holds is not waited for longer than _PIPE_SECONDS.
    """
    pipes = [pipe.read() for pipe in (process.stdout, process.stderr) if pipe is not None]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PIPE_SECONDS):
            await asyncio.gather(*pipes)
            await process.wait()
