"""The calls that slots and places are given to, and what callers and their connections have of them."""

from __future__ import annotations

import contextvars
import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar


class Demand(enum.Enum):
    """How much a connection asks for.

    LOW: one call at a time, and one that is sent away comes back no sooner than it was asked to.
    HIGH: more than that, now or a short time ago.
    """

    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Flow:
    """Where a call comes from."""

    #: Identity, as ``caller_of`` returns it.
    caller: str = ""
    #: Name of one of the caller's connections.
    connection: str = ""
    #: What identifies the call: the same in all its attempts.
    call: str = ""
    #: Whether the caller chose that name for this one call. Otherwise calls that look alike have the same.
    is_named: bool = False


@dataclass(slots=True, eq=False)
class Waiting:
    """A job in the queue or in its slot."""

    #: Where it comes from.
    flow: Flow
    #: When its first attempt came, in seconds.
    arrival: float
    #: Distinguishes jobs that came at the same time.
    number: int
    #: How often it was sent away before.
    refusals: int
    #: Whether another may take its place in the queue.
    may_be_displaced: bool
    #: Whether it holds a place, in the queue or in a slot.
    has_place: bool = False
    #: Slot seconds that its shares were charged when it got its slot.
    charged: float = 0.0
    #: The kind of connection that was charged for it.
    kind: Demand = Demand.LOW
    #: Weight of that kind at the time.
    weight: int = 1

    def __lt__(self, other: Waiting) -> bool:
        return (self.arrival, self.number) < (other.arrival, other.number)


@dataclass(slots=True, eq=False)
class RefusedCall:
    """A call that was sent away and is expected back."""

    #: Where it came from.
    flow: Flow
    #: When its first attempt came, in seconds.
    arrival: float
    #: Distinguishes calls that came at the same time.
    number: int
    #: How often it was sent away, this time included.
    refusals: int
    #: When it was asked to come back.
    due: float
    #: When it is forgotten.
    expires: float
    #: Whether it came back or was forgotten.
    is_over: bool = False

    def __lt__(self, other: RefusedCall) -> bool:
        return (self.arrival, self.number) < (other.arrival, other.number)


_NOBODY = Flow()
_flow: contextvars.ContextVar[Flow] = contextvars.ContextVar("flow", default=_NOBODY)


def current_flow() -> Flow:
    """Return where the call of this task comes from; an empty flow outside of calls."""
    return _flow.get()


@contextmanager
def coming_from(flow: Flow) -> Iterator[None]:
    """Let what this task does, and the tasks it starts, belong to a flow."""
    token = _flow.set(flow)
    try:
        yield
    finally:
        _flow.reset(token)


_MOST_SHARES = 8192  # of callers, or of connections of one; beyond it those with nothing here are dropped


@dataclass(slots=True)
class Share(ABC):
    """One party among which a resource is shared."""

    #: Slot seconds charged, on the common scale: who has the lowest is served next.
    tag: float = 0.0
    #: Its jobs in the queue.
    waiting: int = 0
    #: Its jobs in slots.
    running: int = 0
    #: Its calls that were sent away and are expected back.
    refused: int = 0

    @property
    def idle(self) -> bool:
        """Whether it has nothing here and nothing is expected."""
        return not (self.waiting or self.running or self.refused)

    def start(self, clock: float, credit: float) -> None:
        """Begin, if nothing waits, at the tag that is served now less a credit; not below its own tag."""
        if not self.waiting:
            self.tag = max(self.tag, clock - credit)

    def jobs_before(self, turn: float, arrival: float, step: float) -> int:
        """Return how many of its jobs that wait or are expected back precede a job of another share.

        Args:
            turn: Tag at which that job begins.
            arrival: When that job came first.
            step: Slot seconds of a job.
        """
        steps = (turn - self.tag) / step
        before = math.ceil(steps)
        if before == steps and self.oldest() < arrival:
            before += 1
        return min(max(before, 0), self.waiting + self.refused)

    @abstractmethod
    def oldest_waiting(self) -> float:
        """Return when its oldest waiting job came first; infinity if none waits."""

    @abstractmethod
    def oldest(self) -> float:
        """Return when its oldest job came first that waits or is expected back; infinity if there is none."""


@dataclass(slots=True)
class CallerConnection(Share):
    """One connection of a caller."""

    #: Its waiting jobs, oldest first.
    line: list[Waiting] = field(default_factory=list)
    #: Its calls that are expected back, oldest first.
    sent_away: list[RefusedCall] = field(default_factory=list)
    #: Whether it asks for more than one call at a time.
    demand: Demand = Demand.LOW
    #: Time before which nothing of it is expected, unless it makes several calls at once.
    due: float = -math.inf
    #: Time until which its demand counts as high.
    high_until: float = -math.inf

    def demand_with_call(self, now: float, seconds: float) -> Demand:
        """Return what the demand is with one call more.

        Args:
            now: Seconds, when that call comes.
            seconds: How long a connection that makes more than one call at a time counts as such.
        """
        if self.waiting or self.running or now < self.due:
            self.high_until = now + seconds
        return Demand.HIGH if now < self.high_until else Demand.LOW

    def oldest_waiting(self) -> float:
        """Return when its oldest waiting job came first."""
        return self.line[0].arrival if self.line else math.inf

    def oldest(self) -> float:
        """Return when its oldest job came first that waits or is expected back."""
        return min(self.oldest_waiting(), self.sent_away[0].arrival if self.sent_away else math.inf)

    def jobs_older_than(self, arrival: float) -> int:
        """Return how many of its jobs came before, those that are expected back included."""
        waiting = sum(one.arrival <= arrival for one in self.line)
        return waiting + sum(one.arrival <= arrival for one in self.sent_away)


@dataclass(slots=True)
class DemandGroup:
    """The common share of the connections of a caller with low demand, or of those with high demand."""

    #: Slot seconds charged, divided by the weight of the kind.
    tag: float = 0.0
    #: Number of their jobs in the queue.
    waiting: int = 0
    #: Number of them that have jobs in the queue.
    connections: int = 0


@dataclass(slots=True)
class Caller(Share):
    """One caller.

    Its slots and places are first shared among two kinds of connections, those with low and those with high
    demand: by their numbers, but connections with low demand have together at least as much as the others.
    So one that makes a call at a time is served beside any number that make more.
    """

    #: Tag of its connection that was served last.
    clock: float = 0.0
    #: Jobs that may run at once; 0: as many as there are slots.
    most_running: int = 0
    #: Connections by name.
    connections: dict[str, CallerConnection] = field(default_factory=dict)
    #: What its connections of each kind have together.
    kinds: dict[Demand, DemandGroup] = field(default_factory=lambda: {one: DemandGroup() for one in Demand})

    def weight(self, demand: Demand) -> int:
        """Return the part of a kind in what both kinds get; 0 if nothing of it waits."""
        low, high = self.kinds[Demand.LOW].connections, self.kinds[Demand.HIGH].connections
        return high if demand is Demand.HIGH else max(low, high if low else 0)

    def add_waiting(self, connection: CallerConnection, jobs: int) -> None:
        """Count jobs of a connection that begin to wait; below 0: that wait no more."""
        kind = self.kinds[connection.demand]
        kind.connections -= connection.waiting > 0
        for share in (self, connection, kind):
            share.waiting += jobs
        kind.connections += connection.waiting > 0

    def set_demand(self, connection: CallerConnection, demand: Demand) -> None:
        """Count a connection among those of a kind; where none waits, the kind begins where the other is."""
        waiting = connection.waiting
        self.add_waiting(connection, -waiting)
        connection.demand = demand
        if not self.kinds[demand].waiting:
            self.kinds[demand].tag = max(kind.tag for kind in self.kinds.values())
        self.add_waiting(connection, waiting)

    def next_connection(self) -> CallerConnection:
        """Return the connection whose turn it is; a job of it must wait."""
        turn = min((one for one in Demand if self.kinds[one].waiting), key=lambda one: self.kinds[one].tag)
        return next_served(one for one in self.connections.values() if one.waiting and one.demand is turn)

    def greediest_connections(self) -> list[CallerConnection]:
        """Return those with jobs waiting: first of the kind with more places for its part, then by number."""
        places = {one: self.kinds[one].waiting / max(self.weight(one), 1) for one in Demand}
        return sorted(greediest_first(self.connections.values()), key=lambda one: -places[one.demand])

    @property
    def can_run(self) -> bool:
        """Whether a job of it waits and may have a slot."""
        return self.waiting > 0 and (not self.most_running or self.running < self.most_running)

    def oldest_waiting(self) -> float:
        """Return when its oldest waiting job came first."""
        return min((one.oldest_waiting() for one in self.connections.values()), default=math.inf)

    def oldest(self) -> float:
        """Return when its oldest job came first that waits or is expected back."""
        return min((one.oldest() for one in self.connections.values()), default=math.inf)


S = TypeVar("S", bound=Share)


def next_served(shares: Iterable[S]) -> S:
    """Return the share whose turn it is: the lowest tag; of equal ones that with the oldest job."""
    candidates = list(shares)
    lowest = min(one.tag for one in candidates)
    return min((one for one in candidates if one.tag <= lowest), key=lambda one: one.oldest_waiting())


def greediest_first(shares: Iterable[S]) -> list[S]:
    """Return those that have jobs waiting: most jobs first, of equal ones that with the highest tag."""
    return sorted((one for one in shares if one.waiting), key=lambda one: (-one.waiting, -one.tag))


def drop_idle(shares: dict[str, S], name: str, clock: float) -> None:
    """Drop a share that would begin anew anyway; if there are too many, all that have nothing here."""
    own = shares.get(name)
    if own is not None and own.idle and own.tag <= clock:
        del shares[name]
    if len(shares) > _MOST_SHARES:
        for idle in [key for key, share in shares.items() if share.idle]:
            del shares[idle]
