"""The course of a soak: warm-up, then jobs and kills, with a checkpoint after each part."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from i2s_sdk import AsyncRenderClient
from i2s_sdk.errors import I2SError
from soak.jobs import Kind, drawn
from soak.judge import Checkpoint, Tolerance, excess, memory_complaints
from soak.killer import Act, Killer
from soak.resources import Look, Observer, least

_LOOK_SECONDS = 0.25
_ALIKE_LOOKS = 8
_MEMORY_LOOKS = 4
_IDLE_SECONDS = 0.05
_LONG_SECONDS = 30.0  # that are worth a line


@dataclass(frozen=True)
class Wanted:
    """How long and how hard a soak is.

    Attributes:
        jobs: Number of good jobs, and of as many hostile ones, after the warm-up.
        actions: Kills and stops.
        service_deaths: The most of them that hit a service itself.
        seed: Decides the order of jobs and what is killed when.
        at_once: Jobs under way.
        checkpoints: Number of checkpoints after the warm-up.
        patience: Seconds that services have at a checkpoint until what they hold is within the tolerance.
    """

    jobs: int
    actions: int
    service_deaths: int = 1
    seed: int = 7
    at_once: int = 6
    checkpoints: int = 3
    patience: float = 120.0


@dataclass
class Outcome:
    """What came of a soak.

    Attributes:
        good: Good jobs that were served, and those of probes and checkpoints among them.
        hostile: Hostile jobs that were served.
        verdicts: How often each, of hostile jobs, by service.
        faults: Good images that were different, hostile verdicts that are not permitted, jobs without an
            answer.
        acts: Kills and stops.
        recoveries: Seconds from a kill to the next good image of that service, which was asked for after
            the kill.
        checkpoints: What was held after the warm-up and after each part.
        held: What services hold beyond the tolerance.
    """

    good: int = 0
    hostile: int = 0
    verdicts: dict[str, Counter[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    recoveries: list[float] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    held: list[str] = field(default_factory=list)


class Course:
    """One soak over running services."""

    def __init__(
        self,
        wanted: Wanted,
        kinds: Sequence[Kind],
        clients: Mapping[str, AsyncRenderClient],
        observer: Observer,
        say: Callable[[str], None],
    ) -> None:
        """Prepare a soak.

        Args:
            wanted: How long and how hard.
            kinds: All sources.
            clients: Clients of the services, by name.
            observer: Observer of the services.
            say: Called with how far it is.
        """
        self._wanted, self._kinds, self._clients, self._observer = wanted, kinds, clients, observer
        self._say = say
        self._chance = random.Random(wanted.seed)
        self._killer = Killer(observer, random.Random(wanted.seed + 1), wanted.service_deaths)
        self._quiet: dict[Kind, list[bytes]] = {}
        self._under_way: dict[str, set[int]] = {name: set() for name in clients}
        self._disturbed: dict[str, set[int]] = {name: set() for name in clients}
        self._numbers = 0
        self._ended = 0
        self._served = Counter[str]()
        self.outcome = Outcome()

    async def run(self) -> Outcome:
        """Run it to its end; returns what came of it.

        Raises:
            I2SError: A service has no answer before anything was killed.
            RuntimeError: A good source has no image before anything was killed.
        """
        await self._warm_up()
        first = await self._at_rest(lambda look: [])
        self._checkpoint(first)
        jobs = drawn(self._kinds, self._wanted.jobs, self._wanted.jobs, self._chance)
        moments = sorted(self._chance.choices(range(len(jobs)), k=self._wanted.actions))
        parts = self._wanted.checkpoints
        for part in range(parts):
            begin, end = len(jobs) * part // parts, len(jobs) * (part + 1) // parts
            acts = [moment for moment in moments if begin <= moment < end]
            async with asyncio.TaskGroup() as group:
                group.create_task(self._disturb(acts))
                group.create_task(self._render_all(jobs[begin:end], len(jobs)))
            await self._good_of_each()
            self._checkpoint(await self._at_rest(lambda look: excess(first, look, Tolerance())))
        held = excess(first, self.outcome.checkpoints[-1].look, Tolerance())
        self.outcome.held = held + memory_complaints(self.outcome.checkpoints, Tolerance())
        return self.outcome

    async def _warm_up(self) -> None:
        """Render every source, good ones twice, while nothing is killed: their quiet renderings."""
        for kind in self._kinds:
            if kind.is_good:
                rendering = await self._clients[kind.service].render(kind.request)
                if not rendering.verdict.has_picture:
                    raise RuntimeError(f"{kind.service} {kind.name}: {rendering.message}")
                self._quiet[kind] = [picture.png for picture in rendering.pictures]
        await self._render_all(self._kinds, len(self._kinds))
        self._ended = 0

    async def _render_all(self, jobs: Sequence[Kind], total: int) -> None:
        ahead = iter(jobs)

        async def work() -> None:
            for kind in ahead:
                await self._one(kind)
                self._ended += 1
                if self._ended % max(10, total // 40) == 0:
                    self._say(f"{self._ended} of {total} jobs, {len(self.outcome.acts)} kills and stops")

        async with asyncio.TaskGroup() as group:
            for _ in range(self._wanted.at_once):
                group.create_task(work())

    async def _one(self, kind: Kind) -> None:
        """Render one source and note what is wrong with the answer."""
        self._numbers += 1
        number, under_way = self._numbers, self._under_way[kind.service]
        under_way.add(number)
        began = time.monotonic()
        try:
            rendering = await self._clients[kind.service].render(kind.request)
        except I2SError as error:
            self.outcome.faults.append(f"{kind.service} {kind.name}: no answer: {error.message}")
            return
        finally:
            under_way.discard(number)
            if (seconds := time.monotonic() - began) > _LONG_SECONDS:
                self._say(f"{kind.service} {kind.name}: {seconds:.1f} s")
            self._served[kind.service] += 1
        verdict, pictures = rendering.verdict.name, [picture.png for picture in rendering.pictures]
        if kind.is_good:
            self.outcome.good += 1
            if pictures != self._quiet[kind]:
                self.outcome.faults.append(
                    f"{kind.service} {kind.name}: another picture: {verdict} {rendering.message}"
                )
        else:
            self.outcome.hostile += 1
            self.outcome.verdicts.setdefault(kind.service, Counter())[verdict] += 1
            if verdict not in kind.verdicts:
                self.outcome.faults.append(f"{kind.service} {kind.name}: {verdict} {rendering.message}")

    async def _good_of_each(self) -> None:
        for kind in self._kinds:
            if kind.is_good:
                await self._one(kind)

    async def _disturb(self, moments: Sequence[int]) -> None:
        """Kill and stop processes, each once so many jobs have ended.

        A job that loses its engine is run once more, and its second end counts. So no job may be hit twice: a
        service is left alone until all jobs have ended that were under way when one of its processes was hit.
        """
        async with asyncio.TaskGroup() as probes:
            for moment in moments:
                while self._ended < moment:
                    await asyncio.sleep(_IDLE_SECONDS)
                while (act := await self._act()) is None:
                    await asyncio.sleep(_IDLE_SECONDS)
                self.outcome.acts.append(act)
                self._say(act.what)
                if act.killed:
                    probes.create_task(self._recover(act))

    async def _act(self) -> Act | None:
        free = [name for name, jobs in self._disturbed.items() if not jobs & self._under_way[name]]
        if not free:
            return None
        act = await self._killer.act(free)
        if act is not None:
            self._disturbed[act.service] = set(self._under_way[act.service])
        return act

    async def _recover(self, act: Act) -> None:
        await self._one(next(kind for kind in self._kinds if kind.is_good and kind.service == act.service))
        seconds = time.monotonic() - act.began
        self.outcome.recoveries.append(seconds)
        self._say(f"{act.service} has drawn a good picture {seconds:.1f} s after it")

    def _checkpoint(self, look: Look) -> None:
        self.outcome.checkpoints.append(Checkpoint(dict(self._served), look))

    async def _at_rest(self, may_hold: Callable[[Look], list[str]]) -> Look:
        """Return what is held once no thread of a service wants to run and the numbers stay the same.

        A service that is still making a warm process, or ending one, is not at rest, however long it has to
        wait for a processor.

        Args:
            may_hold: Returns what is held beyond the tolerance, for which services have the patience to let
                go of it.
        """
        looks: list[Look] = []
        held: list[str] = []
        end = time.monotonic() + self._wanted.patience
        while time.monotonic() < end:
            looks = [*looks[-_ALIKE_LOOKS + 1 :], self._observer.look(memory=False)]
            alike = len(looks) == _ALIKE_LOOKS and len({_numbers(look) for look in looks}) == 1
            held = may_hold(looks[-1])
            if alike and not any(look.running for look in looks) and not held:
                break
            await asyncio.sleep(_LOOK_SECONDS)
        else:
            self._say("; ".join(held) or f"not at rest: {looks[-1]}")
        measured = []
        for _ in range(_MEMORY_LOOKS):
            measured.append(self._observer.look())
            await asyncio.sleep(_LOOK_SECONDS)
        return least(measured)


def _numbers(look: Look) -> tuple[object, ...]:
    services = tuple(
        (name, service.pid, service.processes, service.descriptors)
        for name, service in sorted(look.services.items())
    )
    return services, look.orphans, look.entries
