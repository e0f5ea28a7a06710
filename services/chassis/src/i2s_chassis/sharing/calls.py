"""The calls that slots and places are given to."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Demand(enum.Enum):
    """How much a connection asks for.

    LOW: one call at a time, and one that is sent away comes back no sooner than it was asked to.
    HIGH: more than that, now or a short time ago.
    """

    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Flow:
    """Where a call comes from.

    Attributes:
        caller: Identity, as ``caller_of`` returns it.
        connection: Name of one of the caller's connections.
        call: What identifies the call: the same in all its attempts.
        is_named: Whether the caller chose that name for this one call. Otherwise calls that look alike
            have the same.
    """

    caller: str = ""
    connection: str = ""
    call: str = ""
    is_named: bool = False


@dataclass(slots=True, eq=False)
class Waiting:
    """A job in the queue or in its slot.

    Attributes:
        flow: Where it comes from.
        arrival: When its first attempt came, in seconds.
        number: Distinguishes jobs that came at the same time.
        refusals: How often it was sent away before.
        may_be_displaced: Whether another may take its place in the queue.
        has_place: Whether it holds a place, in the queue or in a slot.
        charged: Slot seconds that its shares were charged when it got its slot.
        kind: The kind of connection that was charged for it.
        weight: Weight of that kind at the time.
    """

    flow: Flow
    arrival: float
    number: int
    refusals: int
    may_be_displaced: bool
    has_place: bool = False
    charged: float = 0.0
    kind: Demand = Demand.LOW
    weight: int = 1

    def __lt__(self, other: Waiting) -> bool:
        return (self.arrival, self.number) < (other.arrival, other.number)


@dataclass(slots=True, eq=False)
class Refused:
    """A call that was sent away and is expected back.

    Attributes:
        flow: Where it came from.
        arrival: When its first attempt came, in seconds.
        number: Distinguishes calls that came at the same time.
        refusals: How often it was sent away, this time included.
        due: When it was asked to come back.
        expires: When it is forgotten.
        is_over: Whether it came back or was forgotten.
    """

    flow: Flow
    arrival: float
    number: int
    refusals: int
    due: float
    expires: float
    is_over: bool = False

    def __lt__(self, other: Refused) -> bool:
        return (self.arrival, self.number) < (other.arrival, other.number)
