"""Pools of warm workers: prepared ahead, one job at a time in each, replaced in time.

``Supervisor`` knows nothing of what a worker is. Every worker has one owner at any moment: the queue of ready
ones, a lease, or the task that closes it. ``WarmPool`` holds warm programs of one kind: one for each slot and
some to spare.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Self, TypeVar

from i2s_chassis.errors import StartError, UnavailableError, WarmError, WarmKilledError
from i2s_chassis.server.spans import span
from i2s_chassis.server.telemetry import Telemetry
from i2s_chassis.warm.program import FOLDER, ForkingRendererSettings, Warm, WarmSettings

W = TypeVar("W")

_CLOSE_SECONDS = 5.0
_FILL_SECONDS = 10.0  # after which a pool is filled though no second job came
_STARTS = 3  # of a first worker that something outside kills
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses between failed preparations, in seconds: first, times factor, at most."""

    first: float = 0.2
    factor: float = 2.0
    most: float = 30.0

    def pause(self, failures: int) -> float:
        """Return the pause after this many failures in a row, counted from 1."""
        # The exponent is bounded because a float is.
        return min(self.most, self.first * self.factor ** min(failures - 1, 64))


@dataclass(slots=True)
class _Held(Generic[W]):
    worker: W
    jobs: int = 0


class WorkerLease(Generic[W]):
    """One job's hold on a worker.

    Attributes:
        worker: The worker, for this job alone.
    """

    def __init__(self, worker: W) -> None:
        self.worker = worker
        self.condemned: str | None = None

    def condemn(self, reason: str) -> None:
        """Replace the worker after this job; the first reason stands."""
        self.condemned = self.condemned or reason


class Supervisor(Generic[W]):
    """Keeps ``size`` workers alive and hands each to one job at a time.

    Args:
        prepare: The function that makes a worker; may take long and may fail.
        close: The function that ends a worker; given 5 seconds.
        size: Workers alive at the same time: being prepared, ready, leased or being closed.
        jobs_per_worker: Jobs after which a worker is replaced; 1 is single use.
        alive: Whether a ready worker is still fit; asked before it is handed out.
        on_recycle: Called with the reason when a worker is replaced: "jobs", "died", "failed",
            "cancelled", or what ``condemn`` said.
        on_ready: Called with the number of ready workers whenever it changes.
        backoff: Pauses between failed preparations.
        give_up_after: Failed preparations in a row after which jobs are sent away at once.
        sleep: Waits for so many seconds; tests pass another function.
    """

    def __init__(
        self,
        prepare: Callable[[], Awaitable[W]],
        close: Callable[[W], Awaitable[None]],
        *,
        size: int,
        jobs_per_worker: int = 1,
        alive: Callable[[W], bool] = lambda _: True,
        on_recycle: Callable[[str], None] = lambda _: None,
        on_ready: Callable[[int], None] = lambda _: None,
        backoff: Backoff = Backoff(),
        give_up_after: int = 3,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._prepare, self._close, self._alive = prepare, close, alive
        self._size, self._jobs_per_worker, self._give_up_after = size, jobs_per_worker, give_up_after
        self._on_recycle, self._on_ready = on_recycle, on_ready
        self._backoff, self._sleep = backoff, sleep
        self._idle: deque[_Held[W]] = deque()
        self._line: deque[asyncio.Future[_Held[W]]] = deque()
        self._refills: set[asyncio.Task[None]] = set()
        self._endings: set[asyncio.Task[None]] = set()
        self._failures = 0
        self._missing = size  # workers that nobody has begun to prepare
        self._later: asyncio.TimerHandle | None = None  # the time at which they are prepared in any case
        self._leases = 0
        self._closed = False

    @property
    def ready(self) -> int:
        """Workers that wait for a job."""
        return len(self._idle)

    @property
    def failing(self) -> bool:
        """Whether preparing fails again and again, so that jobs are sent away."""
        return self._failures >= self._give_up_after

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self, *workers: W) -> None:
        """Begin to prepare workers; does not wait for them.

        Where some are prepared already, the others begin with the second lease or after ten seconds. The
        first lease is the canary of a service that starts, and a start of several services on few cores shall
        not wait for workers that no job needs yet.

        Args:
            workers: Workers that are prepared already, at most ``size``; they belong to the supervisor now.
        """
        self._missing -= len(workers)
        for worker in workers:
            self._give(_Held(worker))
        if workers:
            self._later = asyncio.get_running_loop().call_later(_FILL_SECONDS, self._fill)
        else:
            self._fill()

    def _fill(self) -> None:
        if self._later is not None:
            self._later.cancel()
        while self._missing:
            self._missing -= 1
            _own(self._refills, self._refill())

    async def close(self) -> None:
        """Close all ready workers and send waiting jobs away. Leases must have ended."""
        self._closed = True
        self._missing = 0
        self._send_all_away()
        for refill in self._refills:
            refill.cancel()
        await asyncio.gather(*self._refills, return_exceptions=True)
        while self._idle:
            _own(self._endings, self._end(self._idle.popleft()))
        await asyncio.gather(*self._endings)
        self._on_ready(0)

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[WorkerLease[W]]:
        """Hold a worker for one job, in the order of asking.

        An exception or a cancellation inside condemns the worker.

        Raises:
            UnavailableError: Closed, or preparing fails again and again.
        """
        self._leases += 1
        if self._leases > 1:
            self._fill()
        with span("worker"):
            held = await self._take()
        held.jobs += 1
        lease = WorkerLease(held.worker)
        try:
            yield lease
        except asyncio.CancelledError:
            lease.condemn("cancelled")
            raise
        except BaseException:
            lease.condemn("failed")
            raise
        finally:
            if held.jobs >= self._jobs_per_worker:
                lease.condemn("jobs")
            if lease.condemned is None:
                self._give(held)
            else:
                self._replace(held, lease.condemned)

    async def _take(self) -> _Held[W]:
        while self._idle:
            held = self._idle.popleft()
            self._on_ready(self.ready)
            if self._alive(held.worker):
                return held
            self._replace(held, "died")
        if self._closed or self.failing:
            raise self._no_worker()
        turn: asyncio.Future[_Held[W]] = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._give(turn.result())  # the worker came, and so did the cancellation
            raise

    def _give(self, held: _Held[W]) -> None:
        if self._closed:
            _own(self._endings, self._end(held))
            return
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_result(held)
                return
        self._idle.append(held)
        self._on_ready(self.ready)

    def _replace(self, held: _Held[W], reason: str) -> None:
        self._on_recycle(reason)
        _own(self._endings, self._end_and_refill(held))

    async def _end_and_refill(self, held: _Held[W]) -> None:
        await self._end(held)
        if not self._closed:
            _own(self._refills, self._refill())

    async def _refill(self) -> None:
        while not self._closed:
            try:
                worker = await self._prepare()
            except Exception:
                self._failures += 1
                pause = self._backoff.pause(self._failures)
                fields = {"failures": self._failures, "pause": pause}
                _log.exception("a worker could not be prepared", extra={"fields": fields})
                if self.failing:
                    self._send_all_away()
                await self._sleep(pause)
            else:
                self._failures = 0
                self._give(_Held(worker))
                return

    async def _end(self, held: _Held[W]) -> None:
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._close(held.worker)
        except Exception:
            _log.exception("a worker could not be closed")

    def _send_all_away(self) -> None:
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_exception(self._no_worker())

    def _no_worker(self) -> UnavailableError:
        if self._closed:
            return UnavailableError("the service is ending")
        return UnavailableError("no worker could be prepared; the service's log says why")


def _own(tasks: set[asyncio.Task[None]], work: Coroutine[None, None, None]) -> None:
    """Start work in the background, which belongs to no call even if a call is the occasion."""
    task = asyncio.create_task(work, context=contextvars.Context())
    tasks.add(task)
    task.add_done_callback(tasks.discard)


class WarmPool:
    """Hands out warm programs, each to one job at a time.

    Attributes:
        kind: Kind of the processes: "zygote", "converter".
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
            kind: Kind of the processes.
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

        The program that proves it is the first of them. One that something outside kills proves nothing, and
        another is started.

        Raises:
            WarmError: There can be none; says why.
            JailError: A fault of the jail.
        """
        await self._pool.start(await self._first())
        try:
            yield self
        finally:
            await self._pool.close()

    @property
    def ready(self) -> int:
        """Programs that wait for a job."""
        return self._pool.ready

    async def _first(self) -> Warm:
        for _ in range(_STARTS - 1):
            try:
                return await self._prepare()
            except WarmKilledError as error:
                about = {"kind": self.kind, "reason": str(error)}
                _log.warning("a warm process was killed; another is started", extra={"fields": about})
        return await self._prepare()

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
                yield lease.worker, FOLDER
                self.jobs += 1
                await lease.worker.clean(FOLDER)
                if lease.worker.condemned is not None:
                    lease.condemn(lease.worker.condemned)
        except UnavailableError as error:
            raise WarmError(str(error)) from None


@contextlib.asynccontextmanager
async def open_pool(
    kind: str,
    start: Callable[[WarmSettings], AbstractAsyncContextManager[Warm]],
    settings: ForkingRendererSettings,
    *,
    required: bool = False,
    slots: int = 1,
    telemetry: Telemetry | None = None,
) -> AsyncIterator[WarmPool | None]:
    """Keep warm programs of one kind ready; None if the settings want none, or if there can be none here.

    Args:
        kind: Kind of the processes.
        start: The function that starts one and ends it with the context.
        settings: Settings of the service.
        required: Whether ``--warm zygote`` cannot do without them.
        slots: Jobs at the same time.
        telemetry: The metrics that count them.

    Raises:
        StartError: There can be none, and ``--warm zygote`` was chosen. Or something outside killed each.
        JailError: A fault of the jail.
    """
    if settings.warm == "single-use":
        yield None
        return
    warm = settings.warm_settings()
    pool = WarmPool(kind, functools.partial(start, warm), warm, slots=slots, telemetry=telemetry)
    async with contextlib.AsyncExitStack() as stack:
        opened: WarmPool | None = None
        try:
            opened = await stack.enter_async_context(pool.open())
        except WarmKilledError as error:
            raise StartError(f"no {kind} could be started: {error}") from error
        except WarmError as error:
            if required and settings.warm == "zygote":
                raise StartError(f"no {kind} can be had here: {error}; use --warm single-use") from None
            if telemetry is not None:
                telemetry.self_test_failure(kind)
            _log.warning("no warm process", extra={"fields": {"kind": kind, "reason": str(error)}})
        yield opened
