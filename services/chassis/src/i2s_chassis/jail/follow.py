"""The number of processes of a job, held by following each of them from its birth.

A control group counts the refused processes of a job. If none can be made there is RLIMIT_NPROC, which
is not enough: the kernel reports to nobody that it was met, and it counts all that a user runs on the
machine, since Linux 5.14 for each user namespace. For a job that runs as the user of the service, without a
namespace that is counted apart, that includes what other cells run, and even other containers. So without a
control group one more process, outside of the sandbox if there is one, stands between supervisor and program
and traces all that the program starts (ptrace(2)): the kernel stops each new process and thread before its
first instruction, and it runs on once it is counted. With one too many the whole job is killed. When the
tracer ends, the kernel kills what it traces.
"""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass

from i2s_chassis.jail import processes, syscalls
from i2s_chassis.jail.processes import Process

_ALL_KINDS = 0x40000000  # __WALL: threads too
_FROM_BIRTH = 0x100000 | 0x8 | 0x4 | 0x2  # PTRACE_O_EXITKILL, -TRACECLONE, -TRACEVFORK, -TRACEFORK
_NO_SIGNAL = 128  # PTRACE_EVENT_STOP: a birth, or all threads stop or go on
_WALKS = 3  # through a job of which nobody seems to live
_STOPS = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)


@dataclass(frozen=True, slots=True)
class Fate:
    """The result of a program."""

    #: Status as waitpid gives it; that of a killed one if there were too many.
    status: int
    #: Whether it had more processes and threads than its limit.
    too_many: bool = False
    #: Processes that it has left behind, as far as they are known.
    left: int = 0

    def to_bytes(self) -> bytes:
        """Return what from_bytes understands."""
        return f"{self.status} {self.too_many:d} {self.left}".encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Fate:
        """Return what to_bytes was called on; of nothing, that of one whose tracer was killed."""
        status, too_many, left = map(int, data.split() or (signal.SIGKILL, 0, 0))
        return cls(status, bool(too_many), left)


def start() -> int:
    """Fork a process and trace it from now on; returns its pid, and 0 in itself, as fork does.

    Raises:
        OSError: Tracing is forbidden here.
    """
    go_read, go_write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go_write)
        if not os.read(go_read, 1):
            os._exit(127)  # who was to trace is gone
        os.close(go_read)
        return 0
    os.close(go_read)
    try:
        syscalls.trace(child, _FROM_BIRTH)
        os.write(go_write, b".")
    finally:
        os.close(go_write)
    return child


def until_the_end(
    program: int, limit: int, supervisor: int, scaffolding: frozenset[int] = frozenset()
) -> Fate:
    """Let a program that was started here run; returns when it has ended or had too many processes.

    The caller must end too then: that is what kills all that is left.

    Args:
        program: Process id, from ``start``.
        limit: Processes and threads at the same time.
        supervisor: Its descendants are the job, the calling process and the scaffolding, and nothing else.
        scaffolding: Processes of the sandbox, whose first one reaps what is left to it.
    """
    births = _Births(limit, _Job(supervisor, scaffolding))
    while True:
        # While any are held back, only what has happened already: some may have ended and not been reaped.
        pid, status = os.waitpid(-1, _ALL_KINDS | (os.WNOHANG if births.held else 0))
        if pid == 0:
            if births.too_many():
                return Fate(signal.SIGKILL, too_many=True)
            continue
        if not os.WIFSTOPPED(status):
            if pid == program:
                return Fate(status, left=births.job.living())
            continue
        stopped_by, event = os.WSTOPSIG(status), status >> 16
        if event == 0:
            syscalls.let_go_on(pid, stopped_by)
        elif event != _NO_SIGNAL:
            births.told_by_parent(pid)
        elif stopped_by in _STOPS:
            syscalls.let_stop(pid)
        else:
            births.told_by_child(pid)


class _Births:
    """Lets processes and threads go on that were born, once they are counted.

    Both the new one and its parent are stopped, and their events come in any order.

    Attributes:
        held: Who is not let go on before ``too_many`` has counted.
        job: Whom they are counted among.
    """

    def __init__(self, limit: int, job: _Job) -> None:
        self._limit, self.job = limit, job
        self._most = 1  # that there can be: since the last count, whoever was born is taken for alive
        self._early: set[int] = set()  # whose event came before that of the parent
        self.held: list[int] = []

    def told_by_child(self, pid: int) -> None:
        """Take note of one that was born."""
        self._early.add(pid)
        self._count(pid)

    def told_by_parent(self, parent: int) -> None:
        """Take note of what a process has started; it runs before its parent: none wait in a crowd."""
        born = syscalls.born(parent)
        if born in self._early:
            self._early.remove(born)
            self._count(parent, more=0)
        elif born:
            with contextlib.suppress(ChildProcessError):
                _, status = os.waitpid(born, _ALL_KINDS)
                if os.WIFSTOPPED(status):
                    self._count(born)
            self._count(parent, more=0)

    def _count(self, pid: int, more: int = 1) -> None:
        self._most += more
        if self.held or self._most > self._limit:
            self.held.append(pid)
        else:
            syscalls.let_go_on(pid, 0)

    def too_many(self) -> bool:
        """Count, and let go on who is held if there are not more than may be."""
        self._most = self.job.number()
        if self._most > self._limit:
            return True
        for pid in self.held:
            syscalls.let_go_on(pid, 0)
        self.held.clear()
        return False


@dataclass(frozen=True, slots=True)
class _Job:
    """The processes of a job, but for the calling one."""

    #: The process whose descendants they are.
    supervisor: int
    #: Others that are there too.
    scaffolding: frozenset[int]

    def look(self) -> list[Process]:
        """Return them, zombies too."""
        others = {os.getpid(), *self.scaffolding}
        pids = (pid for pid in processes.descendants(self.supervisor) if pid not in others)
        return [process for pid in pids if (process := processes.look_at(pid)) is not None]

    def living(self) -> int:
        """Return how many processes live.

        One that dies during a walk hands its children to somebody who was visited already, so this walk
        misses them. The next one meets them.
        """
        for _ in range(_WALKS):
            if found := sum(process.alive for process in self.look()):
                return found
        return 0

    def number(self) -> int:
        """Return how many processes and threads there are, with zombies that nobody has waited for.

        But for those that only wait for the supervisor or the sandbox, which reap whom they are left.
        """
        job = self.look()
        orphans = {pid for one in (self.supervisor, *self.scaffolding) for pid in processes.children(one)}
        return sum(
            processes.living_threads(process) if process.alive else process.pid not in orphans
            for process in job
        )


def possible() -> bool:
    """Whether processes can be traced here: a container or a setting of Yama may forbid it."""
    try:
        child = start()
    except OSError:
        return False
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True
