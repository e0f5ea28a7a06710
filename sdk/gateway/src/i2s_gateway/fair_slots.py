"""The items of callers: how many may wait, and in whose turn they are worked on."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType

from i2s_gateway.callers import Caller
from i2s_gateway.guard import GatewayError


class FairSlots:
    """Slots that callers take in turn: the one that has fewest is next, then the one served longest ago.

    So while others wait, one that keeps its slots, such as through pauses between attempts, gets no more than
    its share. A caller that comes precedes whoever was served last, and none that has waited longer.

    Args:
        slots: Items that are under way at a time.
    """

    def __init__(self, slots: int) -> None:
        self._slots = self._free = slots
        self._held: Counter[str] = Counter()
        self._served = 0  # slots that were passed on so far
        self._waiting: dict[str, _Waiting] = {}

    def of(self, caller: str) -> AbstractAsyncContextManager[None]:
        """Return what holds a slot of a caller for the time of a block; it may be entered many times."""
        return _Turn(self, caller)

    async def take(self, caller: str) -> None:
        """Return once the caller has a slot."""
        if self._free > 0:
            self._free -= 1
            self._held[caller] += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, _Waiting(self._served - 1)).turns.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back(caller)  # it was given the slot and goes away
            raise

    def give_back(self, caller: str) -> None:
        """Pass a slot of a caller on to the one whose turn it is."""
        self._held[caller] -= 1
        self._held += Counter()  # without those that are 0
        self._free += 1
        self._pass_on()

    def resize(self, slots: int) -> None:
        """Have another number of slots; those that are taken stay so."""
        self._free += slots - self._slots
        self._slots = slots
        self._pass_on()

    def _pass_on(self) -> None:
        while self._free > 0 and self._waiting:
            caller = min(self._waiting, key=lambda name: (self._held[name], self._waiting[name].served))
            waiting = self._waiting[caller]
            turn = waiting.turns.popleft()
            if not waiting.turns:
                del self._waiting[caller]
            if not turn.done():  # else it has gone away
                self._served += 1
                waiting.served = self._served
                self._free -= 1
                self._held[caller] += 1
                turn.set_result(None)


@dataclass(slots=True)
class _Waiting:
    """The items of one caller that wait."""

    #: When it was served last, counted in slots.
    served: int
    turns: deque[asyncio.Future[None]] = field(default_factory=deque)


class _Turn(AbstractAsyncContextManager[None]):
    def __init__(self, slots: FairSlots, caller: str) -> None:
        self._slots, self._caller = slots, caller

    async def __aenter__(self) -> None:
        await self._slots.take(self._caller)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._slots.give_back(self._caller)


#: Bounds of the time after which a caller that was sent away may come back, in seconds.
_SOONEST, _LATEST = 1.0, 60.0
#: Weight of the latest item in the time that an item takes.
_WEIGHT = 0.05


class Places:
    """The places of items that wait or are under way, by number and by bytes.

    A caller gets no more places than it leaves to others, so that one alone has half of all. The callers of
    one address together get no more than twice what they leave.

    Args:
        items: Places.
        size: Bytes of all items together.
    """

    def __init__(self, items: int, size: int) -> None:
        self._most_items, self._most_bytes = items, size
        # by caller, by address, and (by ()) of all
        self._items: Counter[tuple[str, ...]] = Counter()
        self._bytes: Counter[tuple[str, ...]] = Counter()
        self._latest = 0.0
        self._interval = 0.0

    @property
    def taken(self) -> int:
        """The number of items that wait or are under way."""
        return self._items[()]

    @contextmanager
    def held(self, caller: Caller, items: int, size: int) -> Iterator[None]:
        """Hold places for the time of a block.

        Raises:
            GatewayError: There are not as many; says when to come back, or that there never will be.
        """
        if items > self._most_items // 2 or size > self._most_bytes // 2:
            raise GatewayError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "RESOURCE_EXHAUSTED",
                f"a batch of {items} items and {size} bytes is more than one caller may have under way: "
                f"{self._most_items // 2} items and {self._most_bytes // 2} bytes; send it in parts",
            )
        owners = (("caller", caller.key), ("address", caller.address), ())
        many = _exceed(self._items, owners, items, self._most_items)
        if many or _exceed(self._bytes, owners, size, self._most_bytes):
            wait = min(_LATEST, max(_SOONEST, self.taken * self._interval))
            message = f"{self.taken} items wait, which is as many as may; send the batch again later"
            raise GatewayError(
                HTTPStatus.TOO_MANY_REQUESTS, "RESOURCE_EXHAUSTED", message, retry_after_seconds=wait
            )
        for owner in owners:
            self._items[owner] += items
            self._bytes[owner] += size
        try:
            yield
        finally:
            for owner in owners:
                self._items[owner] -= items
                self._bytes[owner] -= size
            self._items += Counter()  # without those that are 0
            self._bytes += Counter()

    def note_done(self, now: float) -> None:
        """Note that an item was done at a time, by which waiting times are estimated."""
        if self._latest:
            self._interval += _WEIGHT * (now - self._latest - self._interval)
        self._latest = now


def _exceed(taken: Counter[tuple[str, ...]], owners: Sequence[tuple[str, ...]], more: int, most: int) -> bool:
    """Return whether a caller would leave less than it has, or its address less than half of that."""
    caller, address, everyone = owners
    free = most - taken[everyone]
    return taken[caller] + more > free or taken[address] + more > 2 * free
