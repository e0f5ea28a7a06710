"""Who runs next, who waits, and who is sent away: fair shares, decided from events and times alone.

Callers share the slots by the time that their jobs hold them (start-time fair queueing): each has a
*tag*, the slot seconds it was charged, and the waiting job of the caller with the lowest tag runs
next. A caller that was away begins at the tag that is served now, so nobody saves up for later. In one
caller its connections share in the same way, but those that make one call at a time have together at least
as much as those that make more. In one connection the oldest call comes first.

The places of the queue are shared too. If it is full, a call that comes takes the place of the
newest call of whoever has most calls waiting, unless that is the call itself. So a caller may use the
whole queue while it is alone, and its part shrinks with each other caller that comes.

A call that was sent away is remembered for some time. When it comes back it has its old age, and so
it precedes what came after its first attempt.

Nothing here reads a clock and nothing is left to chance: equal events give equal decisions.
"""

from __future__ import annotations

import heapq
import itertools
from bisect import insort
from dataclasses import dataclass

from i2s_chassis.callers.shares import (
    Caller,
    CallerConnection,
    Demand,
    Flow,
    RefusedCall,
    Waiting,
    drop_idle,
    greediest_first,
    next_served,
)

FIRST_GUESS_SECONDS = 0.5
_WEIGHT_OF_LATEST = 0.2
_MIN_PUSHBACK_SECONDS = 0.05
_SHORTEST_JOB_SECONDS = 0.001  # for what is divided by the time of a job


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on a call: it waits, or a call is refused for want of a place."""

    #: The call.
    coming: Waiting
    #: Who is sent away for want of a place: the call itself, or another, whose place it took.
    loser: Waiting | None = None


class FairQueue:
    """Slots and the bounded queue before them.

    Attributes:
        slots: Jobs that may run at the same time.
        queue: Jobs that may wait at the same time.
        running: Jobs that run now.
        inside: Jobs that run or wait now.
        job_seconds: Recent time of a job in its slot.
    """

    def __init__(self, slots: int, queue: int, pushback: Pushback | None = None) -> None:
        self.slots, self.queue = slots, queue
        self.running = self.inside = 0
        self.job_seconds = FIRST_GUESS_SECONDS
        self._pushback = pushback or Pushback()
        self._refusals = Refusals()
        self._clock = 0.0
        self._callers: dict[str, Caller] = {}
        self._numbers = itertools.count()

    @property
    def is_full(self) -> bool:
        """Whether there is a place for another job only if one loses its own."""
        return self.inside >= self.slots + self.queue

    def offer(self, flow: Flow, now: float, most_running: int = 0) -> Decision:
        """Take a single call in, or not.

        Args:
            flow: Where it comes from.
            now: Seconds, of a clock that never goes back.
            most_running: Jobs of this caller that may run at once; 0: as many as there are slots.
        """
        coming = self._line_up(flow, now, may_be_displaced=True, most_running=most_running)
        coming.has_place = True
        if not self.is_full:
            self.inside += 1
            return Decision(coming)
        loser = self._loser()
        self.withdraw(loser)
        loser.has_place = False
        return Decision(coming, loser)

    def hold_place(self) -> None:
        """Take a place for a job that lines up later."""
        self.inside += 1

    def line_up(self, flow: Flow, now: float, most_running: int = 0) -> Waiting:
        """Let a job wait that holds a place already; nothing displaces it."""
        return self._line_up(flow, now, may_be_displaced=False, most_running=most_running)

    def next(self) -> Waiting | None:
        """Give a slot to the job whose turn it is; None if no slot is free or nobody may have it."""
        able = [one for one in self._callers.values() if one.can_run] if self.running < self.slots else []
        if not able:
            return None
        caller = next_served(able)
        connection = caller.next_connection()
        chosen = connection.line.pop(0)
        chosen.kind, chosen.weight = connection.demand, caller.weight(connection.demand)
        self._clock = max(self._clock, caller.tag)
        caller.clock = max(caller.clock, connection.tag)
        chosen.charged = self.job_seconds
        caller.add_waiting(connection, -1)
        for share in (caller, connection):
            share.running += 1
            share.tag += chosen.charged
        caller.kinds[chosen.kind].tag += chosen.charged / chosen.weight
        self.running += 1
        return chosen

    def finish(self, job: Waiting, seconds: float | None) -> None:
        """Take a slot back; the place of the job stays taken.

        Args:
            job: The job that had it.
            seconds: Seconds that it had it; None if the job never began.
        """
        self.running -= 1
        caller, connection = self._shares(job.flow)
        difference = (seconds or 0.0) - job.charged
        for share in (caller, connection):
            share.running -= 1
            share.tag += difference
        caller.kinds[job.kind].tag += difference / job.weight
        if seconds is not None:
            self.job_seconds += _WEIGHT_OF_LATEST * (seconds - self.job_seconds)
        self._tidy(job.flow)

    def withdraw(self, job: Waiting) -> None:
        """Take a job out of the queue; its place stays taken."""
        caller, connection = self._shares(job.flow)
        connection.line.remove(job)
        caller.add_waiting(connection, -1)
        self._tidy(job.flow)

    def leave(self) -> None:
        """Free the place of a job that neither runs nor waits any more."""
        self.inside -= 1

    def send_away(self, call: Waiting, now: float, part: float = 1.0) -> float:
        """Remember a call that is sent away.

        Args:
            call: The call that found no place, or lost it.
            now: Seconds.
            part: Share of the time until its turn after which it should come back; it waits in the queue for
                the rest.

        Returns:
            The seconds after which it should come back: that part of the time until it would have its
            slot, with everybody counted who is here or expected back. Bounded by what the number of
            its refusals allows.
        """
        self._forget_expired(now)
        bounds, is_remembered = self._pushback, len(self._refusals) < self._pushback.memory_calls
        most = min(bounds.first_seconds * 2.0 ** min(call.refusals, 30), bounds.max_seconds)
        turn = self._seconds_until_turn(call) if is_remembered else self._seconds_of_line()
        seconds = min(max(part * turn, _MIN_PUSHBACK_SECONDS), most)
        _, connection = self._shares(call.flow)
        connection.due = max(connection.due, now + seconds)
        if is_remembered:
            due, number = now + seconds, next(self._numbers)
            self._remember(
                RefusedCall(
                    call.flow, call.arrival, number, call.refusals + 1, due, due + bounds.memory_seconds
                )
            )
        self._tidy(call.flow)
        return seconds

    def _seconds_of_line(self) -> float:
        ahead = self.inside - self.running + len(self._refusals)
        return self.job_seconds * (ahead + 1) / self.slots

    def _seconds_until_turn(self, call: Waiting) -> float:
        step = max(self.job_seconds, _SHORTEST_JOB_SECONDS)
        caller, connection = self._shares(call.flow)
        ahead = connection.jobs_older_than(call.arrival)
        turn = connection.tag + ahead * step
        kind = connection.demand
        connections = (
            one for one in caller.connections.values() if one is not connection and one.demand is kind
        )
        ahead += sum(one.jobs_before(turn, call.arrival, step) for one in connections)
        ahead = _with_other_kind(caller, kind, ahead)
        turn = caller.tag + ahead * step
        callers = (one for one in self._callers.values() if one is not caller)
        ahead += sum(one.jobs_before(turn, call.arrival, step) for one in callers)
        return step * (ahead + 1) / self.slots

    def _line_up(self, flow: Flow, now: float, *, may_be_displaced: bool, most_running: int) -> Waiting:
        self._forget_expired(now)
        before = self._refusals.find(flow, now)
        if before is not None:
            self._forget(before)
        caller, connection = self._shares(flow)
        caller.most_running = most_running
        caller.set_demand(connection, connection.demand_with_call(now, self._pushback.memory_seconds))
        credit = 0.0 if before is None else self.job_seconds
        caller.start(self._clock, credit)
        connection.start(caller.clock, credit)
        arrival, refusals = (now, 0) if before is None else (before.arrival, before.refusals)
        coming = Waiting(flow, arrival, next(self._numbers), refusals, may_be_displaced)
        insort(connection.line, coming)
        caller.add_waiting(connection, 1)
        return coming

    def _loser(self) -> Waiting:
        """Return the job that loses its place if there is one too many."""
        for caller in greediest_first(self._callers.values()):
            for connection in caller.greediest_connections():
                for job in reversed(connection.line):
                    if job.may_be_displaced:
                        return job
        raise AssertionError("the job that came may be displaced")

    def _remember(self, refused: RefusedCall) -> None:
        caller, connection = self._shares(refused.flow)
        insort(connection.sent_away, refused)
        for share in (caller, connection):
            share.refused += 1
        self._refusals.remember(refused)

    def _forget(self, refused: RefusedCall) -> None:
        caller, connection = self._shares(refused.flow)
        connection.sent_away.remove(refused)
        for share in (caller, connection):
            share.refused -= 1
        self._refusals.forget(refused)
        self._tidy(refused.flow)

    def _forget_expired(self, now: float) -> None:
        for refused in self._refusals.expired(now):
            self._forget(refused)

    def _shares(self, flow: Flow) -> tuple[Caller, CallerConnection]:
        caller = self._callers.setdefault(flow.caller, Caller(self._clock))
        return caller, caller.connections.setdefault(flow.connection, CallerConnection(caller.clock))

    def _tidy(self, flow: Flow) -> None:
        """Drop the shares of a flow that has nothing here, once dropping them changes nothing."""
        if caller := self._callers.get(flow.caller):
            drop_idle(caller.connections, flow.connection, caller.clock)
            drop_idle(self._callers, flow.caller, self._clock)


def _with_other_kind(caller: Caller, demand: Demand, ahead: int) -> int:
    """Return how many jobs of a caller precede one, if so many of its own kind do."""
    other = [one for one in caller.connections.values() if one.demand is not demand]
    most = sum(one.waiting + one.refused for one in other)
    (kind,) = set(Demand) - {demand}
    beside = (ahead + 1) * caller.weight(kind) // max(caller.weight(demand), 1)
    return ahead + min(beside, most)


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
        self._by_call: dict[tuple[str, str, str], list[RefusedCall]] = {}
        self._by_expiry: list[tuple[float, int, RefusedCall]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def remember(self, refused: RefusedCall) -> None:
        """Remember a refused call, which is expected to be sent again."""
        insort(self._by_call.setdefault(_refusal_key(refused.flow), []), refused)
        heapq.heappush(self._by_expiry, (refused.expires, refused.number, refused))
        self._count += 1

    def find(self, flow: Flow, now: float) -> RefusedCall | None:
        """Return the refusal that a call had before; None if it comes for the first time.

        Calls that only look alike are distinguished by the time that they were asked to come
        back: the oldest whose time has come.
        """
        expected = self._by_call.get(_refusal_key(flow), ())
        return next((one for one in expected if flow.is_named or one.due <= now), None)

    def forget(self, refused: RefusedCall) -> None:
        """Forget a refused call."""
        refused.is_over = True
        self._count -= 1
        key = _refusal_key(refused.flow)
        self._by_call[key].remove(refused)
        if not self._by_call[key]:
            del self._by_call[key]

    def expired(self, now: float) -> list[RefusedCall]:
        """Return those whose time is over; each is to be forgotten."""
        places = []
        while self._by_expiry and (self._by_expiry[0][2].is_over or self._by_expiry[0][0] < now):
            refused = heapq.heappop(self._by_expiry)[2]
            if not refused.is_over:
                places.append(refused)
        return places


def _refusal_key(flow: Flow) -> tuple[str, str, str]:
    """Named calls are found on any connection of their caller, others on their own."""
    return (flow.caller, "", flow.call) if flow.is_named else (flow.caller, flow.connection, flow.call)
