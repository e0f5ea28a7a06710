"""What a job uses of its browser, and when that is too much."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from i2s_chassis.jail import Cause, Cell, Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import RawStage

_LOOK_SECONDS = 0.1
_LEAST_SECONDS = 0.1
# The jail is the backstop: it ends the whole browser where closing the page would do.
_GRACE_SECONDS = 5.0


class Meter:
    """Counts from the moment it is made with ``begin``."""

    def __init__(self, cell: Cell, limits: Limits, before: Usage) -> None:
        self._cell, self._limits = cell, limits  # of time, what is left of them
        self._began = self._stage_began = time.monotonic()
        self._start_cpu = self._stage_cpu = before.cpu_seconds
        self._start_clock, self._start_waited = before.clock_seconds, before.waited_seconds
        self._stage_waited = before.waited_seconds
        self._last = before

    @property
    def peak_memory_bytes(self) -> int:
        """The highest memory use so far, in bytes."""
        return self._last.peak_memory_bytes

    def clock(self) -> float:
        """Return the seconds since the start in which the machine did not keep the page waiting."""
        return time.monotonic() - self._began - (self._last.waited_seconds - self._start_waited)

    @classmethod
    async def begin(cls, cell: Cell, limits: Limits, spent: Usage, answering: Sequence[int]) -> Meter:
        """Begin to show a page.

        Args:
            cell: The cell of the browser.
            limits: Limits of the job.
            spent: What earlier steps have used of them.
            answering: Processes outside of the cell that answer what the page asks for.

        Raises:
            CellError: The cell is gone, or the browser has ended.
        """
        limits = replace(
            limits,
            cpu_seconds=max(_LEAST_SECONDS, limits.cpu_seconds - spent.cpu_seconds),
            wall_seconds=max(_LEAST_SECONDS, limits.wall_seconds - spent.clock_seconds),
        )
        before = await cell.allow(
            cpu_seconds=limits.cpu_seconds + _GRACE_SECONDS,
            wall_seconds=limits.wall_seconds + _GRACE_SECONDS,
            waits_for=answering,
        )
        return cls(cell, limits, before)

    async def stage(self, name: str) -> RawStage:
        """Return what was used since the last stage.

        Raises:
            JailError: The cell is gone.
        """
        self._last = await self._cell.usage()
        return self._stage(name, self._last, time.monotonic())

    def broken_off(self, name: str) -> RawStage:
        """Return what was seen to be used since the last stage, without asking the browser."""
        return self._stage(name, self._last, time.monotonic())

    def _stage(self, name: str, used: Usage, now: float) -> RawStage:
        spent = Usage(
            wall_seconds=now - self._stage_began,
            cpu_seconds=max(0.0, used.cpu_seconds - self._stage_cpu),
            peak_memory_bytes=used.peak_memory_bytes,
            peak_processes=used.peak_processes,
            waited_seconds=max(0.0, used.waited_seconds - self._stage_waited),
        )
        self._stage_began, self._stage_cpu = now, used.cpu_seconds
        self._stage_waited = used.waited_seconds
        return RawStage(name, spent)

    async def until_limit(self) -> Cause:
        """Return the limit that the job passes, when it does.

        Raises:
            JailError: The cell is gone.
        """
        limits = self._limits
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            used = self._last = await self._cell.usage()
            if used.cpu_seconds - self._start_cpu >= limits.cpu_seconds:
                return Cause.CPU_LIMIT
            if used.clock_seconds - self._start_clock >= limits.wall_seconds:
                return Cause.WALL_LIMIT
            if used.peak_memory_bytes > limits.memory_bytes:
                return Cause.MEMORY_LIMIT
            if used.peak_processes >= limits.processes:
                return Cause.PROCESS_LIMIT
