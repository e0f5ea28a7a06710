"""How many calls are in flight: as many as the server bears.

Additive increase, multiplicative decrease (Chiu and Jain, 1989): an answer adds a fraction of a place, a
"too many requests" halves the places. Several of those from calls that were in flight together count once.
A server that fails otherwise is not helped by fewer places; there the pauses of each call are enough.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator


class Turn:
    """One call that is in flight."""

    def __init__(self, pace: AdaptiveLimiter) -> None:
        self._pace, self._began_at = pace, pace.cuts

    def answered(self) -> None:
        """Say that the server answered."""
        self._pace.gain()

    def throttled(self, seconds: float | None) -> None:
        """Say that the server had too many calls, and after how many seconds it wants any again."""
        self._pace.cut(self._began_at, seconds)


class AdaptiveLimiter:
    """Places for calls, from 1 to ``most``.

    Attributes:
        most: Places where the server never complains.
        places: Now; a fraction of a place is none.
        cuts: How often the number was halved.
    """

    def __init__(self, most: int) -> None:
        self.most, self.places, self.cuts = most, float(most), 0
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._not_before = 0.0  # by the clock of the loop

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Wait for a place, and for the end of a pause that the server asked for; keep it to the end."""
        await self._enter()
        try:
            loop = asyncio.get_running_loop()
            while loop.time() < self._not_before:  # noqa: ASYNC110 - an end that may move, no event
                await asyncio.sleep(self._not_before - loop.time())
            yield Turn(self)
        finally:
            self._running -= 1
            self._wake()

    def gain(self) -> None:
        """Add so much that a place is gained once all places were used well."""
        self.places = min(float(self.most), self.places + 1.0 / self.places)

    def cut(self, began_at: int, seconds: float | None) -> None:
        """Halve the places, unless that was done since the call began; let nobody begin for ``seconds``."""
        if seconds is not None:
            loop = asyncio.get_running_loop()
            self._not_before = max(self._not_before, loop.time() + seconds)
        if began_at == self.cuts:
            self.cuts += 1
            self.places = max(1.0, self.places / 2.0)

    async def _enter(self) -> None:
        if not self._waiting and self._running < int(self.places):
            self._running += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place  # who wakes us has counted us as running
        except asyncio.CancelledError:
            if place.cancelled():
                with contextlib.suppress(ValueError):
                    self._waiting.remove(place)
            else:  # woken and cancelled in the same moment: the place goes to the next
                self._running -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while self._waiting and self._running < int(self.places):
            place = self._waiting.popleft()
            if not place.done():
                self._running += 1
                place.set_result(None)
