"""Kills and stops single processes below running services, chosen by a seed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time
from collections.abc import Collection
from dataclasses import dataclass

from processes import Process, is_there
from soak.resources import Observer

#: A service that dies more than five times, each time less than a minute after its start, is given up.
_BETWEEN_DEATHS_OF_A_SERVICE = 75.0
_SHORTEST_STOP, _LONGEST_STOP = 0.05, 1.5


@dataclass(frozen=True)
class Act:
    """What was done to one process.

    Attributes:
        service: Whose process it was.
        what: Signal, program and depth, for people.
        killed: Whether it was killed; otherwise it was stopped and continued.
        began: Time of its beginning, of the monotonic clock.
    """

    service: str
    what: str
    killed: bool
    began: float


class Killer:
    """Acts on processes of services.

    Attributes:
        service_deaths_left: How often a service itself may still be killed.
    """

    def __init__(self, observer: Observer, chance: random.Random, service_deaths: int) -> None:
        self._observer, self._chance = observer, chance
        self.service_deaths_left = service_deaths
        self._died: dict[str, float] = {}

    async def act(self, services: Collection[str]) -> Act | None:
        """Kill or stop one process of one of these services, each kind of process as likely as every other.

        Returns:
            What was done; None if there was no such process, or it has ended by itself.
        """
        service = self._chance.choice(sorted(services))
        kinds: dict[str, list[Process]] = {}
        for process in self._observer.processes(service):
            if process.depth > 1 or self._may_die(service):
                kinds.setdefault(f"{process.depth} {process.kind}", []).append(process)
        if not kinds:
            return None
        victim = self._chance.choice(kinds[self._chance.choice(sorted(kinds))])
        number = self._chance.choice([signal.SIGKILL, signal.SIGSTOP])
        began = time.monotonic()
        try:
            if not is_there(victim):
                return None
            os.kill(victim.pid, number)
        except ProcessLookupError:
            return None
        if number is signal.SIGSTOP:
            await asyncio.sleep(self._chance.uniform(_SHORTEST_STOP, _LONGEST_STOP))
            with contextlib.suppress(ProcessLookupError):
                if is_there(victim):
                    os.kill(victim.pid, signal.SIGCONT)
        elif victim.depth == 1:
            self.service_deaths_left -= 1
            self._died[service] = began
        what = f"{number.name} {service}: {victim.kind} at depth {victim.depth}"
        return Act(service, what, number is signal.SIGKILL, began)

    def _may_die(self, service: str) -> bool:
        long_ago = time.monotonic() - self._died.get(service, float("-inf")) > _BETWEEN_DEATHS_OF_A_SERVICE
        return self.service_deaths_left > 0 and long_ago
