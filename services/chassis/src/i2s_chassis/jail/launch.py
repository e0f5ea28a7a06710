"""The start of a program in its cell, and the processes of a run.

The processes between supervisor and program, and what they do. Those of a run are found below the supervisor,
or by the user they run as.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace

from i2s_chassis.jail import cgroup, confine, follow, probes, processes, syscalls, users
from i2s_chassis.jail.errors import CellError
from i2s_chassis.jail.namespace import Sandbox
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.jail.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The program to run, and how much of the cell's budget it may use."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    probe: str | None
    cpu_seconds: float
    wall_seconds: float


@dataclass(frozen=True, slots=True)
class CellContext:
    """The cell that a program is to run in."""

    #: The plan of the cell.
    plan: CellPlan
    #: Its folder.
    workspace: Workspace
    #: Its namespaces, None in the other tiers.
    sandbox: Sandbox | None
    #: Its control group, None if none can be made.
    group: cgroup.ControlGroup | None
    #: Descriptor of the supervisor's socket.
    control: int
    #: Descriptors that programs get, by the numbers that they find them at.
    channels: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Launched:
    """A program that was started."""

    #: Child of the supervisor: the program, or who waits for it outside of its sandbox.
    pid: int
    #: The descriptor that has what the program writes.
    output_fd: int
    #: The descriptor that says what kept it from starting; nothing if it did start.
    failure_fd: int
    #: The descriptor that has the fate of the program if somebody waits for it.
    status_fd: int
    #: Pids of those who wait.
    not_the_job: tuple[int, ...]


def has_waiter(context: CellContext) -> bool:
    """Return whether a process of ours, the waiter, traces the program or has forked it and waits for it."""
    return context.plan.followed or (context.sandbox is not None and not context.sandbox.has_our_children)


def launch(context: CellContext, request: RunRequest, scaffolding: frozenset[int]) -> Launched:
    """Start a program.

    Args:
        context: The cell that it runs in.
        request: The program, its arguments and its budget.
        scaffolding: The processes of the sandbox.

    Raises:
        OSError: The supervisor has no process or descriptor left, or the control group refuses the program.
    """
    output_read, output_write = os.pipe()
    failure_read, failure_write = os.pipe()
    go_read, go_write = os.pipe()
    status_read, status_write = os.pipe()
    inner_read, inner_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(go_write)
        if os.read(go_read, 1):
            _Child(context, request, scaffolding, output_write, status_write, inner_write).run(failure_write)
        os._exit(127)
    for fd in (output_write, failure_write, go_read, status_write, inner_write):
        os.close(fd)
    inner: tuple[int, ...] = ()
    try:
        # If something outside has killed it already, its end says so.
        with contextlib.suppress(BrokenPipeError, ProcessLookupError):
            if context.group is not None:
                context.group.add(pid)
            os.write(go_write, b".")
        if context.plan.followed and context.sandbox is not None:
            inner = tuple(map(int, os.read(inner_read, 100).split()))
    finally:
        os.close(go_write)
        os.close(inner_read)
    return Launched(pid, output_read, failure_read, status_read, (pid, *inner) if has_waiter(context) else ())


@dataclass(frozen=True, slots=True)
class _Child:
    """The process that the supervisor has forked, and what becomes of it."""

    context: CellContext
    request: RunRequest
    scaffolding: frozenset[int]
    output_fd: int
    status_fd: int
    inner_fd: int

    def run(self, failure_fd: int) -> None:
        """Become the program, or wait for it; never returns."""
        plan = self.context.plan
        try:
            os.close(self.context.control)
            confine.be_killed_first()
            if plan.followed:
                self._follow()
            else:
                self._enter(self.status_fd)
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
            confine.become(plan, self._program(), self._descriptors(), failure_fd)
        except BaseException as error:  # nothing may run on in the forked child
            os.write(failure_fd, f"{type(error).__name__}: {error}".encode()[:500])
        os._exit(127)

    def _enter(self, status_fd: int) -> None:
        """Become the job's user and enter the sandbox if there is one; returns in the program's process."""
        plan, sandbox = self.context.plan, self.context.sandbox
        if plan.mounts_processes:
            confine.mount_processes()
        if plan.uid is not None:
            confine.drop_user(plan.uid)
        if sandbox is None:
            return
        sandbox.enter()
        if sandbox.has_our_children:
            return
        # A child is in all of its namespaces. The parent waits for it.
        program = os.fork()
        if program == 0:
            return
        self._let_go()
        os.write(status_fd, follow.Fate(os.waitpid(program, 0)[1]).to_bytes())
        os._exit(0)

    def _follow(self) -> None:
        """Follow the program from outside of its sandbox; returns in the process that is to be it.

        Who follows keeps the user of the supervisor, so that a job with a user of its own cannot signal it.
        """
        inside_read, inside_write = os.pipe()
        inner = follow.start()
        if inner == 0:
            for fd in (self.status_fd, self.inner_fd, inside_read):
                os.close(fd)
            self._enter(inside_write)
            return
        os.write(self.inner_fd, b"%d" % inner)
        self._let_go()
        os.close(inside_write)
        limit = self.context.plan.limits.processes + (self.context.sandbox is not None)
        fate = follow.until_the_end(inner, limit, os.getppid(), self.scaffolding)
        os.set_blocking(inside_read, False)
        with contextlib.suppress(BlockingIOError):  # it was killed before it could report
            inside = os.read(inside_read, 100)
            fate = replace(fate, status=follow.Fate.from_bytes(inside).status) if inside else fate
        os.write(self.status_fd, fate.to_bytes())
        os._exit(0)

    def _let_go(self) -> None:
        """Be one that waits for the program: end with the supervisor, hold nothing that is the program's."""
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        for fd in (self.output_fd, *self.context.channels.values()):
            os.close(fd)

    def _descriptors(self) -> dict[int, int]:
        null = os.open("/dev/null", os.O_RDONLY)
        return {0: null, 1: self.output_fd, 2: self.output_fd, **self.context.channels}

    def _program(self) -> confine.ConfinedProgram:
        request, context = self.request, self.context
        probe = probes.PROBES[request.probe] if request.probe else None
        # A program with channels stays, and its budget is renewed; RLIMIT_CPU cannot be.
        cpu_seconds = None if context.channels else request.cpu_seconds
        beside = len(self.scaffolding) + has_waiter(context) if context.sandbox is not None else 0
        allowance = confine.process_allowance(context.plan, beside)
        return confine.ConfinedProgram(request.argv, request.env, cpu_seconds, allowance, probe)


_KILL_SECONDS = 30.0  # the killed need the processor once more to end, which a busy machine delays


class JobProcesses(ABC):
    """The processes that a run has started, the waits for its program, and how all of it is ended."""

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
        return users.pids_of_user(self._uid)

    def _kill_job(self, *, waiters: bool) -> int:
        if self._program is not None:
            with contextlib.suppress(PermissionError):  # it has become the user already
                os.kill(self._program, signal.SIGKILL)
        return users.kill_user(self._uid, self._program)

    def reap_orphans(self) -> None:
        """Reap those that have ended and are children of ours, but not the program itself."""
        users.reap_user(self._uid, self._program)


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
