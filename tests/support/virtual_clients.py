"""Clients of fair queues in virtual time: they call, are sent away, come back as asked, and call again."""

from __future__ import annotations

import heapq
import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from i2s_chassis.callers.fair_queue import FairQueue
from i2s_chassis.callers.shares import Flow, Waiting

LEAST_PART, MOST_PART = 0.4, 0.8  # as Admission has them
NAP_SECONDS = 0.1  # that the SDK's clients add at most


@dataclass
class Client:
    """One that makes a call, waits for its answer, and makes the next.

    Attributes:
        group: Group under which its latencies are reported.
        calls: Number of calls that it makes.
        job_seconds: Least and greatest time of a job.
        names_calls: Whether its calls can be told from each other.
        obeys: Whether it comes back when it is asked to; otherwise ``again_seconds`` after each refusal.
        rests: Seconds between an answer and its next call.
        changes: What it changes at each attempt so that nobody knows it again: "", "name" or "connection".
        replicas: Numbers of the queues that its attempts go to, one after the other.
    """

    group: str
    caller: str
    connection: str
    calls: int
    job_seconds: tuple[float, float] = (0.15, 0.35)
    names_calls: bool = True
    obeys: bool = True
    again_seconds: float = 0.02
    changes: str = ""
    replicas: Sequence[int] = (0,)
    begins: float = 0.0
    rests: float = 0.0
    number: int = field(default_factory=itertools.count().__next__)
    attempts: int = field(default=0, init=False)

    def next_replica(self) -> int:
        """Return the number of the queue that its next attempt goes to."""
        self.attempts += 1
        return self.replicas[self.attempts % len(self.replicas)]


class World:
    """Clients and the queues of the replicas of a service."""

    def __init__(self, *queues: FairQueue, seed: int = 1) -> None:
        self.queues, self.random = queues, random.Random(seed)
        self.now = 0.0
        self.latencies: dict[str, list[float]] = defaultdict(list)
        self.slot_seconds: dict[str, float] = defaultdict(float)
        self.refusals = 0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._present: dict[Waiting, _Call] = {}

    def run(self, clients: list[Client], seconds: float) -> None:
        """Let the clients call until none has anything left to do, or the time is over."""
        for client in clients:
            begin = client.begins + self.random.uniform(0, 0.05)
            self._at(begin, lambda client=client: _Call(self, client, 1).attempt())
        while self._events and self._events[0][0] <= seconds:
            self.now, _, event = heapq.heappop(self._events)
            event()

    def _at(self, time: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (time, next(self._order), event))

    def _sent_away(self, job: Waiting) -> None:
        call = self._present.pop(job)
        self.refusals += 1
        part = self.random.uniform(LEAST_PART, MOST_PART)
        answer = call.queue.send_away(job, self.now, part)
        late = answer.seconds if answer.is_late else 0.0
        obedient = answer.seconds - late + self.random.uniform(0.5, 1) * NAP_SECONDS
        pause = obedient if call.client.obeys else call.client.again_seconds
        self._at(self.now + late + pause, call.attempt)

    def _give_slots(self, queue: FairQueue) -> None:
        while (job := queue.next(self.now)) is not None:
            call = self._present.pop(job)
            seconds = self.random.uniform(*call.client.job_seconds)
            self._at(self.now + seconds, lambda job=job, call=call, s=seconds: self._done(job, call, s))

    def _done(self, job: Waiting, call: _Call, seconds: float) -> None:
        call.queue.finish(job, seconds, self.now)
        call.queue.leave()
        self.latencies[call.client.group].append(self.now - call.begun)
        self.slot_seconds[call.client.group] += seconds
        if call.number < call.client.calls:
            client, number = call.client, call.number + 1
            self._at(self.now + client.rests, lambda: _Call(self, client, number).attempt())
        self._give_slots(call.queue)


class _Call:
    def __init__(self, world: World, client: Client, number: int) -> None:
        self.world, self.client, self.number = world, client, number
        self.begun, self.attempts = world.now, 0
        self.queue = world.queues[0]

    def _flow(self) -> Flow:
        client, fresh = self.client, f"-{self.attempts}"
        name = f"{client.number}-{self.number}" if client.names_calls else ""
        name += fresh if client.changes == "name" else ""
        connection = client.connection
        if client.changes == "connection":
            connection += f"-{self.number}{fresh}"
        return Flow(client.caller, connection, name, bool(name))

    def attempt(self) -> None:
        world = self.world
        self.attempts += 1
        self.queue = world.queues[self.client.next_replica()]
        decision = self.queue.offer(self._flow(), world.now)
        world._present[decision.coming] = self
        if decision.loser is not None:
            world._sent_away(decision.loser)
        world._give_slots(self.queue)
