"""Programs that answer, each the leader of a session, so that nothing they start outlives this process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence

from i2s_sdk.models.errors import ModelAccessError

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
