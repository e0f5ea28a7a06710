"""The start of a program in its cell: the processes between supervisor and program, and what they do."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass, replace

from i2s_chassis.jail import confine, follow, probes, syscalls
from i2s_chassis.jail.request import CellContext, RunRequest


@dataclass(frozen=True, slots=True)
class Launched:
    """A program that was started.

    Attributes:
        pid: Child of the supervisor: the program, or who waits for it outside of its sandbox.
        output_fd: The descriptor that has what the program writes.
        failure_fd: The descriptor that says what kept it from starting; nothing if it did start.
        status_fd: The descriptor that has the fate of the program if somebody waits for it.
        not_the_job: Pids of those who wait.
    """

    pid: int
    output_fd: int
    failure_fd: int
    status_fd: int
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

    def _program(self) -> confine.Program:
        request, context = self.request, self.context
        probe = probes.PROBES[request.probe] if request.probe else None
        # A program with channels stays, and its budget is renewed; RLIMIT_CPU cannot be.
        cpu_seconds = None if context.channels else request.cpu_seconds
        beside = len(self.scaffolding) + has_waiter(context) if context.sandbox is not None else 0
        allowance = confine.process_allowance(context.plan, beside)
        return confine.Program(request.argv, request.env, cpu_seconds, allowance, probe)
