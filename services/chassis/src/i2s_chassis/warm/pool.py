"""Warm programs of one kind: one for each slot and some to spare, replaced in time."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

from i2s_chassis.errors import UnavailableError
from i2s_chassis.pool.supervisor import Supervisor
from i2s_chassis.telemetry import Telemetry
from i2s_chassis.warm.errors import WarmError
from i2s_chassis.warm.program import Warm, WarmSettings


class WarmPool:
    """Hands out warm programs, each to one job at a time.

    Attributes:
        kind: What they are: "zygote", "converter".
        settings: Settings of each of them.
        jobs: Number of jobs that were served so far.
    """

    def __init__(
        self,
        kind: str,
        start: Callable[[], AbstractAsyncContextManager[Warm]],
        settings: WarmSettings,
        *,
        slots: int,
        telemetry: Telemetry | None = None,
    ) -> None:
        """Prepare; ``open`` starts them.

        Args:
            kind: What they are.
            start: The function that starts one and ends it with the context.
            settings: Settings of each of them.
            slots: Jobs at the same time.
            telemetry: The metrics that count the ready programs, and the replaced ones by reason.
        """
        self.kind, self.settings, self.jobs = kind, settings, 0
        self._start = start
        self._stacks: dict[Warm, contextlib.AsyncExitStack] = {}
        self._pool = Supervisor[Warm](
            self._prepare,
            self._close,
            size=slots + settings.spare,
            jobs_per_worker=settings.jobs,
            alive=lambda warm: warm.alive,
            on_recycle=telemetry.recycle if telemetry else lambda _: None,
            on_ready=(lambda ready: telemetry.warm(kind, ready)) if telemetry else lambda _: None,
        )

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[WarmPool]:
        """Prove that there can be such programs here, then keep some ready while this is open.

        The program that proves it is the first of them.

        Raises:
            WarmError: There can be none; says why.
            JailError: A fault of the jail.
        """
        await self._pool.start(await self._prepare())
        try:
            yield self
        finally:
            await self._pool.close()

    @property
    def ready(self) -> int:
        """Programs that wait for a job."""
        return self._pool.ready

    async def _prepare(self) -> Warm:
        stack = contextlib.AsyncExitStack()
        warm = await stack.enter_async_context(self._start())
        self._stacks[warm] = stack
        return warm

    async def _close(self, warm: Warm) -> None:
        await self._stacks.pop(warm).aclose()

    @contextlib.asynccontextmanager
    async def lease(self) -> AsyncIterator[tuple[Warm, str]]:
        """Hold a program and a name for the job's folder, which is cleaned afterwards.

        Raises:
            WarmError: No program can be had.
            JailError: A fault of the jail.
        """
        try:
            async with self._pool.lease() as lease:
                folder = lease.worker.next_folder()
                yield lease.worker, folder
                self.jobs += 1
                await lease.worker.clean(folder)
                if lease.worker.condemned is not None:
                    lease.condemn(lease.worker.condemned)
        except UnavailableError as error:
            raise WarmError(str(error)) from None
