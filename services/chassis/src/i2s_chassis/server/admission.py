"""Who may run now, who waits, and who is sent away.

A *place* is the right to be inside: running or waiting. A *slot* is the right to run. There are
``slots`` slots and ``slots + queue`` places. ``sharing.queue`` decides who gets them; here tasks wait
for its decisions. A single call that finds no place is sent away at once, and one that waits may lose
its place to another caller; an item of a bulk stream waits for a place, which holds its stream up, and
keeps it. Streams together leave half of the queue to single calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from i2s_chassis.callers.audit import current_entry
from i2s_chassis.callers.fair_queue import HALF_LIFE_SECONDS, FairQueue, Pushback
from i2s_chassis.callers.quota import CallerAccount, CallerAccounts, Quota
from i2s_chassis.callers.shares import Flow, Waiting, current_flow
from i2s_chassis.errors import DeadlineExceededError, Refusal, ResourceExhaustedError
from i2s_chassis.server.spans import span
from i2s_chassis.server.telemetry import Telemetry

# A call that was sent away comes back before its turn and waits the rest in the queue, so that no slot
# is free meanwhile. The spread keeps those apart that were sent away together.
_LEAST_PART, _MOST_PART = 0.4, 0.8


class Ticket:
    """The right to run, from the moment it was given.

    Attributes:
        queue_seconds: How long the job waited for its slot.
        cpu_seconds: Processor time of the job, if its service sets it.
    """

    def __init__(self, queue_seconds: float, clock: Callable[[], float]) -> None:
        self.queue_seconds = queue_seconds
        self.cpu_seconds: float | None = None
        self._clock = clock
        self._since = clock()

    def seconds(self) -> float:
        """Return the seconds since the slot was given."""
        return self._clock() - self._since


class Admission:
    """Slots and the bounded queue before them.

    Attributes:
        slots: Jobs that may run at the same time.
        queue: Jobs that may wait at the same time.
    """

    def __init__(
        self,
        slots: int,
        queue: int,
        telemetry: Telemetry,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[float, float], float] = random.uniform,
        *,
        pushback: Pushback | None = None,
        half_life: float = HALF_LIFE_SECONDS,
        accounts: CallerAccounts | None = None,
    ) -> None:
        self.slots, self.queue = slots, queue
        self._telemetry, self._clock, self._jitter = telemetry, clock, jitter
        self._policy = FairQueue(slots, queue, pushback, half_life)
        self._accounts = accounts or CallerAccounts(Quota(), clock)
        self._turns: dict[Waiting, asyncio.Future[None]] = {}
        self._streams = _StreamPlaces(self._policy, slots + queue // 2, clock)
        self._report()

    @property
    def running(self) -> int:
        """Jobs that run now."""
        return self._policy.running

    @property
    def inside(self) -> int:
        """Jobs that run or wait now."""
        return self._policy.inside

    @property
    def waiting(self) -> int:
        """Jobs that have a place and wait for a slot now."""
        return self.inside - self.running

    @property
    def is_idle(self) -> bool:
        """Whether a slot is free and nobody waits: the time for work in the background."""
        return self.running < self.slots and not self.waiting

    @asynccontextmanager
    async def slot(self, remaining: float | None = None) -> AsyncIterator[Ticket]:
        """Hold a slot for a single call.

        Args:
            remaining: Seconds until the caller gives up; None if it never does.

        Raises:
            ResourceExhaustedError: No place is free or the caller's quota is used up; says when to come back.
            DeadlineExceededError: The caller's time was over before a slot was free.
        """
        flow, now = current_flow(), self._clock()
        account = self._accounts.of(flow.caller)
        self._check_quota(account, now)
        decision = self._policy.offer(flow, now, account.quota.slots)
        job = decision.coming
        if decision.loser is not None:
            refusal = self._send_away(decision.loser, now)
            if decision.loser is job:
                raise refusal
            turn = self._turns.pop(decision.loser)
            if not turn.done():  # else it is being cancelled
                turn.set_exception(refusal)
        try:
            async with self._run(job, account, remaining) as ticket:
                yield ticket
        finally:
            if job.has_place:
                self._leave()

    async def place_for_stream(self) -> StreamPlace:
        """Wait until an item of a bulk stream may come in; the place must be used or left."""
        flow = current_flow()
        account = self._accounts.of(flow.caller)
        await self._wait_for_quota(account)
        await self._streams.take(flow)
        self._report()
        return StreamPlace(lambda: self._run_item(flow), lambda: self._leave_stream(flow))

    async def _wait_for_quota(self, account: CallerAccount) -> None:
        while True:
            used_up = account.overdrawn(self._clock())
            if used_up is None:
                return
            await asyncio.sleep(used_up[1])

    @asynccontextmanager
    async def _run_item(self, flow: Flow) -> AsyncIterator[Ticket]:
        account = self._accounts.of(flow.caller)
        job = self._policy.line_up(flow, self._clock(), account.quota.slots)
        async with self._run(job, account, None) as ticket:
            yield ticket

    @asynccontextmanager
    async def _run(
        self, job: Waiting, account: CallerAccount, remaining: float | None
    ) -> AsyncIterator[Ticket]:
        """Wait for the slot of a job that has a place, and hold it."""
        arrival = self._clock()
        size = current_entry().request_bytes  # of a single call; streams are charged as they are read
        account.inside += 1
        account.spend("jobs", 1, arrival)
        account.spend("bytes", size, arrival)
        has_run = False
        try:
            with span("queue"):
                await self._turn(job, remaining)
            ticket = Ticket(self._clock() - arrival, self._clock)
            has_run = True
            self._telemetry.queue_wait(ticket.queue_seconds)
            self._report()
            try:
                yield ticket
            finally:
                self._finish(job, ticket, account)
        finally:
            account.inside -= 1
            if not has_run:
                account.spend("jobs", -1, self._clock())
                account.spend("bytes", -size, self._clock())

    async def _turn(self, job: Waiting, remaining: float | None) -> None:
        turn = self._turns[job] = asyncio.get_running_loop().create_future()
        self._give_slots()
        try:
            async with asyncio.timeout(remaining):
                await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._policy.finish(job, None, self._clock())  # the slot came, and so did the end
                self._give_slots()
            elif self._turns.pop(job, None) is not None:
                self._policy.withdraw(job, self._clock())
            if isinstance(error, TimeoutError):
                raise DeadlineExceededError("the deadline passed while the job waited for a slot") from None
            raise

    def _finish(self, job: Waiting, ticket: Ticket, account: CallerAccount) -> None:
        seconds = ticket.seconds()
        cpu_seconds = seconds if ticket.cpu_seconds is None else ticket.cpu_seconds
        account.spend("CPU seconds", cpu_seconds, self._clock())
        entry = current_entry()
        entry.queue_seconds, entry.slot_seconds = ticket.queue_seconds, seconds
        entry.cpu_seconds = ticket.cpu_seconds
        self._policy.finish(job, seconds, self._clock())
        self._give_slots()

    def _give_slots(self) -> None:
        while (job := self._policy.next(self._clock())) is not None:
            turn = self._turns.pop(job)
            if turn.done():  # it is being cancelled
                self._policy.finish(job, None, self._clock())
            else:
                turn.set_result(None)
        self._report()

    def _check_quota(self, account: CallerAccount, now: float) -> None:
        if used_up := account.overdrawn(now):
            name, seconds = used_up
            raise ResourceExhaustedError(
                f"your quota of {name} is used up; come back later", _ms(seconds), refusal=Refusal.QUOTA
            )
        if not account.has_place(self.slots):
            quota = account.quota
            raise ResourceExhaustedError(
                f"your quota of {quota.slots or self.slots} slots and {quota.queued} places in the queue is "
                "used up; come back later",
                _ms(self._policy.job_seconds),
                refusal=Refusal.QUOTA,
            )

    def _send_away(self, job: Waiting, now: float) -> ResourceExhaustedError:
        dismissal = self._policy.send_away(job, now, self._jitter(_LEAST_PART, _MOST_PART))
        return ResourceExhaustedError(
            f"all {self.slots} slots and {self.queue} places in the queue are taken; come back later",
            _ms(dismissal.seconds),
            refusal=Refusal.QUEUE,
            is_late=dismissal.is_late,
        )

    def _leave(self) -> None:
        self._policy.leave()
        self._streams.wake()
        self._report()

    def _leave_stream(self, flow: Flow) -> None:
        self._streams.give_back(flow)
        self._leave()

    def _report(self) -> None:
        self._telemetry.load(slots=self.slots, running=self.running, queue=self.queue, waiting=self.waiting)


class _StreamPlaces:
    """The places that items of streams may have.

    The next goes to the caller that has fewest, there to the connection that has fewest, and of equal ones to
    the one that used least.
    """

    def __init__(self, policy: FairQueue, most: int, clock: Callable[[], float]) -> None:
        self._policy, self._most, self._clock = policy, most, clock
        self._held: Counter[str | tuple[str, str]] = Counter()
        self._total = 0
        self._waiters: list[tuple[Flow, asyncio.Future[None]]] = []

    async def take(self, flow: Flow) -> None:
        waiter = (flow, asyncio.get_running_loop().create_future())
        self._waiters.append(waiter)
        self.wake()
        try:
            await waiter[1]
        except asyncio.CancelledError:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
            elif not waiter[1].cancelled():  # the place came, and so did the cancellation
                self.give_back(flow)
                self._policy.leave()
                self.wake()
            raise

    def give_back(self, flow: Flow) -> None:
        self._count(flow, -1)

    def wake(self) -> None:
        if not self._may_give():
            return
        now = self._clock()
        used = {flow: self._policy.usage(flow, now) for flow in {flow for flow, _ in self._waiters}}
        while self._may_give():
            waiter = min(self._waiters, key=lambda one: (*self._places_of(one[0]), *used[one[0]]))
            self._waiters.remove(waiter)
            if not waiter[1].done():
                self._policy.hold_place()
                self._count(waiter[0], 1)
                waiter[1].set_result(None)

    def _may_give(self) -> bool:
        return bool(self._waiters) and self._total < self._most and not self._policy.is_full

    def _places_of(self, flow: Flow) -> tuple[int, int]:
        return self._held[flow.caller], self._held[flow.caller, flow.connection]

    def _count(self, flow: Flow, places: int) -> None:
        self._total += places
        for party in (flow.caller, (flow.caller, flow.connection)):
            self._held[party] += places
            if not self._held[party]:
                del self._held[party]


class StreamPlace:
    """The right of one item of a bulk stream to be inside; given back exactly once."""

    def __init__(
        self,
        run: Callable[[], contextlib.AbstractAsyncContextManager[Ticket]],
        give_back: Callable[[], None],
    ) -> None:
        self._run, self._give_back = run, give_back
        self._held = True

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[Ticket]:
        """Hold a slot; leaves the place at the end."""
        try:
            async with self._run() as ticket:
                yield ticket
        finally:
            self.leave()

    def leave(self) -> None:
        """Give the place back; a second time does nothing."""
        if self._held:
            self._held = False
            self._give_back()


def _ms(seconds: float) -> int:
    return max(1, math.ceil(1000 * seconds))  # who comes back a moment earlier comes too soon
