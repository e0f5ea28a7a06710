"""The processes of a run, however they are found: below the supervisor, or by the user they run as."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from abc import ABC, abstractmethod

from i2s_chassis.jail import by_user, processes, syscalls
from i2s_chassis.jail.errors import CellError
from i2s_chassis.jail.launch import Launched
from i2s_chassis.jail.plan import CellPlan

_KILL_SECONDS = 30.0  # the killed need the processor once more to end, which a busy machine delays


class JobProcesses(ABC):
    """What a run has started, with those who wait for its program, and how all of it is ended."""

    def __init__(self) -> None:
        """Begin, before anything is started."""
        self._program: int | None = None
        self._waiters: frozenset[int] = frozenset()

    def started(self, launched: Launched) -> None:
        """Take note of the program and of those who wait for it."""
        self._program, self._waiters = launched.pid, frozenset(launched.not_the_job)

    def waited(self) -> None:
        """Take note that the child of the supervisor was waited for: its number may be another's now."""
        self._program = None

    @abstractmethod
    def pids(self) -> list[int]:
        """Return everything that was started, the dead too; parents before children if that is known."""

    def kill(self, *, waiters: bool) -> int:
        """Kill what the job started until nothing is left; returns how many there were.

        Args:
            waiters: Also kill those that wait for the program, so that they start nothing in the sandbox
                any more and leave nothing to the next run. Otherwise they end by themselves, and report the
                exit status.

        Raises:
            CellError: Some cannot be killed.
        """
        if waiters and self._program in self._waiters:
            os.kill(self._program, signal.SIGKILL)
        return self._kill_job(waiters=waiters)

    @abstractmethod
    def _kill_job(self, *, waiters: bool) -> int: ...

    @abstractmethod
    def reap_orphans(self) -> None:
        """Reap what was left to us, but not the program itself and not the sandbox."""


class Descendants(JobProcesses):
    """Processes below the supervisor, to which the kernel gives the orphans."""

    def __init__(self, scaffolding: frozenset[int]) -> None:
        """Begin.

        Args:
            scaffolding: Processes of the sandbox that outlive the run; empty if there is no sandbox.
        """
        super().__init__()
        self._scaffolding = scaffolding

    def pids(self) -> list[int]:
        """Return everything that was started, the dead too, parents before children."""
        return processes.descendants(os.getpid())

    def _kill_job(self, *, waiters: bool) -> int:
        deadline = time.monotonic() + _KILL_SECONDS
        kept = self._scaffolding if waiters else self._scaffolding | self._waiters
        killed: set[int] = set()
        quiet = 0
        while True:
            met = [pid for pid in self.pids() if pid not in kept]
            met = [pid for pid in met if pid != self._program or processes.is_alive(pid)]
            alive = [pid for pid in met if processes.is_alive(pid)]
            # Who dies during the walk hands its children to someone already visited. Only a walk
            # that meets nobody, not even the dead, proves that nobody is there: the list of our
            # own children shrinks by our reaping alone. That of the sandbox's first process does
            # not, so two such walks are wanted there.
            quiet = 0 if met else quiet + 1
            if quiet > bool(self._scaffolding):
                return len(killed - self._waiters)
            if time.monotonic() > deadline:
                if not alive:
                    return len(killed - self._waiters)
                raise CellError(f"{len(alive)} processes of the job cannot be killed")
            for pid in alive:
                killed.add(pid)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.reap_orphans()

    def reap_orphans(self) -> None:
        """Reap what was left to us, but not the program itself and not the sandbox."""
        for pid in self.pids():
            if pid != self._program and pid not in self._scaffolding:
                processes.reap(pid)


class ProcessesOfUser(JobProcesses):
    """Processes of the cell's own user, where orphans go to the first process of all (gVisor)."""

    def __init__(self, uid: int) -> None:
        """Begin.

        Args:
            uid: The user.
        """
        super().__init__()
        self._uid = uid

    def pids(self) -> list[int]:
        """Return everything that runs as the user, the dead too, in the order of their numbers."""
        return by_user.pids(self._uid)

    def _kill_job(self, *, waiters: bool) -> int:
        if self._program is not None:
            with contextlib.suppress(PermissionError):  # it has become the user already
                os.kill(self._program, signal.SIGKILL)
        return by_user.kill(self._uid, self._program)

    def reap_orphans(self) -> None:
        """Reap those that have ended and are children of ours, but not the program itself."""
        by_user.reap(self._uid, self._program)


def job_processes(plan: CellPlan, scaffolding: frozenset[int]) -> JobProcesses:
    """Return how the processes of a run of a cell are found.

    Args:
        plan: Plan of the cell.
        scaffolding: Processes of its sandbox; empty if there is no sandbox.
    """
    if plan.known_by_user is not None:
        return ProcessesOfUser(plan.known_by_user)
    return Descendants(scaffolding)


def adopt_orphans(plan: CellPlan) -> None:
    """Have the kernel give orphans to this process, if that is how they are found."""
    if plan.known_by_user is None:
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
