"""A LilyPond that forks for each job: how it is started and proven, and the place of a job in it."""

from __future__ import annotations

import asyncio
import contextlib
import math
import platform
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass

from i2s_chassis.jail import (
    Cause,
    CellError,
    Ended,
    Excerpt,
    Jail,
    PolicyEvent,
    PolicyKind,
    Usage,
    landlock,
    substitutes,
)
from i2s_chassis.jail.plan import DEVICES, SYSTEM_READABLE
from i2s_chassis.jail.seccomp import build as build_call_filter
from i2s_chassis.limits import Limits
from i2s_render_lilypond import raster
from i2s_render_lilypond.faults import WarmError
from i2s_render_lilypond.installation import DRAWING_TUNABLES, INSIDE, NO_FOOTERS, ZYGOTE, Installation
from i2s_render_lilypond.job_folder import Ran
from i2s_render_lilypond.paper import Paper
from i2s_render_lilypond.score import SCORE
from i2s_render_lilypond.warm import FROM_SERVICE, TO_SERVICE, Program, Warm, WarmSettings, open_warm

_SETTINGS, _FILTER = "zygote.settings", "zygote.filter"
#: Numbers of the calls that no other interface of Guile makes; see the kernel's unistd headers.
_CALLS = {
    "x86_64": {"prctl": 157, "fcntl": 72, "wait4": 61, "prlimit": 302, "ptrace": 101},
    "aarch64": {"prctl": 167, "fcntl": 25, "wait4": 260, "prlimit": 261, "ptrace": 117},
}
_MIB = 1024 * 1024
_SLACK_INODES = 64
_CAUSE_OF: dict[int, Cause] = {signal.SIGXCPU: Cause.CPU_LIMIT, signal.SIGXFSZ: Cause.DISK_LIMIT}


@contextlib.asynccontextmanager
async def open_zygote(jail: Jail, installation: Installation, settings: WarmSettings) -> AsyncIterator[Warm]:
    """Start a zygote, warm it up and prove its walls; it ends with the context.

    Raises:
        WarmError: There can be none here, or it did not get ready; says why.
        JailError: A fault of the jail.
    """
    landlock_abi = jail.isolation.landlock_abi
    if not landlock_abi:
        raise WarmError("jobs of one zygote are kept apart by Landlock, which is not to be had here")
    # A job has the user of the zygote and of other jobs, in whatever tier, and may signal none of them.
    call_filter = build_call_filter(
        our_user=True, substitutes=substitutes.needed(landlock_abi, our_user=True), own_pid=None
    )
    program = Program(
        argv=(
            *(str(installation.lilypond), "--png", "-dno-point-and-click"),
            *("-e", f'(primitive-load "{ZYGOTE}")', "-"),
        ),
        files={_SETTINGS: _settings(installation, landlock_abi), _FILTER: call_filter},
        readable=installation.readable,
    )
    async with open_warm(jail, program, settings) as zygote:
        await _prove(zygote)
        yield zygote


def _settings(installation: Installation, landlock_abi: int) -> bytes:
    """Return what the zygote reads when it starts: an association list."""
    handled = landlock.handled(landlock_abi)
    calls = _CALLS.get(platform.machine())
    if calls is None:
        raise WarmError(f"the numbers of system calls on {platform.machine()} are not known")
    readable = " ".join(f'"{path}"' for path in (*SYSTEM_READABLE, *installation.readable))
    devices = " ".join(f'"{path}"' for path in DEVICES)
    numbers = " ".join(f"({name} . {number})" for name, number in calls.items())
    return (
        f'((from . {FROM_SERVICE}) (to . {TO_SERVICE}) (inside . "{INSIDE}") {numbers}\n'
        f" (all-files . {handled.files}) (all-network . {handled.network}) (all-scopes . {handled.scoped})\n"
        f' (tunables . "{DRAWING_TUNABLES}") (readable . ({readable})) (devices . ({devices})))\n'
    ).encode()


async def _prove(zygote: Warm) -> None:
    """Have a child try what a job must not be able to do."""
    folder = zygote.next_folder()
    await zygote.cell.write(f"{folder}/{SCORE}", b"")
    proof = await _child(zygote, "prove", folder, "5")
    if isinstance(proof, Ended) or proof.exit_code != 0 or proof.left:
        try:
            words = (await zygote.cell.excerpt(f"{folder}/prove.log", 500, 0)).head.decode(errors="replace")
        except CellError as error:
            words = str(error)
        raise WarmError(f"the walls around a forked job do not hold: {words}")
    await zygote.clean(folder)


@dataclass(frozen=True, slots=True)
class _Child:
    """What became of a child: exit code, or the signal that killed it; CPU, memory, who is left."""

    exit_code: int
    signal: int
    cpu_seconds: float
    peak_memory_bytes: int
    left: bool


async def _child(zygote: Warm, *words: str) -> _Child | Ended:
    answer = await zygote.ask(*words)
    if isinstance(answer, Ended):
        return answer
    try:
        _, exit_code, by_signal, microseconds, kib, left = answer
        return _Child(
            int(exit_code), int(by_signal), int(microseconds) / 1e6, int(kib) * 1024, bool(int(left))
        )
    except ValueError as error:
        zygote.condemn("protocol")
        raise WarmError(f"a zygote answered {answer!r:.200}") from error


class ZygoteJobFolder:
    """The folder of one job in the cell of a zygote."""

    kind = "zygote"

    def __init__(
        self, zygote: Warm, folder: str, installation: Installation, limits: Limits, *, no_footers: bool
    ) -> None:
        self._zygote, self._folder = zygote, folder
        self._installation, self._limits = installation, limits
        self._include = str(NO_FOOTERS) if no_footers else "-"
        self._seconds = str(math.ceil(limits.cpu_seconds) + 1)
        self._before = Usage()
        self._left_behind = False

    async def stand(self, score: bytes) -> None:
        """Write the score and begin the job's budget."""
        limits, cell = self._limits, self._zygote.cell
        await cell.write(f"{self._folder}/{SCORE}", score)
        self._before = await cell.allow(cpu_seconds=limits.cpu_seconds, wall_seconds=limits.wall_seconds)

    async def typeset(self) -> Ran:  # noqa: D102 - see JobFolder
        return await self._run("compile", self._folder, self._seconds, self._include)

    async def draw(self, paper: Paper, dpi: float, first: int, last: int) -> Ran:  # noqa: D102
        installation = self._installation
        program = raster.program(paper, dpi, installation.device, first, last)
        await self._zygote.cell.write(f"{self._folder}/{raster.PROGRAM}", program)
        command = raster.command(str(installation.ghostscript))
        return await self._run("run", self._folder, self._seconds, *command)

    async def _run(self, *words: str) -> Ran:
        started = asyncio.get_running_loop().time()
        child = await _child(self._zygote, *words)
        if isinstance(child, Ended):
            return self._lost(child)
        usage = Usage(
            asyncio.get_running_loop().time() - started, child.cpu_seconds, child.peak_memory_bytes, 1
        )
        cause, events = Cause.EXITED, []
        if child.left and not self._left_behind:
            self._left_behind = True
            self._zygote.condemn("left_behind")
            events.append(PolicyEvent(PolicyKind.LEFT_BEHIND, "processes outlived the program"))
        if child.peak_memory_bytes > self._limits.memory_bytes:
            self._zygote.condemn("limit")
            cause = Cause.MEMORY_LIMIT
        elif child.signal:
            self._zygote.condemn("signal")
            cause = _CAUSE_OF.get(child.signal, Cause.SIGNALED)
            if child.signal == signal.SIGSYS:
                events.append(PolicyEvent(PolicyKind.SYSTEM_CALL, "killed by a forbidden system call"))
        elif child.exit_code and await self._is_full():
            self._zygote.condemn("full")
            cause = Cause.DISK_LIMIT
        return Ran(cause, usage, tuple(events))

    def _lost(self, ended: Ended) -> Ran:
        """Return how a job ended that took the zygote with it."""
        if ended.cause in (Cause.EXITED, Cause.SIGNALED, Cause.STOPPED):
            self._zygote.condemn("died")
            raise WarmError(f"a zygote ended in the middle of a job: {ended.cause.value}")
        self._zygote.condemn("limit")
        used, before = ended.usage, self._before
        usage = Usage(
            used.wall_seconds - before.wall_seconds,
            used.cpu_seconds - before.cpu_seconds,
            used.peak_memory_bytes,
            used.peak_processes,
            used.waited_seconds - before.waited_seconds,
        )
        return Ran(ended.cause, usage, ended.events)

    async def _is_full(self) -> bool:
        fill, limits = await self._zygote.cell.fill(), self._limits
        return fill.used_bytes + _MIB > limits.disk_bytes or fill.used_inodes + _SLACK_INODES > limits.inodes

    async def fetch(self, name: str, max_bytes: int | None = None) -> bytes:  # noqa: D102
        bound = self._limits.file_bytes if max_bytes is None else max_bytes
        return await self._zygote.cell.fetch(f"{self._folder}/{name}", bound)

    async def excerpt(self, name: str, head: int, tail: int) -> Excerpt:  # noqa: D102
        return await self._zygote.cell.excerpt(f"{self._folder}/{name}", head, tail)
