"""One run of one program: started behind its walls, watched, ended with all it started."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass

from i2s_chassis.jail import cgroup, confine, probes, processes, syscalls
from i2s_chassis.jail.errors import CellError
from i2s_chassis.jail.model import Cause, Ended, Excerpt, PolicyEvent, PolicyKind, Usage
from i2s_chassis.jail.namespace import Sandbox
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.jail.workspace import Workspace

_KILL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to run, and how much of the cell's budget it may use."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    probe: str | None
    cpu_seconds: float
    wall_seconds: float


class Run:
    """One program in a cell."""

    def __init__(
        self,
        plan: CellPlan,
        request: RunRequest,
        workspace: Workspace,
        sandbox: Sandbox | None,
        group: cgroup.Group | None,
        control: socket.socket,
    ) -> None:
        self._plan = plan
        self._request = request
        self._workspace = workspace
        self._sandbox = sandbox
        self._group = group
        self._control = control
        self._output = _Bounded(plan.limits.log_bytes)
        self._tally = _Tally()
        self._scaffolding: set[int] = set(sandbox.scaffolding) if sandbox else set()
        self._refused_before = group.refused_forks() if group else 0
        self._killed_before = group.out_of_memory_kills() if group else 0

    def until_the_end(self) -> Ended:
        """Start the program, wait for its end or bring it about, leave nothing behind.

        Raises:
            CellError: It could not be started or not be killed, or the service has gone.
        """
        started = time.monotonic()
        output, failure = self._start()
        try:
            cause = self._watch(output, started)
            left_behind = self._kill_all(door=cause is not None)
            exit_code, by_signal, waited_cpu = self._status()
            self._output.drain(output)
            complaint = os.read(failure, 500)
        finally:
            self._kill_all(door=True)
            os.close(output)
            os.close(failure)
        if complaint:
            raise CellError(f"{self._request.argv[:1]} did not start: {complaint.decode(errors='replace')}")
        usage = self._tally.usage(time.monotonic() - started, waited_cpu)
        cause = cause or self._cause(exit_code, by_signal, usage)
        events = []
        if cause is Cause.EXITED and left_behind:
            events.append(PolicyEvent(PolicyKind.LEFT_BEHIND, "processes outlived the program", left_behind))
        if by_signal == signal.SIGSYS:
            events.append(PolicyEvent(PolicyKind.SYSTEM_CALL, "killed by a forbidden system call"))
        if cause is not Cause.SIGNALED:
            by_signal = 0
        if cause is not Cause.EXITED:
            exit_code = -1
        return Ended(cause, exit_code, by_signal, usage, self._output.excerpt(), tuple(events))

    # -- start ---------------------------------------------------------------------------

    def _start(self) -> tuple[int, int]:
        output_read, output_write = os.pipe()
        failure_read, failure_write = os.pipe()
        go_read, go_write = os.pipe()
        status_read, status_write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(go_write)
            os.read(go_read, 1)
            self._child(output_write, failure_write, status_write)
        for fd in (output_write, failure_write, go_read, status_write):
            os.close(fd)
        self._child_pid = child
        self._waited = False
        self._status_fd = status_read
        if self._sandbox is not None:
            self._scaffolding.add(child)
        try:
            if self._group is not None:
                self._group.add(child)
            os.write(go_write, b".")
        finally:
            os.close(go_write)
        os.set_blocking(output_read, False)
        return output_read, failure_read

    def _child(self, output_fd: int, failure_fd: int, status_fd: int) -> None:
        """Never returns."""
        try:
            self._control.close()
            if self._plan.uid is not None:
                confine.drop_user(self._plan.uid)
            if self._sandbox is not None:
                self._hold_the_door(output_fd, failure_fd, status_fd)
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
            confine.become(self._plan, self._program(), output_fd, failure_fd)
        except BaseException as error:  # nothing may run on in the forked child
            os.write(failure_fd, f"{type(error).__name__}: {error}".encode()[:500])
        os._exit(127)

    def _hold_the_door(self, output_fd: int, failure_fd: int, status_fd: int) -> None:
        """Enter the sandbox; its first child is in all of its namespaces. The parent waits."""
        if self._sandbox is None:
            return
        self._sandbox.enter()
        inner = os.fork()
        if inner == 0:
            return
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.close(output_fd)
        os.close(failure_fd)
        _, status, used = os.wait4(inner, 0)
        os.write(status_fd, f"{status} {used.ru_utime + used.ru_stime}".encode())
        os._exit(0)

    def _program(self) -> confine.Program:
        request = self._request
        probe = probes.PROBES[request.probe] if request.probe else None
        return confine.Program(
            request.argv, request.env, request.cpu_seconds, self._process_allowance(), probe
        )

    def _process_allowance(self) -> int:
        """Return what RLIMIT_NPROC must be for the job to have its number of processes."""
        processes_of_job = self._plan.limits.processes
        if self._sandbox is not None:
            return processes_of_job + len(self._scaffolding) + 1  # counted in its user namespace
        if self._plan.uid is not None:
            return processes_of_job  # a user of its own
        if self._plan.private_mount and self._plan.new_user:
            return processes_of_job + 1  # counted in the keeper's user namespace, with the keeper
        return processes_of_job + processes.count_of_user(os.getuid())

    # -- watch ---------------------------------------------------------------------------

    def _watch(self, output: int, started: float) -> Cause | None:
        """Wait for the end of the program; returns the limit it ran into, None for none."""
        ended = os.pidfd_open(self._child_pid)
        poller = select.poll()
        poller.register(ended, select.POLLIN)
        poller.register(output, select.POLLIN)
        poller.register(self._control, select.POLLIN)
        next_look = started + self._plan.poll_seconds
        try:
            while True:
                now = time.monotonic()
                if now >= next_look:
                    limit = self._look(now - started)
                    if limit is not None:
                        return limit
                    next_look = time.monotonic() + self._plan.poll_seconds
                ready = dict(poller.poll(max(0.0, next_look - now) * 1000))
                if self._control.fileno() in ready:
                    # Nothing is ever sent during a run but the end of the connection.
                    raise CellError("the job was cancelled")
                if output in ready and not self._output.read(output):
                    poller.unregister(output)
                if ended in ready:
                    return None
        finally:
            os.close(ended)

    def _look(self, wall_seconds: float) -> Cause | None:
        """Measure the living processes and the folder; returns the limit that is passed."""
        limits, request = self._plan.limits, self._request
        alive = [found for pid in self._job_pids() if (found := processes.look_at(pid)) is not None]
        self._tally.add(alive)
        if self._tally.cpu_seconds >= request.cpu_seconds:
            return Cause.CPU_LIMIT
        if wall_seconds >= request.wall_seconds:
            return Cause.WALL_LIMIT
        if sum(process.resident_bytes for process in alive) > limits.memory_bytes:
            return Cause.MEMORY_LIMIT
        if self._out_of_memory():
            return Cause.MEMORY_LIMIT
        # At the limit the kernel refuses the next one; a job gets there only by asking for more.
        if sum(process.threads for process in alive) >= limits.processes or self._refused_forks():
            return Cause.PROCESS_LIMIT
        if self._workspace.full():
            return Cause.DISK_LIMIT
        return None

    def _job_pids(self) -> list[int]:
        return [pid for pid in processes.descendants(os.getpid()) if pid not in self._scaffolding]

    def _out_of_memory(self) -> bool:
        return self._group is not None and self._group.out_of_memory_kills() > self._killed_before

    def _refused_forks(self) -> bool:
        return self._group is not None and self._group.refused_forks() > self._refused_before

    # -- end -----------------------------------------------------------------------------

    def _kill_all(self, *, door: bool) -> int:
        """Kill what the job started until nothing is left; returns how many there were.

        Args:
            door: Also kill the process that holds the door of the sandbox, so that it lets
                nobody in any more. Else it ends by itself and tells the exit status.
        """
        if door and self._sandbox is not None and not self._waited:
            os.kill(self._child_pid, signal.SIGKILL)
        deadline = time.monotonic() + _KILL_SECONDS
        killed: set[int] = set()
        quiet = 0
        while True:
            met = [pid for pid in self._job_pids() if pid != self._child_pid or processes.look_at(pid)]
            alive = [pid for pid in met if processes.look_at(pid) is not None]
            # Who dies during the walk hands its children to someone already visited. Only a walk
            # that meets nobody, not even the dead, proves that nobody is there: the list of our
            # own children shrinks by our reaping alone. That of the sandbox's first process does
            # not, so two such walks are wanted there.
            quiet = 0 if met else quiet + 1
            if quiet > (self._sandbox is not None):
                return len(killed)
            if time.monotonic() > deadline:
                if not alive:
                    return len(killed)
                raise CellError(f"{len(alive)} processes of the job cannot be killed")
            for pid in alive:
                killed.add(pid)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._reap_orphans()

    def _reap_orphans(self) -> None:
        """Reap what was left to us, but not the program itself and not the sandbox."""
        kept = {self._child_pid, *self._scaffolding}
        for pid in processes.descendants(os.getpid()):
            if pid in kept:
                continue
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)

    def _status(self) -> tuple[int, int, float]:
        """Return exit code, signal and CPU seconds of the program once it has ended."""
        _, status, used = os.wait4(self._child_pid, 0)
        self._waited = True
        cpu_seconds = used.ru_utime + used.ru_stime
        if self._sandbox is not None:
            text = os.read(self._status_fd, 100).decode()
            if not text:  # the process at the door was itself killed
                os.close(self._status_fd)
                return (*confine.wait_status(status), cpu_seconds)
            status, cpu_seconds = int(text.split()[0]), float(text.split()[1])
        os.close(self._status_fd)
        self._reap_orphans()
        return (*confine.wait_status(status), cpu_seconds)

    def _cause(self, exit_code: int, by_signal: int, usage: Usage) -> Cause:
        """Return why a program ended that no look of ours caught at a limit."""
        if by_signal == signal.SIGXCPU or usage.cpu_seconds >= self._request.cpu_seconds:
            return Cause.CPU_LIMIT
        if self._out_of_memory():
            return Cause.MEMORY_LIMIT
        if self._refused_forks():
            return Cause.PROCESS_LIMIT
        if by_signal == signal.SIGXFSZ or (exit_code != 0 and self._workspace.at_a_bound()):
            return Cause.DISK_LIMIT
        return Cause.SIGNALED if by_signal else Cause.EXITED


class _Tally:
    """Adds up CPU seconds and peaks over the processes of a run, including those gone."""

    def __init__(self) -> None:
        self._cpu: dict[int, float] = {}
        self._peak_memory = 0
        self._peak_processes = 0

    def add(self, alive: list[processes.Process]) -> None:
        for process in alive:
            self._cpu[process.pid] = max(process.cpu_seconds, self._cpu.get(process.pid, 0.0))
        self._peak_memory = max(self._peak_memory, sum(process.resident_bytes for process in alive))
        self._peak_processes = max(self._peak_processes, sum(process.threads for process in alive))

    @property
    def cpu_seconds(self) -> float:
        return sum(self._cpu.values())

    def usage(self, wall_seconds: float, waited_cpu: float) -> Usage:
        # What was waited for is exact but lacks orphans; what was seen has all but is late.
        return Usage(
            wall_seconds,
            max(waited_cpu, self.cpu_seconds),
            self._peak_memory,
            max(self._peak_processes, 1),
        )


class _Bounded:
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
        if self._total <= len(self._head) + len(self._tail):
            return Excerpt(bytes(self._head + self._tail), b"", self._total)
        return Excerpt(bytes(self._head), bytes(self._tail), self._total)
