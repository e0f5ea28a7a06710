"""What one caller, or one of its connections, has used and has here now."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from i2s_chassis.sharing.calls import Refused, Waiting

_MOST_SHARES = 8192  # of callers, or of connections of one; beyond it those with nothing here are dropped


@dataclass(slots=True)
class Share:
    """One party among which a resource is shared.

    Attributes:
        tag: Slot seconds charged, on the common scale: who has the lowest is served next.
        waiting: Its jobs in the queue.
        running: Its jobs in slots.
        refused: Its calls that were sent away and are expected back.
    """

    tag: float = 0.0
    waiting: int = 0
    running: int = 0
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

    def oldest_waiting(self) -> float:
        """Return when its oldest waiting job came first; infinity where none waits."""
        raise NotImplementedError

    def oldest(self) -> float:
        """Return the same with those that were sent away."""
        raise NotImplementedError


@dataclass(slots=True)
class Connection(Share):
    """One connection of a caller.

    Attributes:
        line: Its waiting jobs, oldest first.
        sent_away: Its calls that are expected back, oldest first.
    """

    line: list[Waiting] = field(default_factory=list)
    sent_away: list[Refused] = field(default_factory=list)

    def oldest_waiting(self) -> float:
        """Return when its oldest waiting job came first."""
        return self.line[0].arrival if self.line else math.inf

    def oldest(self) -> float:
        """Return the same with those that were sent away."""
        return min(self.oldest_waiting(), self.sent_away[0].arrival if self.sent_away else math.inf)

    def jobs_older_than(self, arrival: float) -> int:
        """Return how many of its jobs came before, those that are expected back included."""
        waiting = sum(one.arrival <= arrival for one in self.line)
        return waiting + sum(one.arrival <= arrival for one in self.sent_away)


@dataclass(slots=True)
class Caller(Share):
    """One caller.

    Attributes:
        clock: Tag of its connection that was served last.
        most_running: Jobs that may run at once; 0: as many as there are slots.
        connections: By name.
    """

    clock: float = 0.0
    most_running: int = 0
    connections: dict[str, Connection] = field(default_factory=dict)

    @property
    def can_run(self) -> bool:
        """Whether a job of it waits and may have a slot."""
        return self.waiting > 0 and (not self.most_running or self.running < self.most_running)

    def oldest_waiting(self) -> float:
        """Return when its oldest waiting job came first."""
        return min((one.oldest_waiting() for one in self.connections.values()), default=math.inf)

    def oldest(self) -> float:
        """Return the same with those that were sent away."""
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
    """Drop a share that would begin anew anyway; where there are too many, all that have nothing here."""
    one = shares.get(name)
    if one is not None and one.idle and one.tag <= clock:
        del shares[name]
    if len(shares) > _MOST_SHARES:
        for idle in [key for key, share in shares.items() if share.idle]:
            del shares[idle]
