"""The folder of one job: in a cell of its own, or in that of a warm process, whose children make its steps.

The warm process answers each step with ``done EXIT SIGNAL CPU-MICROSECONDS KIB LEFT``: the exit code of the
child, -1 after a signal; the signal that killed it, else 0; its processor time and greatest resident memory;
whether processes of the job are still alive.

A child has the user of the warm process and of other children. So, in whatever tier, Landlock and a call
filter confine it beside the sandbox of the process: it may signal none of them, and of its files it may touch
its own folder alone.
"""

from __future__ import annotations

import asyncio
import math
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from i2s_chassis.errors import WarmError
from i2s_chassis.jail import (
    Cause,
    Cell,
    CellError,
    Ended,
    Excerpt,
    Isolation,
    KilledError,
    PolicyEvent,
    PolicyKind,
    Usage,
    landlock,
)
from i2s_chassis.jail.seccomp import build
from i2s_chassis.limits import Limits
from i2s_chassis.warm.program import FOLDER, Warm

_MIB = 1024 * 1024
_SLACK_INODES = 64
_CAUSE_OF: dict[int, Cause] = {
    signal.SIGXCPU: Cause.CPU_LIMIT,
    signal.SIGKILL: Cause.CPU_LIMIT,  # from the kernel, of who holds back SIGXCPU
    signal.SIGXFSZ: Cause.DISK_LIMIT,
}


@dataclass(frozen=True, slots=True)
class Ran:
    """How a step ended: why, what it used, what it was prevented from, and its exit code (-1 if killed)."""

    cause: Cause
    usage: Usage
    events: tuple[PolicyEvent, ...] = ()
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class _EndedChild:
    """The end of a child: exit code, or the signal that killed it; CPU, memory, who is left."""

    exit_code: int
    signal: int
    cpu_seconds: float
    peak_memory_bytes: int
    left: bool


async def _child(warm: Warm, *words: str) -> _EndedChild | Ended:
    answer = await warm.ask(*words)
    if isinstance(answer, Ended):
        return answer
    try:
        _, exit_code, by_signal, microseconds, kib, left = answer
        return _EndedChild(
            int(exit_code), int(by_signal), int(microseconds) / 1e6, int(kib) * 1024, bool(int(left))
        )
    except ValueError as error:
        warm.condemn("protocol")
        raise WarmError(f"a warm process answered {answer!r:.200}") from error


async def prove(warm: Warm, file: str) -> None:
    """Have a child try what a job must not be able to do: the step ``prove FOLDER CPU-SECONDS``.

    Args:
        warm: The process.
        file: Name of a file that the child's folder is made with.

    Raises:
        WarmError: The child could do something of it; says what.
        JailError: A fault of the jail.
    """
    await warm.cell.write(f"{FOLDER}/{file}", b"")
    proof = await _child(warm, "prove", FOLDER, "5")
    if isinstance(proof, Ended) or proof.exit_code != 0 or proof.left:
        try:
            words = (await warm.cell.excerpt(f"{FOLDER}/prove.log", 500, 0)).head.decode(errors="replace")
        except CellError as error:
            words = str(error)
        raise WarmError(f"the isolation of a forked job does not hold: {words}")
    await warm.clean(FOLDER)


class JobFolder(Protocol):
    """The folder of one job, in which its steps leave their files."""

    #: "cold" or "zygote".
    kind: str

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:
        """Return a file; raises OutputError."""

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:
        """Return the first and last bytes of a file; raises OutputError."""


class ColdJob:
    """The folder of one job in a cell of its own.

    Args:
        cell: The cell.
        folder: The folder, within the work folder of the cell; that itself by default.
    """

    kind = "cold"

    def __init__(self, cell: Cell, folder: str = "") -> None:
        self._cell, self._prefix = cell, f"{folder}/" if folder else ""

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:  # noqa: D102 - see JobFolder
        return await self._cell.fetch(f"{self._prefix}{name}", max_bytes)

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:  # noqa: D102
        return await self._cell.excerpt(f"{self._prefix}{name}", head, tail)


class ForkedJob:
    """The folder of one job in the cell of a warm process, and the children that work in it."""

    kind = "zygote"

    def __init__(self, warm: Warm, folder: str, limits: Limits) -> None:
        self._warm, self._folder, self._limits = warm, folder, limits
        # After these CPU seconds the kernel ends a child.
        self._seconds = str(math.ceil(limits.cpu_seconds) + 1)
        self._before = Usage()
        self._left_behind = False

    async def stand(self, files: Mapping[str, bytes]) -> None:
        """Write files into the folder and begin the job's budget."""
        limits, cell = self._limits, self._warm.cell
        for name, content in files.items():
            await self.write(name, content)
        self._before = await cell.allow(
            cpu_seconds=limits.cpu_seconds,
            wall_seconds=limits.wall_seconds,
            memory_bytes=limits.memory_bytes,
        )

    async def write(self, name: str, content: bytes) -> None:
        """Write a file into the folder; see ``Cell.write``."""
        await self._warm.cell.write(f"{self._folder}/{name}", content)

    async def step(self, name: str, *arguments: str) -> Ran:
        """Have the warm process make one step of the job.

        Raises:
            WarmError: It was lost, or it broke the protocol.
            KilledError: Something outside killed the child.
            JailError: A fault of the jail.
        """
        started = asyncio.get_running_loop().time()
        child = await _child(self._warm, name, self._folder, self._seconds, *arguments)
        if isinstance(child, Ended):
            return self._lost(child)
        if await self._warm.cell.limit_met():
            return self._lost(await self._warm.ended())
        usage = Usage(
            asyncio.get_running_loop().time() - started, child.cpu_seconds, child.peak_memory_bytes, 1
        )
        cause, events = Cause.EXITED, []
        if child.left and not self._left_behind:
            self._left_behind = True
            self._warm.condemn("left_behind")
            events.append(PolicyEvent(PolicyKind.LEFT_BEHIND, "processes outlived the program"))
        if child.peak_memory_bytes > self._limits.memory_bytes:
            self._warm.condemn("limit")
            cause = Cause.MEMORY_LIMIT
        elif child.signal == signal.SIGKILL and child.cpu_seconds < self._limits.cpu_seconds:
            self._warm.condemn("killed")
            raise KilledError(f"something outside killed the step {name!r} of a job")
        elif child.signal:
            self._warm.condemn("signal")
            cause = _CAUSE_OF.get(child.signal, Cause.SIGNALED)
            if child.signal == signal.SIGSYS:
                events.append(PolicyEvent(PolicyKind.SYSTEM_CALL, "killed by a forbidden system call"))
        elif child.exit_code and await self._is_full():
            self._warm.condemn("full")
            cause = Cause.DISK_LIMIT
        return Ran(cause, usage, tuple(events), child.exit_code)

    def _lost(self, ended: Ended) -> Ran:
        """Return how a job ended that took the zygote with it."""
        if ended.cause in (Cause.EXITED, Cause.SIGNALED, Cause.STOPPED):
            self._warm.condemn("died")
            raise WarmError(f"a warm process ended in the middle of a job: {ended.cause.value}")
        self._warm.condemn("limit")
        return Ran(ended.cause, ended.usage.since(self._before), ended.events, -1)

    async def _is_full(self) -> bool:
        fill, limits = await self._warm.cell.fill(), self._limits
        return fill.used_bytes + _MIB > limits.disk_bytes or fill.used_inodes + _SLACK_INODES > limits.inodes

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:
        """Return a file of the folder; see ``Cell.fetch``."""
        bound = self._limits.file_bytes if max_bytes is None else max_bytes
        return await self._warm.cell.fetch(f"{self._folder}/{name}", bound)

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:
        """Return the first and last bytes of a file; see ``Cell.excerpt``."""
        return await self._warm.cell.excerpt(f"{self._folder}/{name}", head, tail)


def landlock_abi(isolation: Isolation) -> int:
    """Return the version of Landlock's interface that keeps the children of one process apart.

    Raises:
        WarmError: There is none here.
    """
    if not isolation.landlock_abi:
        raise WarmError("jobs of one warm process are kept apart by Landlock, which is not to be had here")
    return isolation.landlock_abi


def call_filter(isolation: Isolation) -> bytes:
    """Return the filter of system calls of a child, as the kernel takes it.

    Raises:
        WarmError: There is no Landlock here.
    """
    stand_ins = landlock.needed_substitutes(landlock_abi(isolation), our_user=True)
    return build(our_user=True, substitutes=stand_ins, own_pid=None)
