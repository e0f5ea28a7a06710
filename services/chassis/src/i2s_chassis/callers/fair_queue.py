"""Who runs next, who waits, and who is sent away: fair shares, decided from events and times alone.

The next free slot goes to the caller that has used least, and in one caller to the connection that has used
least. What was used are the slot seconds of jobs; they count half after each half-life. What a job is
expected to need, by the last jobs of its connection, counts as if it had been used when the job came: so a
short job precedes a long one, a job that waits precedes one like it that came later, and none waits for
ever. In one connection the oldest call comes first. A quarter of what a caller uses is for short jobs before
their turn, and another for the first jobs of its connections.

The places of the queue are shared too. If it is full, a call that comes takes the place of the
newest call of whoever has most calls waiting, unless that is the call itself. So a caller may use the
whole queue while it is alone, and its part shrinks with each other caller that comes.

A call that was sent away is remembered for some time. When it comes back it has its old age, and so
it precedes what came after its first attempt. Connections whose calls come back before they were asked to
have one share of their caller together, and their refusals are answered late. A call that never comes back
says nothing: another replica of the service may have it, or its client gave up.

Nothing here reads a clock and nothing is left to chance: equal events give equal decisions.
"""

from __future__ import annotations

import heapq
import itertools
import math
from bisect import insort
from dataclasses import dataclass

from i2s_chassis.callers.shares import Caller, CallerConnection, Flow, Group, Share, Waiting

FIRST_GUESS_SECONDS = 0.5
HALF_LIFE_SECONDS = 10.0
_WEIGHT_OF_LATEST = 0.2
_MIN_PUSHBACK_SECONDS = 0.05
_LEAST_STEP_SECONDS = 0.001
_HEAP_SLACK = 64  # entries of forgotten calls that are not worth a new heap


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on a call: it waits, or a call is refused for want of a place."""

    #: The call.
    coming: Waiting
    #: Who is sent away for want of a place: the call itself, or another, whose place it took.
    loser: Waiting | None = None


@dataclass(frozen=True, slots=True)
class Dismissal:
    """When a call that is sent away should come back."""

    #: Seconds until then.
    seconds: float
    #: Whether the answer is to be kept back for so long, because its connection would not wait by itself.
    is_late: bool


class FairQueue:
    """Slots and the bounded queue before them.

    Attributes:
        slots: Jobs that may run at the same time.
        queue: Jobs that may wait at the same time.
        inside: Jobs that run or wait now.
        job_seconds: Recent time of a job in its slot.
    """

    def __init__(
        self, slots: int, queue: int, pushback: Pushback | None = None, half_life: float = HALF_LIFE_SECONDS
    ) -> None:
        self.slots, self.queue = slots, queue
        self.inside = 0
        self.job_seconds = FIRST_GUESS_SECONDS
        self._pushback = pushback or Pushback()
        self._refusals = Refusals()
        self._callers: Group[Caller] = Group(half_life)
        self._numbers = itertools.count()

    @property
    def running(self) -> int:
        """Jobs that run now."""
        return self._callers.running

    @property
    def is_full(self) -> bool:
        """Whether there is a place for another job only if one loses its own."""
        return self.inside >= self.slots + self.queue

    def usage(self, flow: Flow, now: float) -> tuple[float, ...]:
        """Return the slot seconds that count for a flow: of its caller, and then of its connection."""
        return tuple(share.usage(now) for share in self._path(flow))

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
        loser = self._callers.displaced_job(now)
        assert loser is not None  # the job that came may be displaced
        self.withdraw(loser, now)
        loser.has_place = False
        return Decision(coming, loser)

    def hold_place(self) -> None:
        """Take a place for a job that lines up later."""
        self.inside += 1

    def line_up(self, flow: Flow, now: float, most_running: int = 0) -> Waiting:
        """Let a job wait that holds a place already; nothing displaces it."""
        return self._line_up(flow, now, may_be_displaced=False, most_running=most_running)

    def next(self, now: float) -> Waiting | None:
        """Give a slot to the job whose turn it is; None if no slot is free or nobody may have it."""
        job = self._callers.next_job(now) if self.running < self.slots else None
        if job is not None:
            self._take_from_line(job)
            job.accounts = self._path(job.flow)
            if job.lane is not None:
                job.accounts += (job.lane,)
            for account in job.accounts:
                account.begin(job)
        return job

    def finish(self, job: Waiting, seconds: float | None, now: float) -> None:
        """Take a slot back; the place of the job stays taken.

        Args:
            job: The job that had it.
            seconds: Seconds that it had it; None if the job never began.
            now: Seconds.
        """
        for account in job.accounts:
            account.end(job, seconds or 0.0, now)
        self._stays_unruly(job.flow, now)
        if seconds is not None:
            self.job_seconds = _average(self.job_seconds, seconds)
            connection = self._connection(job.flow)
            connection.job_seconds = _average(connection.job_seconds, seconds)
        self._tidy(job.flow, now)

    def withdraw(self, job: Waiting, now: float) -> None:
        """Take a job out of the queue; its place stays taken."""
        self._take_from_line(job)
        self._tidy(job.flow, now)

    def leave(self) -> None:
        """Free the place of a job that neither runs nor waits any more."""
        self.inside -= 1

    def send_away(self, call: Waiting, now: float, part: float = 1.0) -> Dismissal:
        """Remember a call that is sent away.

        Args:
            call: The call that found no place, or lost it.
            now: Seconds.
            part: Share of the time until its turn after which it should come back; it waits in the queue for
                the rest.

        Returns:
            When it should come back: after that part of the time until it would have its slot, with everybody
            counted who is here or expected back. Bounded by what the number of its refusals allows.
        """
        bounds = self._pushback
        most = min(bounds.first_seconds * 2.0 ** min(call.refusals, 30), bounds.max_seconds)
        step = max(part * self.job_seconds / self.slots, _LEAST_STEP_SECONDS)
        ahead = self._jobs_before(call, enough=math.ceil(most / step))
        seconds = min(max(step * (ahead + 1), _MIN_PUSHBACK_SECONDS), most)
        call.refusals += 1
        call.due = now + seconds
        is_unruly = self._stays_unruly(call.flow, call.due)
        if bounds.memory_calls:
            if len(self._refusals) >= bounds.memory_calls:
                self._forget(self._callers.forgotten_call(), now)
            insort(self._connection(call.flow).sent_away, call)
            for share in self._path(call.flow):
                share.sent += 1
            self._refusals.remember(call, call.due + bounds.memory_seconds)
        self._tidy(call.flow, now)
        return Dismissal(seconds, is_unruly)

    def _jobs_before(self, call: Waiting, enough: int) -> int:
        """Return how many jobs precede a call that is sent away, if all come back; stops at enough."""
        ahead = self._connection(call.flow).calls_before(call)
        path = self._path(call.flow)
        for group, party in zip(path[-2::-1], path[:0:-1], strict=True):
            if isinstance(group, Group):
                ahead = group.jobs_before(party, call, ahead, enough)
        return ahead

    def _line_up(self, flow: Flow, now: float, *, may_be_displaced: bool, most_running: int) -> Waiting:
        for missing in self._refusals.expired(now):
            self._forget(missing, now)
        caller = self._caller(flow)
        caller.most_running = most_running
        caller.forgive(flow.connection, now)
        self._stays_unruly(flow, now)
        connection = caller.connection(flow.connection)
        is_new = connection.job_seconds is None
        cost = self.job_seconds if connection.job_seconds is None else connection.job_seconds
        coming = Waiting(flow, now, next(self._numbers), cost, 0, may_be_displaced, is_new=is_new)
        before = self._refusals.find(flow, now)
        if before is not None:
            coming.arrival, coming.refusals = before.arrival, before.refusals
            if now < before.due:
                self._set_unruly(flow, now)
        insort(connection.line, coming)
        for share in self._path(flow):
            share.waiting += 1
        if before is not None:
            self._forget(before, now)
        return coming

    def _set_unruly(self, flow: Flow, now: float) -> None:
        self._caller(flow).set_unruly(flow.connection, now + self._pushback.memory_seconds, now)

    def _stays_unruly(self, flow: Flow, since: float) -> bool:
        """Return whether a connection is unruly, and let it be so until it was silent for some time."""
        return self._caller(flow).keep_unruly(flow.connection, since + self._pushback.memory_seconds)

    def _take_from_line(self, job: Waiting) -> None:
        self._connection(job.flow).line.remove(job)
        for share in self._path(job.flow):
            share.waiting -= 1

    def _forget(self, call: Waiting, now: float) -> None:
        self._connection(call.flow).sent_away.remove(call)
        for share in self._path(call.flow):
            share.sent -= 1
        self._refusals.forget(call)
        self._tidy(call.flow, now)

    def _caller(self, flow: Flow) -> Caller:
        caller = self._callers.members.get(flow.caller)
        if caller is None:
            caller = self._callers.members[flow.caller] = Caller(self._callers.half_life)
        return caller

    def _connection(self, flow: Flow) -> CallerConnection:
        return self._caller(flow).connection(flow.connection)

    def _path(self, flow: Flow) -> tuple[Share, ...]:
        return (self._callers, *self._caller(flow).path(flow.connection))

    def _tidy(self, flow: Flow, now: float) -> None:
        """Drop the shares of a flow that has nothing here, once dropping them changes nothing."""
        if caller := self._callers.members.get(flow.caller):
            caller.drop_settled(flow.connection, now)
            caller.unruly.drop_settled(flow.connection, now)
            self._callers.drop_settled(flow.caller, now)


def _average(before: float | None, latest: float) -> float:
    return latest if before is None else before + _WEIGHT_OF_LATEST * (latest - before)


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
        self._by_call: dict[tuple[str, str, str], list[Waiting]] = {}
        self._by_expiry: list[tuple[float, int, Waiting]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def remember(self, call: Waiting, expires: float) -> None:
        """Remember a call, which is expected to be sent again before a time."""
        insort(self._by_call.setdefault(_refusal_key(call.flow), []), call)
        heapq.heappush(self._by_expiry, (expires, call.number, call))
        self._count += 1

    def find(self, flow: Flow, now: float) -> Waiting | None:
        """Return the refusal that a call had before; None if it comes for the first time.

        Calls that only look alike are distinguished by the time that they were asked to come back: the oldest
        whose time has come, else the oldest.
        """
        expected = self._by_call.get(_refusal_key(flow), ())
        return min(expected, key=lambda one: (one.due > now, one.arrival, one.number), default=None)

    def forget(self, call: Waiting) -> None:
        """Forget a call."""
        call.is_over = True
        self._count -= 1
        key = _refusal_key(call.flow)
        self._by_call[key].remove(call)
        if not self._by_call[key]:
            del self._by_call[key]
        if len(self._by_expiry) > 2 * self._count + _HEAP_SLACK:
            self._by_expiry = [entry for entry in self._by_expiry if not entry[2].is_over]
            heapq.heapify(self._by_expiry)

    def expired(self, now: float) -> list[Waiting]:
        """Return those whose time is over; each is to be forgotten."""
        expired = []
        while self._by_expiry and (self._by_expiry[0][2].is_over or self._by_expiry[0][0] < now):
            call = heapq.heappop(self._by_expiry)[2]
            if not call.is_over:
                expired.append(call)
        return expired


def _refusal_key(flow: Flow) -> tuple[str, str, str]:
    """Named calls are found on any connection of their caller, others on their own."""
    return (flow.caller, "", flow.call) if flow.is_named else (flow.caller, flow.connection, flow.call)
