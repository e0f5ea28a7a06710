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
        obeys: Whether it comes back when it is asked to; otherwise ``again_seconds`` after each refusal.
        rests: Seconds between an answer and its next call.
        changes: What it changes at each attempt so that nobody knows it again: "", "name" or "connection".
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
    begins: float = 0.0
    rests: float = 0.0
    number: int = field(default_factory=itertools.count().__next__)


class World:
    def __init__(self, queue: FairQueue, seed: int = 1) -> None:
        self.queue, self.random = queue, random.Random(seed)
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
        answer = self.queue.send_away(job, self.now, part)
        late = answer.seconds if answer.is_late else 0.0
        obedient = answer.seconds - late + self.random.uniform(0.5, 1) * NAP_SECONDS
        pause = obedient if call.client.obeys else call.client.again_seconds
        self._at(self.now + late + pause, call.attempt)

    def _give_slots(self) -> None:
        while (job := self.queue.next(self.now)) is not None:
            call = self._present.pop(job)
            seconds = self.random.uniform(*call.client.job_seconds)
            self._at(self.now + seconds, lambda job=job, call=call, s=seconds: self._done(job, call, s))

    def _done(self, job: Waiting, call: _Call, seconds: float) -> None:
        self.queue.finish(job, seconds, self.now)
        self.queue.leave()
        self.latencies[call.client.group].append(self.now - call.begun)
        self.slot_seconds[call.client.group] += seconds
        if call.number < call.client.calls:
            client, number = call.client, call.number + 1
            self._at(self.now + client.rests, lambda: _Call(self, client, number).attempt())
        self._give_slots()


class _Call:
    def __init__(self, world: World, client: Client, number: int) -> None:
        self.world, self.client, self.number = world, client, number
        self.begun, self.attempts = world.now, 0

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
        decision = world.queue.offer(self._flow(), world.now)
        world._present[decision.coming] = self
        if decision.loser is not None:
            world._sent_away(decision.loser)
        world._give_slots()
