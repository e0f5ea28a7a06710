"""One run of one program: started in its sandbox, watched, ended with all it started.

Its output is read to the end and kept in part. Its end is noticed while waiting for other things too, and
without reaping it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import time
from collections.abc import Callable, Sequence

from i2s_chassis.jail import confine, follow, processes
from i2s_chassis.jail.account import MemoryKills, RunAccount, process_bound
from i2s_chassis.jail.clock import Clock
from i2s_chassis.jail.errors import CellError, StarvedError
from i2s_chassis.jail.launch import CellContext, RunRequest, has_waiter, job_processes, launch
from i2s_chassis.jail.model import Cause, Ended, Excerpt, PolicyEvent, PolicyKind, Usage

_IDLE_LOOK_SECONDS = 2.0
_IDLE_SHARE = 0.02  # of a processor


class Run:
    """One program in a cell."""

    def __init__(self, context: CellContext, request: RunRequest, attend: Callable[[Run], None]) -> None:
        """Prepare.

        Args:
            context: Context of the cell.
            request: Program and bounds of the run.
            attend: Called with this run when something can be read from the control socket.
        """
        self._context = context
        self._plan = context.plan
        self._request = request
        self._attend = attend
        self._workspace = context.workspace
        self._sandbox = context.sandbox
        self._group = context.group
        self._has_waiter = has_waiter(context)
        self._left_behind = 0
        self._output = Output(context.plan.limits.log_bytes)
        self._scaffolding = frozenset(context.sandbox.scaffolding if context.sandbox else ())
        self._processes = job_processes(context.plan, self._scaffolding)
        self._process_bound = process_bound(context)
        self._account = RunAccount(
            context.group,
            self._scaffolding,
            there=self._measured(),
            many_share=context.plan.nesting,
            forks=bool(context.channels),  # it stays, and forks for each job
            most_processes=context.plan.limits.processes + 1 if context.plan.followed else None,
        )
        self._memory_kills = MemoryKills(context.group)
        self._stopped = False
        self._limit_met: Cause | None = None
        self._memory_bound = context.plan.limits.memory_bytes
        self._cpu_bound, self._wall_bound = request.cpu_seconds, request.wall_seconds
        self._pause = context.plan.poll_seconds

    def until_the_end(self) -> Ended:
        """Start the program, wait for its end or bring it about, leave nothing behind.

        Raises:
            CellError: It could not be started or not be killed, or the service has gone.
            StarvedError: The machine kept it waiting for far too long.
        """
        self._started = self._allowed = time.monotonic()
        self._wall_allowance = self._request.wall_seconds
        self._clock = Clock(self._started)
        output, failure = self._start()
        try:
            cause = self._watch(output)
            left_behind = self._processes.kill(waiters=cause is not None)
            exit_code, by_signal = self._status()
            left_behind = max(left_behind, self._left_behind)
            self._output.drain(output)
            complaint = os.read(failure, 500)
        finally:
            self._processes.kill(waiters=True)
            os.close(output)
            os.close(failure)
        if complaint:
            raise CellError(f"{self._request.argv[:1]} did not start: {complaint.decode(errors='replace')}")
        self._measure()
        usage = self._account.total(self._wall_seconds, self._clock.waited_seconds)
        if cause in (None, Cause.KILLED):
            cause = self._cause(exit_code, by_signal, usage, left_behind)
        events = []
        if cause is Cause.EXITED and left_behind:
            events.append(PolicyEvent(PolicyKind.LEFT_BEHIND, "processes outlived the program", left_behind))
        if by_signal == signal.SIGSYS:
            events.append(PolicyEvent(PolicyKind.SYSTEM_CALL, "killed by a forbidden system call"))
        by_signal = by_signal if cause is Cause.SIGNALED else 0
        if cause is not Cause.EXITED:
            exit_code = -1
        return Ended(cause, exit_code, by_signal, usage, self._output.excerpt(), tuple(events))

    # -- what is asked meanwhile -----------------------------------------------------------

    def stop(self) -> None:
        """End the program as soon as the supervisor is back at watching it."""
        self._stopped = True

    def limit_met(self) -> bool:
        """Return whether the program has met a limit so far, or has lost a process to the kernel.

        If so, it is ended as soon as it is watched.
        """
        self._limit_met = self._limit_met or self._look()
        return self._limit_met is not None

    def usage(self) -> Usage:
        """Return what the run has used so far; peaks since the last ``allow``."""
        self._measure()
        return self._account.usage(self._wall_seconds, self._clock.waited_seconds)

    def allow(
        self,
        cpu_seconds: float | None,
        wall_seconds: float | None,
        memory_bytes: int | None = None,
        waits_for: Sequence[int] = (),
    ) -> Usage:
        """Let the run use this much from now on; returns what it has used so far."""
        job = self._measure()
        used = self._account.usage(self._wall_seconds, self._clock.waited_seconds)
        self._account.begin_new_peaks()
        self._memory_kills.begin_anew()
        self._clock.wait_for(waits_for)
        if memory_bytes is not None:
            self._memory_bound = self._account.memory_before_fork(job) + memory_bytes
        if cpu_seconds is not None:
            self._cpu_bound = used.cpu_seconds + cpu_seconds
        if wall_seconds is not None:
            self._wall_bound = used.clock_seconds + wall_seconds
            self._allowed, self._wall_allowance = time.monotonic(), wall_seconds
        return used

    @property
    def _wall_seconds(self) -> float:
        return time.monotonic() - self._started

    # -- start ---------------------------------------------------------------------------

    def _start(self) -> tuple[int, int]:
        """Start the program; returns descriptors of its output and of what kept it from starting."""
        launched = launch(self._context, self._request, self._scaffolding)
        self._child_pid, self._status_fd = launched.pid, launched.status_fd
        self._processes.started(launched)
        for pid in launched.not_the_job:
            self._account.exclude(pid)
        os.set_blocking(launched.output_fd, False)
        return launched.output_fd, launched.failure_fd

    # -- watch ---------------------------------------------------------------------------

    def _watch(self, output: int) -> Cause | None:
        """Wait for the end of the program; returns what ``_look`` found, None for nothing."""
        ending = Ending(self._child_pid)
        poller = select.poll()
        for fd in (ending.fd, output, self._context.control):
            poller.register(fd, select.POLLIN)
        next_look = self._started + self._plan.poll_seconds
        try:
            while True:
                if time.monotonic() >= next_look:
                    limit = self._look()
                    if limit is not None:
                        return limit
                    next_look = time.monotonic() + self._pause
                ready = dict(poller.poll(max(0.0, next_look - time.monotonic()) * 1000))
                if self._context.control in ready:
                    self._attend(self)
                    self._pause = self._plan.poll_seconds
                    next_look = min(next_look, time.monotonic() + self._pause)
                if self._limit_met is not None:
                    return self._limit_met
                if self._stopped:
                    return Cause.STOPPED
                if output in ready and not self._output.read(output):
                    poller.unregister(output)
                if ending.happened():
                    return None
        finally:
            ending.close()

    def _look(self) -> Cause | None:
        """Measure the living processes and the folder; returns the limit that is passed.

        KILLED if the kernel has killed a process because others had used up the memory.
        """
        limits = self._plan.limits
        before, since = self._account.cpu_seconds, self._pause
        job = self._measure()
        self._choose_pause(self._account.cpu_seconds - before < _IDLE_SHARE * since)
        if self._account.cpu_seconds >= self._cpu_bound:
            return Cause.CPU_LIMIT
        if self._clock_has_run_out(job):
            return Cause.WALL_LIMIT
        memory_bound = min(self._memory_bound, limits.memory_bytes)
        if self._account.memory_above(memory_bound, job) > memory_bound:
            return Cause.MEMORY_LIMIT
        killed_for_memory = self._memory_kills.cause()
        if killed_for_memory is Cause.MEMORY_LIMIT:
            return Cause.MEMORY_LIMIT
        if self._process_bound.is_met(sum(process.threads for process in job)):
            return Cause.PROCESS_LIMIT
        if self._workspace.full():
            return Cause.DISK_LIMIT
        return killed_for_memory

    def _clock_has_run_out(self, job: list[processes.Process]) -> bool:
        """Return whether the job has used its wall time.

        Raises:
            StarvedError: The machine has kept it waiting for far longer.
        """
        now, pids = time.monotonic(), [process.pid for process in job if process.alive]
        self._clock.look(pids, now)
        if self._clock.seconds(now) < self._wall_bound:
            allowed = now - self._allowed
            if allowed >= self._plan.patience * self._wall_allowance:
                waited = self._clock.waited_seconds
                raise StarvedError(f"the machine kept the job waiting for {waited:.0f} of {allowed:.0f} s")
            return False
        self._clock.look(pids, now, at_once=True)
        return self._clock.seconds(now) >= self._wall_bound

    def _choose_pause(self, idle: bool) -> None:
        """Look less often at a program that stays and does nothing, if the kernel bounds it too."""
        if idle and self._context.channels and self._group is not None and self._workspace.mounted:
            self._pause = min(2 * self._pause, _IDLE_LOOK_SECONDS)
        else:
            self._pause = self._plan.poll_seconds

    def _measure(self) -> list[processes.Process]:
        job = self._account.look(self._measured())
        for process in job:
            if not process.alive and process.pid != self._child_pid:
                processes.reap(process.pid)  # if it was left to us; else its own parent may want to
        return job

    def _measured(self) -> list[int]:
        """Return whom to measure: all below us, or if a control group counts the time, who is in it.

        The group's list is one file, a walk one for each thread; a browser has many. The dead that
        were left to us are in no group, so our own children are looked at as well.
        """
        if self._group is None or not self._group.counts_time:
            return self._processes.pids()
        return list(dict.fromkeys((*processes.children(os.getpid()), *self._group.pids())))

    # -- end -----------------------------------------------------------------------------

    def _status(self) -> tuple[int, int]:
        """Return exit code and signal of the program once it has ended."""
        _, status, used = os.wait4(self._child_pid, 0)
        self._processes.waited()
        if not self._context.channels:  # of a program that stays, a peak may be of another job
            self._account.add_peak(used.ru_maxrss * 1024)
        if self._has_waiter:
            fate = follow.Fate.from_bytes(os.read(self._status_fd, 100))
            self._process_bound.ended(fate)
            status, self._left_behind = fate.status, fate.left
        os.close(self._status_fd)
        self._processes.reap_orphans()
        return confine.wait_status(status)

    def _cause(self, exit_code: int, by_signal: int, usage: Usage, left_behind: int) -> Cause:
        """Return why a program ended that no look of ours caught at a limit.

        Args:
            exit_code: Its exit code.
            by_signal: The signal that ended it, 0 for none.
            usage: Usage of the whole run.
            left_behind: Processes that lived on; with the program they may have been as many as permitted.
        """
        if by_signal == signal.SIGXCPU or usage.cpu_seconds >= self._cpu_bound:
            return Cause.CPU_LIMIT
        # Also for a moment between two looks, whatever the program made of it.
        passed = usage.peak_memory_bytes > self._plan.limits.memory_bytes and not self._context.channels
        killed_for_memory = self._memory_kills.cause()
        if passed or killed_for_memory is Cause.MEMORY_LIMIT:
            return Cause.MEMORY_LIMIT
        if self._process_bound.is_met(left_behind + 1):
            return Cause.PROCESS_LIMIT
        if by_signal == signal.SIGXFSZ or (exit_code != 0 and self._workspace.at_a_bound()):
            return Cause.DISK_LIMIT
        if killed_for_memory is not None:
            return killed_for_memory
        if by_signal == signal.SIGKILL:
            return Cause.KILLED  # jobs cannot send it, see seccomp, and the jail has not
        return Cause.SIGNALED if by_signal else Cause.EXITED


class Output:
    """Keeps the head and the tail of an output of any length."""

    def __init__(self, size: int) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._half = max(size // 2, 1)
        self._total = 0

    def read(self, fd: int) -> bool:
        """Read what is there; returns False at the end of the output."""
        try:
            data = os.read(fd, 65536)
        except BlockingIOError:
            return True
        self._total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail = (self._tail + data[room:])[-self._half :] if len(data) > room else self._tail
        return bool(data)

    def drain(self, fd: int) -> None:
        """Read what is left after everything that could write has ended."""
        seen = -1
        while seen != self._total:
            seen = self._total
            self.read(fd)

    def excerpt(self) -> Excerpt:
        """Return what was kept."""
        if self._total <= len(self._head) + len(self._tail):
            return Excerpt(bytes(self._head + self._tail), b"", self._total)
        return Excerpt(bytes(self._head), bytes(self._tail), self._total)


class Ending:
    """The end of a child, as something that poll waits for. It does not reap the child.

    Only one at a time in a process, and in its first thread.

    Attributes:
        fd: Readable once the child may have ended; after each wait ask ``happened``.
    """

    def __init__(self, child: int) -> None:
        """Begin.

        Args:
            child: Pid of a child that nobody has waited for yet.
        """
        self._child = child
        self._wake: int | None = None
        try:
            self.fd = os.pidfd_open(child)
        except OSError as error:
            if error.errno != errno.ENOSYS:
                raise
            # gVisor of 2022 has no such call: a pipe then shows that some child has ended.
            self.fd, self._wake = os.pipe()
            for end in (self.fd, self._wake):
                os.set_blocking(end, False)
            signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
            signal.signal(signal.SIGCHLD, lambda *_: None)
            if self.happened():  # before we listened
                os.write(self._wake, b".")

    def happened(self) -> bool:
        """Whether the child has ended."""
        if self._wake is not None:
            with contextlib.suppress(BlockingIOError):
                os.read(self.fd, 4096)
        return os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def close(self) -> None:
        """Stop listening."""
        if self._wake is not None:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(self._wake)
        os.close(self.fd)
