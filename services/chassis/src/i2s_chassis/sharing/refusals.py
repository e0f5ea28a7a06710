"""The memory of calls that were sent away, so that they have their age when they come back."""

from __future__ import annotations

import heapq
from bisect import insort
from dataclasses import dataclass

from i2s_chassis.sharing.calls import Flow, Refused


@dataclass(frozen=True, slots=True)
class Pushback:
    """When calls that are sent away are asked to come back, and how they are remembered.

    Attributes:
        first_seconds: Longest pause that is asked for at the first refusal of a call; doubles with each.
        max_seconds: Longest pause that is asked for at all.
        memory_seconds: How long after the time that it was asked to come back a call keeps its age.
        memory_calls: Calls that are remembered; more are sent away without keeping their age.
    """

    first_seconds: float = 1.0
    max_seconds: float = 30.0
    memory_seconds: float = 15.0
    memory_calls: int = 1024

    def __post_init__(self) -> None:
        if not 0 < self.first_seconds <= self.max_seconds:
            raise ValueError("first_seconds must be above 0 and not above max_seconds")
        if self.memory_seconds < 0 or self.memory_calls < 0:
            raise ValueError("memory_seconds and memory_calls cannot be below 0")


class Refusals:
    """Calls that are expected back, by what identifies them."""

    def __init__(self) -> None:
        self._by_call: dict[tuple[str, str, str], list[Refused]] = {}
        self._by_expiry: list[tuple[float, int, Refused]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def remember(self, refused: Refused) -> None:
        """Remember a refused call, which is expected to be sent again."""
        insort(self._by_call.setdefault(_key(refused.flow), []), refused)
        heapq.heappush(self._by_expiry, (refused.expires, refused.number, refused))
        self._count += 1

    def find(self, flow: Flow, now: float) -> Refused | None:
        """Return the refusal that a call had before; None if it comes for the first time.

        Calls that only look alike are distinguished by the time that they were asked to come
        back: the oldest whose time has come.
        """
        expected = self._by_call.get(_key(flow), ())
        return next((one for one in expected if flow.is_named or one.due <= now), None)

    def forget(self, refused: Refused) -> None:
        """Forget a refused call."""
        refused.is_over = True
        self._count -= 1
        key = _key(refused.flow)
        self._by_call[key].remove(refused)
        if not self._by_call[key]:
            del self._by_call[key]

    def expired(self, now: float) -> list[Refused]:
        """Return those whose time is over; each is to be forgotten."""
        found = []
        while self._by_expiry and (self._by_expiry[0][2].is_over or self._by_expiry[0][0] < now):
            refused = heapq.heappop(self._by_expiry)[2]
            if not refused.is_over:
                found.append(refused)
        return found


def _key(flow: Flow) -> tuple[str, str, str]:
    """Named calls are found on any connection of their caller, others on their own."""
    return (flow.caller, "", flow.call) if flow.is_named else (flow.caller, flow.connection, flow.call)
