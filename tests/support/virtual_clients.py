"""Clients of a FairQueue in virtual time: they call, are sent away, come back as asked, and call again."""

from __future__ import annotations

import heapq
import itertools
import random
from collections import defaultdict
from collections.abc import Callable
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
        obeys: Whether it comes back when it is asked to; otherwise after 20 ms.
    """

    group: str
    caller: str
    connection: str
    calls: int
    job_seconds: tuple[float, float] = (0.15, 0.35)
    names_calls: bool = True
    obeys: bool = True
    begins: float = 0.0
    number: int = field(default_factory=itertools.count().__next__)


class World:
    def __init__(self, queue: FairQueue, seed: int = 1) -> None:
        self.queue, self.random = queue, random.Random(seed)
        self.now = 0.0
        self.latencies: dict[str, list[float]] = defaultdict(list)
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
        part = self.random.uniform(LEAST_PART, MOST_PART)
        pause = self.queue.send_away(job, self.now, part) + self.random.uniform(0.5, 1) * NAP_SECONDS
        self._at(self.now + (pause if call.client.obeys else 0.02), call.attempt)

    def _give_slots(self) -> None:
        while (job := self.queue.next()) is not None:
            call = self._present.pop(job)
            seconds = self.random.uniform(*call.client.job_seconds)
            self._at(self.now + seconds, lambda job=job, call=call, s=seconds: self._done(job, call, s))

    def _done(self, job: Waiting, call: _Call, seconds: float) -> None:
        self.queue.finish(job, seconds)
        self.queue.leave()
        self.latencies[call.client.group].append(self.now - call.begun)
        if call.number < call.client.calls:
            _Call(self, call.client, call.number + 1).attempt()
        self._give_slots()


class _Call:
    def __init__(self, world: World, client: Client, number: int) -> None:
        self.world, self.client, self.number = world, client, number
        self.begun = world.now
        name = f"{client.number}-{number}" if client.names_calls else ""
        self.flow = Flow(client.caller, client.connection, name, client.names_calls)

    def attempt(self) -> None:
        world = self.world
        decision = world.queue.offer(self.flow, world.now)
        world._present[decision.coming] = self
        if decision.loser is not None:
            world._sent_away(decision.loser)
        world._give_slots()
