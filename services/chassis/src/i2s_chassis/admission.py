"""Who may run now, who waits, and who is sent away.

A *place* is the right to be inside: running or waiting. A *slot* is the right to run. There are
``slots`` slots and ``slots + queue`` places, both given in the order of asking. A single call that
finds no place is sent away at once; an item of a bulk stream waits for one, which holds its stream
up. Streams together leave half of the queue to single calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from i2s_chassis.errors import DeadlineExceededError, ResourceExhaustedError
from i2s_chassis.telemetry import Telemetry

_FIRST_GUESS_SECONDS = 0.5
_WEIGHT_OF_LATEST = 0.2
_MIN_PUSHBACK_SECONDS = 0.05
_MAX_PUSHBACK_SECONDS = 30.0


class Ticket:
    """The right to run, from the moment it was given.

    Attributes:
        queue_seconds: How long the job waited for its slot.
    """

    def __init__(self, queue_seconds: float, clock: Callable[[], float]) -> None:
        self.queue_seconds = queue_seconds
        self._clock = clock
        self._since = clock()

    def seconds(self) -> float:
        """Return the seconds since the slot was given."""
        return self._clock() - self._since


class _Line:
    """Waiters in the order of asking. What one of them got is never lost to its cancellation."""

    def __init__(self, try_take: Callable[[], bool], give_back: Callable[[], None]) -> None:
        self._try_take, self._give_back = try_take, give_back
        self._waiters: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        if not self._waiters and self._try_take():
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiters.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the turn came, and so did the cancellation
                self._give_back()
            with contextlib.suppress(ValueError):
                self._waiters.remove(turn)
            raise

    def wake(self) -> None:
        while self._waiters:
            if not self._waiters[0].done():
                if not self._try_take():
                    return
                self._waiters[0].set_result(None)
            self._waiters.popleft()


class Admission:
    """Slots and the bounded queue before them.

    Attributes:
        slots: Jobs that may run at the same time.
        queue: Jobs that may wait at the same time.
        running: Jobs that run now.
        inside: Jobs that run or wait now.
    """

    def __init__(
        self,
        slots: int,
        queue: int,
        telemetry: Telemetry,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self.slots, self.queue = slots, queue
        self.running = self.inside = 0
        self._of_streams = 0
        self._telemetry, self._clock, self._jitter = telemetry, clock, jitter
        self._slot_line = _Line(self._try_slot, self._give_slot)
        self._stream_line = _Line(self._try_stream_place, self._give_stream_place)
        self._job_seconds = _FIRST_GUESS_SECONDS
        self._report()

    @property
    def waiting(self) -> int:
        """Jobs that have a place and wait for a slot now."""
        return self.inside - self.running

    @asynccontextmanager
    async def slot(self, remaining: float | None = None) -> AsyncIterator[Ticket]:
        """Hold a slot for a single call.

        Args:
            remaining: Seconds until the caller gives up; None where it never does.

        Raises:
            ResourceExhaustedError: Slots and queue are full; says when to come back.
            DeadlineExceededError: The caller's time was over before a slot was free.
        """
        if self.inside >= self.slots + self.queue:
            raise ResourceExhaustedError(
                f"all {self.slots} slots and {self.queue} places in the queue are taken; come back later",
                self.pushback_ms(),
            )
        self.inside += 1
        try:
            async with self._run(remaining) as ticket:
                yield ticket
        finally:
            self._leave()

    async def place_for_stream(self) -> Place:
        """Wait until an item of a bulk stream may come in; the place must be used or left."""
        await self._stream_line.take()
        return Place(self._run, self._give_stream_place)

    def pushback_ms(self) -> int:
        """Return when a caller that was sent away should come back, in milliseconds.

        The time in which the line that stands now is served, give or take a quarter so that
        those who were sent away together do not come back together.
        """
        line = self._job_seconds * (self.waiting + 1) / self.slots
        bounded = min(max(line, _MIN_PUSHBACK_SECONDS), _MAX_PUSHBACK_SECONDS)
        return round(1000 * bounded * self._jitter(0.75, 1.25))

    @asynccontextmanager
    async def _run(self, remaining: float | None) -> AsyncIterator[Ticket]:
        arrival = self._clock()
        self._report()
        try:
            async with asyncio.timeout(remaining):
                await self._slot_line.take()
        except TimeoutError:
            raise DeadlineExceededError("the deadline passed while the job waited for a slot") from None
        ticket = Ticket(self._clock() - arrival, self._clock)
        self._telemetry.queue_wait(ticket.queue_seconds)
        self._report()
        try:
            yield ticket
        finally:
            self._job_seconds += _WEIGHT_OF_LATEST * (ticket.seconds() - self._job_seconds)
            self._give_slot()

    def _try_slot(self) -> bool:
        if self.running >= self.slots:
            return False
        self.running += 1
        return True

    def _give_slot(self) -> None:
        self.running -= 1
        self._slot_line.wake()

    def _try_stream_place(self) -> bool:
        if self._of_streams >= self.slots + self.queue // 2 or self.inside >= self.slots + self.queue:
            return False
        self._of_streams += 1
        self.inside += 1
        return True

    def _give_stream_place(self) -> None:
        self._of_streams -= 1
        self._leave()

    def _leave(self) -> None:
        self.inside -= 1
        self._stream_line.wake()
        self._report()

    def _report(self) -> None:
        self._telemetry.load(slots=self.slots, running=self.running, queue=self.queue, waiting=self.waiting)


class Place:
    """The right of one item of a bulk stream to be inside; given back exactly once."""

    def __init__(
        self,
        run: Callable[[float | None], contextlib.AbstractAsyncContextManager[Ticket]],
        give_back: Callable[[], None],
    ) -> None:
        self._run, self._give_back = run, give_back
        self._held = True

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[Ticket]:
        """Hold a slot; leaves the place at the end."""
        try:
            async with self._run(None) as ticket:
                yield ticket
        finally:
            self.leave()

    def leave(self) -> None:
        """Give the place back; a second time does nothing."""
        if self._held:
            self._held = False
            self._give_back()
