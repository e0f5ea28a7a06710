"""The account of what all processes of a run use together, also those that have come and gone.

A control group counts every moment. If there is none the numbers of /proc are added up: of
what lives its own time and that of the children it has waited for, and what the supervisor and
the first process of the sandbox have reaped. Only the time of a child whose parent has asked
not to be notified of its end (SIGCHLD ignored) is then known no further than it was measured alive.

Two limits are noticed by others: whether the kernel has killed a process for memory, and whether the run has
asked for more processes than it may have. Who reports these differs between kernels.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Protocol

from i2s_chassis.jail import cgroup, processes
from i2s_chassis.jail.follow import Fate
from i2s_chassis.jail.launch import CellContext
from i2s_chassis.jail.model import Cause, Usage
from i2s_chassis.jail.processes import Process


class RunAccount:
    """The account of one run; it begins when the object is made.

    Attributes:
        memory_bytes: Memory of the whole job at the last measurement.
    """

    def __init__(
        self,
        group: cgroup.ControlGroup | None,
        scaffolding: frozenset[int],
        *,
        there: Sequence[int] = (),
        many_share: bool = False,
        forks: bool = False,
        most_processes: int | None = None,
    ) -> None:
        """Begin.

        Args:
            group: Control group of the cell, which counts CPU time exactly; None if there is none.
            scaffolding: Processes of the cell that are not the job's but may reap some of it.
            there: Processes of the cell at the beginning. What of them is not scaffolding is dead or dying
                and an earlier run's, as is the time that it has used and that whoever reaps it gets.
            many_share: The job is many processes of one large program, whose code would count once for
                each. With a control group, which bounds what they share, only memory that is private to
                a process is counted; without one, what they share counts once.
            forks: The job is a family of forks of one process, which share much of their memory.
            most_processes: The most that can run at the same time; others are held at their birth, before
                their first instruction. None if nothing holds them.
        """
        self._group = group
        self._scaffolding = set(scaffolding)
        self._most_processes = most_processes
        self._forks = forks
        self._private_only = many_share and group is not None
        self._shared_once = SharedOnce() if many_share and group is None else None
        self._before = self._grouped() or 0.0
        self._earlier = frozenset(there) - scaffolding
        # Children before parents: who is reaped meanwhile counts twice here, not for this run.
        counted = self._found([*reversed(there), *scaffolding.difference(there)])
        self._counted_before = self._counted(counted, _reaped_by_us())
        self._seen: dict[int, float] = {}
        self._cpu = 0.0
        self.memory_bytes = 0
        self._peaks = Usage()
        self._earlier_peaks = Usage()

    def exclude(self, pid: int) -> None:
        """Take a process that has just been started for scaffolding."""
        self._scaffolding.add(pid)

    def look(self, tree: list[int]) -> list[Process]:
        """Measure the processes of the cell; returns those of the job, zombies too.

        Args:
            tree: Everything below the supervisor, parents before children: who is reaped while we
                look is then missed until the next time, and never counted twice.
        """
        reaped_by_us = _reaped_by_us()
        counted = self._found(tree)
        job = [process for process in counted if process.pid not in self._scaffolding]
        for process in job:
            if process.pid not in self._earlier:
                self._seen[process.pid] = max(process.cpu_seconds, self._seen.get(process.pid, 0.0))
        self._count(self._counted(counted, reaped_by_us) - self._counted_before)
        self.memory_bytes = self._memory(job)
        threads = sum(process.threads for process in job)
        if self._most_processes is not None:
            threads = min(threads, self._most_processes)
        self._peaks += Usage(peak_memory_bytes=self.memory_bytes, peak_processes=threads)
        return job

    @staticmethod
    def _found(pids: Iterable[int]) -> list[Process]:
        return [process for pid in pids if (process := processes.look_at(pid)) is not None]

    def _counted(self, known: list[Process], reaped_by_us: float) -> float:
        """Return the CPU seconds of these processes and of those that the supervisor has reaped."""
        own = sum(process.cpu_seconds for process in known if process.pid not in self._scaffolding)
        return own + sum(process.reaped_seconds for process in known) + reaped_by_us

    def memory_above(self, bound: int, job: list[Process]) -> int:
        """Return the memory of the job, in which pages that forks share count once if it matters.

        Args:
            bound: What the memory is compared with.
            job: What ``look`` returned.
        """
        if self._forks and self.memory_bytes > bound:
            return sum(_shared_once(process, process.resident_bytes) for process in job)
        return self.memory_bytes

    def memory_before_fork(self, job: list[Process]) -> int:
        """Return what the memory of the job will be as soon as it has forked once more.

        Args:
            job: What ``look`` returned.
        """
        return sum(_shared_once(process, 2 * process.resident_bytes) for process in job)

    def _memory(self, job: list[Process]) -> int:
        if self._shared_once is not None:
            return self._shared_once.measure(job, self._peaks.peak_memory_bytes)
        if self._private_only:
            return sum(processes.private_bytes(process.pid) for process in job)
        return sum(process.resident_bytes for process in job)

    def _count(self, counted: float) -> None:
        grouped = self._grouped()
        if grouped is not None:
            self._cpu = max(self._cpu, grouped - self._before)
        else:
            # Each of them is at most the truth: what has gone may be missing from either.
            self._cpu = max(self._cpu, counted, sum(self._seen.values()))

    def _grouped(self) -> float | None:
        return self._group.cpu_seconds() if self._group is not None else None

    def add_peak(self, memory_bytes: int) -> None:
        """Add the greatest memory of one process, which the kernel reports at its end."""
        self._peaks += Usage(peak_memory_bytes=memory_bytes)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds so far."""
        return self._cpu

    def begin_new_peaks(self) -> None:
        """Have ``usage`` report peaks from now on; ``total`` still reports those of the whole run."""
        self._earlier_peaks += self._peaks
        self._peaks = Usage()

    def usage(self, wall_seconds: float, waited_seconds: float) -> Usage:
        """Return what was used so far, peaks since ``begin_new_peaks``."""
        return self._peaks + Usage(wall_seconds, self._cpu, waited_seconds=waited_seconds)

    def total(self, wall_seconds: float, waited_seconds: float) -> Usage:
        """Return what the whole run has used."""
        used = Usage(wall_seconds, self._cpu, peak_processes=1, waited_seconds=waited_seconds)
        return self._earlier_peaks + self._peaks + used


class SharedOnce:
    """The memory of processes that share much of it, each shared page counted once.

    To know it exactly the kernel walks through all pages of all processes. So it is asked only if they have
    grown by so much, since it was asked last, that the answer may matter.
    """

    def __init__(self) -> None:
        self._exact = 0
        self._resident: dict[int, int] = {}

    def measure(self, job: list[Process], above: int) -> int:
        """Return the memory in bytes: exactly if it may be above a bound, else at most this much.

        Args:
            job: The processes.
            above: The bound.
        """
        grown = sum(max(0, process.resident_bytes - self._resident.get(process.pid, 0)) for process in job)
        if self._exact + grown > above:
            self._exact = sum(_shared_once(process, process.resident_bytes) for process in job)
            self._resident = {process.pid: process.resident_bytes for process in job}
            return self._exact
        return self._exact + grown


def _shared_once(process: Process, otherwise: int) -> int:
    """Return the memory of a process, what it shares in parts; ``otherwise`` if that is not known."""
    proportional = processes.proportional_bytes(process)
    return otherwise if proportional is None else proportional


def _reaped_by_us() -> float:
    times = os.times()
    return times.children_user + times.children_system


class MemoryKills:
    """The processes of a run that the kernel killed for memory since this was made.

    A machine without free memory, or a container at its limit, takes jobs first, however little they use.
    So a kill is the job's own doing only if its control group has reached its own limit.
    """

    def __init__(self, group: cgroup.ControlGroup | None) -> None:
        """Begin to count.

        Args:
            group: Control group of the cell; None if there is none, and then no kill is known.
        """
        self._group = group
        # Failures first, here and below: they are counted before the kill that follows from them.
        self._failures_before = group.own_limit_failures() if group is not None else 0
        self._kills_before = group.out_of_memory_kills() if group is not None else 0

    def begin_anew(self) -> None:
        """Forget that the own limit was reached if nobody was killed for it: another job begins."""
        if self._group is None:
            return
        failures = self._group.own_limit_failures()
        if self._group.out_of_memory_kills() == self._kills_before:
            self._failures_before = failures

    def cause(self) -> Cause | None:
        """Return MEMORY_LIMIT if somebody was killed after the own limit was reached, KILLED if for others.

        None if nobody was killed.
        """
        if self._group is None or self._group.out_of_memory_kills() <= self._kills_before:
            return None
        own = self._group.own_limit_failures() > self._failures_before
        return Cause.MEMORY_LIMIT if own else Cause.KILLED


class ProcessBound(Protocol):
    """Says whether the bound on processes and threads was met since this was made."""

    def ended(self, fate: Fate) -> None:
        """Take note of what became of the program."""

    def is_met(self, seen: int) -> bool:
        """Return whether the job has asked for more than it may have.

        Args:
            seen: Processes and threads of it that were there at the same time, as far as we saw.
        """
        ...


class GroupBound:
    """The control group of the cell refuses, and counts what it has refused."""

    def __init__(self, group: cgroup.ControlGroup) -> None:
        """Begin to count."""
        self._group = group
        self._refused_before = group.refused_forks()

    def ended(self, fate: Fate) -> None:
        """Do nothing: the group has counted."""

    def is_met(self, seen: int) -> bool:
        """Return whether the group has refused a process."""
        return self._group.refused_forks() > self._refused_before


class FollowedBound:
    """The process that follows the job kills it, and says so."""

    def __init__(self) -> None:
        """Begin: nothing is known before the end."""
        self._met = False

    def ended(self, fate: Fate) -> None:
        """Take note of what the one that follows has said."""
        self._met = fate.too_many

    def is_met(self, seen: int) -> bool:
        """Return whether the job was killed for having too many."""
        return self._met


class CountedBound:
    """RLIMIT_NPROC alone, whose refusals the kernel reports to nobody.

    A job with as many as it may have is taken for one that has asked for more; one whose processes had all
    ended when we looked is not recognized.
    """

    def __init__(self, most: int) -> None:
        """Begin.

        Args:
            most: Processes and threads at the same time.
        """
        self._most = most

    def ended(self, fate: Fate) -> None:
        """Do nothing: only the living are counted."""

    def is_met(self, seen: int) -> bool:
        """Return whether as many were seen as there may be."""
        return seen >= self._most


def process_bound(context: CellContext) -> ProcessBound:
    """Return what says whether a run that begins now meets its bound."""
    if context.plan.followed:
        return FollowedBound()
    if context.group is not None:
        return GroupBound(context.group)
    return CountedBound(context.plan.limits.processes)
