"""The calls that slots and places are given to, and what callers and their connections have used of them."""

from __future__ import annotations

import contextvars
import math
from abc import ABC, abstractmethod
from bisect import bisect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar


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
    """A call or an item: in the queue, in its slot, or sent away and expected back."""

    #: Where it comes from.
    flow: Flow
    #: When its first attempt came, in seconds.
    arrival: float
    #: Distinguishes jobs that came at the same time.
    number: int
    #: Slot seconds that it is expected to need.
    cost: float
    #: How often it was sent away before.
    refusals: int
    #: Whether another may take its place in the queue.
    may_be_displaced: bool
    #: Whether it holds a place, in the queue or in a slot.
    has_place: bool = False
    #: Whether its connection has not had a job in a slot yet.
    is_new: bool = False
    #: What else is charged with it, if it is served before its turn.
    lane: Account | None = None
    #: Who is charged with it, from when it got its slot.
    accounts: tuple[Account, ...] = ()
    #: When it was asked to come back, if it was sent away.
    due: float = -math.inf
    #: Whether it was sent away, and came back since or was forgotten.
    is_over: bool = False

    def __lt__(self, other: Waiting) -> bool:
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


_MOST_SHARES = 1024  # in one group; of more than that those with nothing here are dropped
_SETTLED_SECONDS = 0.001  # use that is not worth remembering
_SHORT_PART = 0.5  # of the typical job: a job that is expected to need no more is short
_LATER_PART = 0.1  # of the typical job: so much later than others a first job comes that may precede them
_PART_OF_LANE = 0.25  # of what a caller uses: short jobs may have that before their turn, first ones as much


@dataclass(slots=True)
class Account:
    """The slot seconds that somebody used.

    What was used counts half after each half-life, so the order follows the latest use, and a party that
    waits comes nearer to its turn however long its jobs are.
    """

    #: Seconds after which use counts half.
    half_life: float
    #: Slot seconds of jobs that ended, as they counted at ``at``.
    used: float = 0.0
    #: Time of ``used``.
    at: float = 0.0
    #: Slot seconds that running jobs are expected to need.
    claimed: float = 0.0
    #: Jobs in slots.
    running: int = 0

    def usage(self, now: float) -> float:
        """Return the slot seconds that count; those of running jobs count in full."""
        return self.left(self.used, self.at, now) + self.claimed

    def charge(self, seconds: float, now: float) -> None:
        """Count slot seconds as used now."""
        self.used, self.at = self.left(self.used, self.at, now) + seconds, now

    def begin(self, job: Waiting) -> None:
        """Count a job that gets its slot."""
        self.running += 1
        self.claimed += job.cost

    def end(self, job: Waiting, seconds: float, now: float) -> None:
        """Count a job that had its slot for so long."""
        self.running -= 1
        self.claimed = max(self.claimed - job.cost, 0.0) if self.running else 0.0
        self.charge(seconds, now)

    def left(self, seconds: float, since: float, now: float) -> float:
        """Return how much of what was used at a time still counts."""
        if since >= now or not seconds:
            return seconds
        return seconds * math.exp2((since - now) / self.half_life)


@dataclass(slots=True)
class Share(Account, ABC):
    """One party among which slots and places are shared."""

    #: Its jobs in the queue.
    waiting: int = 0
    #: Its calls that were sent away and are expected back.
    sent: int = 0

    def rank(self, job: Waiting, now: float) -> float:
        """Return the use that a job of this party would lead to; the lowest is served next.

        What the job itself needs counts as if it had been used when the job came first.
        """
        return self.usage(now) + self.left(job.cost, job.arrival, now)

    @property
    def is_idle(self) -> bool:
        """Whether it has nothing here and nothing is expected."""
        return not (self.running or self.waiting or self.sent)

    def is_settled(self, now: float) -> bool:
        """Return whether a new party would be the same."""
        return self.is_idle and self.usage(now) < _SETTLED_SECONDS

    @abstractmethod
    def oldest(self) -> Waiting:
        """Return its oldest job that waits or is expected back; there must be one."""

    @abstractmethod
    def next_job(self, now: float) -> Waiting | None:
        """Return its job that is served first; None if none may have a slot."""

    @abstractmethod
    def displaced_job(self, now: float) -> Waiting | None:
        """Return its job that loses its place first; None if none may lose it."""

    @abstractmethod
    def forgotten_call(self) -> Waiting:
        """Return its call that is expected back and is forgotten first; there must be one."""


@dataclass(slots=True)
class CallerConnection(Share):
    """One connection of a caller. Its oldest job is first, and its newest loses its place."""

    #: Its waiting jobs, oldest first.
    line: list[Waiting] = field(default_factory=list)
    #: Its calls that are expected back, oldest first.
    sent_away: list[Waiting] = field(default_factory=list)
    #: Its jobs that run.
    in_slots: list[Waiting] = field(default_factory=list)
    #: Recent time of a job of it in its slot; None if none has ended.
    job_seconds: float | None = None
    #: Time until which it has no share of its own, because it came back before it was asked to.
    unruly_until: float = -math.inf

    def begin(self, job: Waiting) -> None:
        """Count a job that gets its slot."""
        Share.begin(self, job)
        self.in_slots.append(job)

    def end(self, job: Waiting, seconds: float, now: float) -> None:
        """Count a job that had its slot for so long."""
        Share.end(self, job, seconds, now)
        self.in_slots.remove(job)

    def is_settled(self, now: float) -> bool:
        """Return whether a new connection would be the same."""
        return now >= self.unruly_until and Share.is_settled(self, now)

    def oldest(self) -> Waiting:
        """Return its oldest job that waits or is expected back."""
        return min(self.line[:1] + self.sent_away[:1])

    def next_job(self, now: float) -> Waiting | None:
        """Return its oldest waiting job."""
        return self.line[0] if self.line else None

    def displaced_job(self, now: float) -> Waiting | None:
        """Return its newest waiting job that may be displaced."""
        for job in reversed(self.line):
            if job.may_be_displaced:
                return job
        return None

    def forgotten_call(self) -> Waiting:
        """Return its newest call that is expected back."""
        return self.sent_away[-1]

    def calls_before(self, call: Waiting) -> int:
        """Return how many of its jobs are older than a call, those that are expected back included."""
        return bisect(self.line, call) + bisect(self.sent_away, call)


S = TypeVar("S", bound=Share)


@dataclass(slots=True)
class Group(Share, Generic[S]):
    """Parties that share what their group has: the lowest rank is next, and who has most places loses one."""

    #: The parties by name.
    members: dict[str, S] = field(default_factory=dict)
    #: How many there may be before those with nothing here are dropped.
    most_members: int = _MOST_SHARES
    #: When those that would begin anew anyway were last dropped.
    swept_at: float = -math.inf

    def parties(self) -> Iterable[Share]:
        """Return those among which it is shared."""
        return self.members.values()

    def oldest(self) -> Waiting:
        """Return their oldest job that waits or is expected back."""
        return min(party.oldest() for party in self.parties() if party.waiting or party.sent)

    def next_job(self, now: float) -> Waiting | None:
        """Return the next job of the party whose turn it is."""
        return min(self.turns(now), default=(0.0, None))[1]

    def turns(self, now: float) -> list[tuple[float, Waiting]]:
        """Return the job of each party that is served first, with its rank."""
        heads = ((party, party.next_job(now)) for party in self.parties() if party.waiting)
        return [(share.rank(job, now), job) for share, job in heads if job is not None]

    def displaced_job(self, now: float) -> Waiting | None:
        """Return the job that loses its place, of the party with most; of equal ones that of highest rank."""
        return self.displaced_besides(None, now)

    def displaced_besides(self, kept: Waiting | None, now: float) -> Waiting | None:
        """Return the job that loses its place, of the parties that would not give up a kept one."""
        jobs = [(party, party.displaced_job(now)) for party in self.parties() if party.waiting]
        at_risk = [(share, job) for share, job in jobs if job is not None and job is not kept]
        most = max((share.waiting for share, _ in at_risk), default=0)
        ranked = ((share.rank(job, now), job) for share, job in at_risk if share.waiting == most)
        return max(ranked, default=(0.0, None))[1]

    def forgotten_call(self) -> Waiting:
        """Return the call that is forgotten first, of the party of which most are expected."""
        return max(self.parties(), key=lambda party: party.sent).forgotten_call()

    def jobs_before(self, party: Share, call: Waiting, ahead: int, enough: int) -> int:
        """Return how many jobs precede a call that so many jobs of its own party precede; stops at enough."""
        own = ahead
        for share in self.parties():
            if ahead >= enough:
                break
            if share is not party and (share.waiting or share.sent):
                ahead += min(share.waiting + share.sent, own + (share.oldest() < call))
        return ahead

    def drop_settled(self, name: str, now: float) -> None:
        """Drop a party that would begin anew anyway; if there are too many, all that have nothing here.

        Once in a half-life, all that would begin anew are dropped: those that went away have no events of
        their own.
        """
        if now >= self.swept_at + self.half_life:
            self.swept_at = now
            for settled in [key for key, member in self.members.items() if member.is_settled(now)]:
                del self.members[settled]
        elif name in self.members and self.members[name].is_settled(now):
            del self.members[name]
        if len(self.members) > self.most_members:
            for idle in [key for key, member in self.members.items() if member.is_idle]:
                del self.members[idle]
            self.most_members = max(_MOST_SHARES, 2 * len(self.members))


_Connections = dict[str, CallerConnection]
_Turns = list[tuple[float, Waiting]]


@dataclass(slots=True)
class Caller(Group[CallerConnection]):
    """One caller, whose connections share what it has.

    Those that come back before they are asked to have one share together, however many they are. Of the
    others, short jobs may have a quarter of what the caller uses before their turn, and first jobs of
    connections as much, the newest first: so neither waits for a round of long jobs.
    """

    #: Jobs that may run at once; 0: as many as there are slots.
    most_running: int = 0
    #: Its unruly connections.
    unruly: Group[CallerConnection] = field(init=False)
    #: What jobs used that were served before their turn because they are short.
    short: Account = field(init=False)
    #: What jobs used that were served before their turn because they are the first of their connections.
    new: Account = field(init=False)
    #: The same as its use, each job times its seconds.
    squares: Account = field(init=False)

    def __post_init__(self) -> None:
        self.unruly = Group(self.half_life)
        self.short, self.new, self.squares = (Account(self.half_life) for _ in range(3))

    def parties(self) -> Iterable[Share]:
        """Return its connections, and those that share one share as one."""
        return (*self.members.values(), self.unruly) if self.unruly.members else self.members.values()

    def connection(self, name: str) -> CallerConnection:
        """Return a connection of it, which begins if it is not known."""
        known = self.members.get(name) or self.unruly.members.get(name)
        return known or self.members.setdefault(name, CallerConnection(self.half_life))

    def path(self, name: str) -> tuple[Share, ...]:
        """Return the shares that a connection is part of, itself included, from the greatest to the least."""
        connection = self.connection(name)
        return (self, self.unruly, connection) if name in self.unruly.members else (self, connection)

    def set_unruly(self, name: str, until: float, now: float) -> None:
        """Take its own share from a connection until then; what it used counts for the common share too."""
        connection = self.connection(name)
        if name in self.members:
            self._move(name, self.members, self.unruly.members, 1)
            self.unruly.charge(connection.left(connection.used, connection.at, now), now)
            for job in connection.in_slots:
                if all(account is not self.unruly for account in job.accounts):
                    job.accounts += (self.unruly,)
                    self.unruly.begin(job)
        self.keep_unruly(name, until)

    def keep_unruly(self, name: str, until: float) -> bool:
        """Return whether a connection is unruly; if so, it remains so at least until then."""
        connection = self.unruly.members.get(name)
        if connection is not None:
            connection.unruly_until = max(connection.unruly_until, until)
        return connection is not None

    def forgive(self, name: str, now: float) -> None:
        """Give a connection its own share back if the time without it is over."""
        if name in self.unruly.members and now >= self.connection(name).unruly_until:
            self._move(name, self.unruly.members, self.members, -1)

    def _move(self, name: str, old: _Connections, new: _Connections, sign: int) -> None:
        connection = new[name] = old.pop(name)
        self.unruly.waiting += sign * connection.waiting
        self.unruly.sent += sign * connection.sent

    def next_job(self, now: float) -> Waiting | None:
        """Return its next job; None if none may have a slot."""
        turns = self.turns(now)
        if not turns or (self.most_running and self.running >= self.most_running):
            return None
        job = min(turns)[1]
        job.lane = None
        most_used = _PART_OF_LANE * self.usage(now)
        for lane, early_turns in ((self.short, self._short), (self.new, self._first)):
            if lane.usage(now) <= most_used and (jobs := early_turns(turns, now)):
                early = min(jobs)[1]
                early.lane = None if early is job else lane
                return early
        return job

    def _short(self, turns: _Turns, now: float) -> _Turns:
        """Return the turns of short jobs."""
        most = _SHORT_PART * self._typical_seconds(now)
        return [turn for turn in self._own(turns) if turn[1].cost <= most and not turn[1].is_new]

    def _first(self, turns: _Turns, now: float) -> _Turns:
        """Return the turns of first jobs of connections, the newest first.

        Those of connections that began together stay in their order, which leaves the lane to later ones.
        """
        since = min(job.arrival for _, job in turns) + _LATER_PART * self._typical_seconds(now)
        return [(-job.number, job) for _, job in self._own(turns) if job.is_new and job.arrival >= since]

    def _own(self, turns: _Turns) -> _Turns:
        """Return the turns of connections that have a share of their own."""
        return [turn for turn in turns if turn[1].flow.connection in self.members]

    def displaced_job(self, now: float) -> Waiting | None:
        """Return the job that loses its place; that of the next turn only if there is no other."""
        last = self.displaced_besides(None, now)
        is_head = last is not None and self.connection(last.flow.connection).line[0] is last
        if is_head and last is self.next_job(now):
            return self.displaced_besides(last, now) or last
        return last

    def is_settled(self, now: float) -> bool:
        """Return whether a new caller would be the same."""
        return Share.is_settled(self, now) and all(
            member.is_settled(now) for member in self.unruly.members.values()
        )

    def end(self, job: Waiting, seconds: float, now: float) -> None:
        """Count a job that had its slot for so long."""
        Group.end(self, job, seconds, now)
        self.squares.charge(seconds**2, now)

    def _typical_seconds(self, now: float) -> float:
        """Return the length of the job that a second of a slot belongs to, on average."""
        used = self.left(self.used, self.at, now)
        return self.squares.usage(now) / used if used else 0.0
