"""The clock of a job: wall time, less the time for which the machine kept it waiting for a processor.

A limit on wall time is there for jobs that sleep. On a loaded machine a job that computes needs more wall
time for the same work, which is not its fault. The kernel counts for each thread how long it was ready
to run and did not (the second number of /proc/PID/task/TID/schedstat, in nanoseconds, see
https://docs.kernel.org/scheduler/sched-stats.html). The clock stands still while any thread of the job waits
so. Threads of a process that wait at the same time count once.

Processes that work for each other wait one after the other: a page asks its browser, and the browser those
who answer it, the service and Playwright's driver, which run outside of its cell (``wait_for``; they answer
in their first threads). How long each waited is known for a look as a whole, not when, so for two processes
of the job and for those who answer it the times are added up, to the length of the look at most. Where they
waited at the same time that is too much. But to stop its clock in this way a job of two processes must keep
the processors busy for half of the time, a page that two others answer for a quarter, and the limit on CPU
time ends it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from i2s_chassis.jail import processes

_NANOSECONDS = 1e9
_FORGET_SECONDS = 60.0
# Reading the numbers of a browser's threads takes milliseconds, so they are read less often.
_FEW_THREADS = 16
_LOOK_SECONDS = 0.25
# Processes of a job that may wait one after the other: a page and its browser.
_IN_TURNS = 2


class Covered:
    """The length of the union of intervals, of which none ends before an earlier one."""

    def __init__(self) -> None:
        self._intervals: list[tuple[float, float]] = []
        self._folded = 0.0

    def add(self, start: float, end: float) -> None:
        """Add an interval."""
        while self._intervals and self._intervals[-1][1] >= start:
            start = min(start, self._intervals.pop()[0])
        self._intervals.append((start, end))
        while self._intervals[0][1] < end - _FORGET_SECONDS:
            first, last = self._intervals.pop(0)
            self._folded += last - first

    @property
    def seconds(self) -> float:
        """Length of the union so far."""
        return self._folded + sum(end - start for start, end in self._intervals)


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The kernel's counts for a thread."""

    #: Nanoseconds on a processor.
    ran: int
    #: Nanoseconds for which it was ready to run and did not.
    waited: int
    #: How often it got a processor.
    times: int


class Clock:
    """Counts for one run."""

    def __init__(self, started: float) -> None:
        """Begin.

        Args:
            started: Start of the run, in seconds of time.monotonic.
        """
        self._started = self._looked = started
        self._threads: dict[str, Scheduled] = {}
        self._waited = Covered()
        self._told: dict[str, float] = {}
        self._longest = 0.0
        self._answering: frozenset[int] = frozenset()

    @property
    def waited_seconds(self) -> float:
        """Return for how long the machine has kept the job waiting, up to the last look.

        The kernel says how long a thread waited, not when, so those of one thread may seem to overlap. What
        it says of one thread is exact, and a job has waited at least as long as any of its threads.
        """
        return max(self._waited.seconds, self._longest)

    def seconds(self, now: float) -> float:
        """Return what the clock shows at a moment after the last look."""
        return now - self._started - self.waited_seconds

    def wait_for(self, pids: Iterable[int]) -> None:
        """Count the time for which the machine keeps these processes waiting, too, from now on.

        Args:
            pids: Processes that are not the job's, which answer it; those of an earlier call are forgotten.
        """
        answering = frozenset(pids)
        for path, scheduled in _first_threads(answering - self._answering):
            self._threads[path] = scheduled  # what it has waited before does not count
        self._answering = answering

    def look(self, pids: Iterable[int], now: float, *, at_once: bool = False) -> None:
        """Take in how long the threads of the job were kept waiting.

        Args:
            pids: All processes of the job.
            now: The time, in seconds of time.monotonic.
            at_once: Also if there are many threads and the last look was a moment ago.
        """
        if not at_once and len(self._threads) > _FEW_THREADS and now - self._looked < _LOOK_SECONDS:
            return
        threads: dict[str, Scheduled] = {}
        told: dict[str, float] = {}
        longest: dict[str, float] = {}  # by process
        answering = dict(_first_threads(self._answering))
        for path, scheduled in (*_threads(pids), *answering.items()):
            threads[path] = scheduled
            before = self._threads.get(path, Scheduled(0, 0, 0))
            if scheduled == before:
                # The numbers of one that waits are brought up to date when it gets a processor.
                seconds = now - self._looked if _is_ready(path) else 0.0
            else:
                seconds = (scheduled.waited - before.waited) / _NANOSECONDS
            process = path.partition("/task/")[0]
            longest[process] = max(longest.get(process, 0.0), seconds)
            # A thread that was there before the clock has waited before it too.
            new = min((scheduled.waited - before.waited) / _NANOSECONDS, now - self._started)
            told[path] = self._told.get(path, 0.0) + new
        waited = self._waited_of_all(longest, {path.partition("/task/")[0] for path in answering}, now)
        if waited > 0:
            self._waited.add(max(self._started, now - waited), now)
        self._longest = max(self._longest, *told.values(), 0.0)
        self._threads, self._told, self._looked = threads, told, now

    def _waited_of_all(self, longest: Mapping[str, float], answering: Set[str], now: float) -> float:
        """Return for how long the job has waited since the last look.

        Args:
            longest: The longest wait of a thread since then, by process.
            answering: Processes that are not the job's, and answer it.
            now: The time of this look.
        """
        own = sorted((one for process, one in longest.items() if process not in answering), reverse=True)
        in_turns = sum(own[:_IN_TURNS]) + sum(longest[process] for process in answering)
        return max(0.0, min(in_turns, now - self._looked), *longest.values())


def _threads(pids: Iterable[int]) -> Iterable[tuple[str, Scheduled]]:
    for pid in pids:
        try:
            names = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue  # it has ended
        yield from _counted(f"/proc/{pid}/task/{name}" for name in names)


def _first_threads(pids: Iterable[int]) -> Iterable[tuple[str, Scheduled]]:
    return _counted(f"/proc/{pid}/task/{pid}" for pid in pids)


def _counted(paths: Iterable[str]) -> Iterable[tuple[str, Scheduled]]:
    for path in paths:
        try:
            yield path, Scheduled(*map(int, processes.read_kernel_file(f"{path}/schedstat").split()))
        except (OSError, TypeError, ValueError):
            continue  # it has ended, or this kernel does not count


def _is_ready(path: str) -> bool:
    return processes.state(path) == b"R"
