"""The namespace tier: a bubblewrap sandbox that stands as long as its cell.

Bubblewrap makes the namespaces and the file system, and keeps them with a `cat` that waits
for an end of input which comes when the cell is closed or its supervisor dies. Programs enter
by setns. So a cell that runs three programs pays for one sandbox, and the kernel itself kills
whatever is in it when it ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from pathlib import Path

from i2s_chassis.jail import confine, processes, syscalls
from i2s_chassis.jail.errors import CellError, KilledError
from i2s_chassis.jail.plan import DEVICES, PROCESSES, SYSTEM_READABLE, WORK_IN_NAMESPACE, CellPlan

_NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup")
# One that cannot start says so and ends: this is for one that hangs, and no loaded machine needs as long.
_START_SECONDS = 120.0
# From its last word to its end.
_ENDING_SECONDS = 1.0


class Sandbox:
    """A running bubblewrap.

    Attributes:
        scaffolding: Pids that belong to the sandbox and not to any program.
        has_our_children: Whether what the supervisor forks from now on is in its pid namespace from
            birth. If the supervisor may not arrange that, or the process that follows a program has to stay
            outside, a program needs a process that waits for it: one that enters the other namespaces and
            forks the program, which is then in the pid namespace too.
    """

    def __init__(self, plan: CellPlan) -> None:
        """Start it and wait until it stands.

        Raises:
            CellError: Bubblewrap is missing or refused; the message holds its own words.
        """
        stdin_read, self._stdin = os.pipe()
        self._stdout, stdout_write = os.pipe()
        self._info, info_write = os.pipe()
        self._complaints, complaints_write = os.pipe()
        self._init: int | None = None
        self._namespaces: dict[str, int] = {}
        self._pid = os.fork()
        if self._pid == 0:
            _become_bwrap(plan, stdin_read, stdout_write, complaints_write, info_write)
        for fd in (stdin_read, stdout_write, complaints_write, info_write):
            os.close(fd)
        try:
            init = self._wait_until_it_stands()
            # It is not a child of this process, so its number may be another's as soon as it has ended.
            self._init = os.pidfd_open(init)
            inside = processes.descendants(init)
            self.scaffolding = frozenset({self._pid, init, *inside})
            # The process that waits is an ordinary one whose namespaces may be looked at.
            witness = inside[0] if inside else init
            self._namespaces = {
                name: os.open(f"/proc/{witness}/ns/{name}", os.O_RDONLY) for name in _NAMESPACES
            }
            self.has_our_children = not plan.followed and self._adopt()
        except (OSError, ValueError) as error:
            complaint = self._complaint()
            killed = self._was_killed()
            self.close()
            if killed:
                raise KilledError("something outside killed bubblewrap while it started") from error
            raise CellError(f"bubblewrap did not start: {complaint or error}") from error

    def _wait_until_it_stands(self) -> int:
        deadline = time.monotonic() + _START_SECONDS
        info = b""
        while not info.rstrip().endswith(b"}"):
            info += _read_before(self._info, deadline)
        os.write(self._stdin, b"\n")
        _read_before(self._stdout, deadline)
        return int(json.loads(info)["child-pid"])

    def _was_killed(self) -> bool:
        """Return whether SIGKILL ended bubblewrap or its child; we send it in ``close`` alone."""
        ending = os.pidfd_open(self._pid)
        select.select([ending], [], [], _ENDING_SECONDS)  # its descriptors close before it has ended
        os.close(ending)
        ended = os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return ended is not None and ended.si_status in (signal.SIGKILL, 128 + signal.SIGKILL)

    def _complaint(self) -> str:
        ready, _, _ = select.select([self._complaints], [], [], 0.2)
        return os.read(self._complaints, 2000).decode(errors="replace").strip() if ready else ""

    def _adopt(self) -> bool:
        try:
            syscalls.setns(self._namespaces["pid"], syscalls.CLONE_NEWPID)
        except OSError:
            return False
        return True

    def enter(self) -> None:
        """Move the calling process into the sandbox; its children are in the pid namespace too."""
        for name, fd in self._namespaces.items():
            if name != "pid" or not self.has_our_children:
                syscalls.setns(fd)
        for fd in self._namespaces.values():
            os.close(fd)

    def close(self) -> None:
        """End the sandbox and everything in it."""
        for fd in (self._stdin, self._stdout, self._info, self._complaints):
            with contextlib.suppress(OSError):
                os.close(fd)
        for fd in self._namespaces.values():
            os.close(fd)
        if self._init is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init, signal.SIGKILL)
            os.close(self._init)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


def _read_before(fd: int, deadline: float) -> bytes:
    ready, _, _ = select.select([fd], [], [], max(0.0, deadline - time.monotonic()))
    data = os.read(fd, 4096) if ready else b""
    if not data:
        raise ValueError("it ended, or stood still, before the sandbox was made")
    return data


def _become_bwrap(plan: CellPlan, stdin: int, stdout: int, stderr: int, info: int) -> None:
    try:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        info_fd = 3
        if info != info_fd:
            os.dup2(info, info_fd)
        os.set_inheritable(info_fd, True)
        # Others could read its arguments on a command line, and with them paths of the host.
        arguments_fd = _hand_over(arguments(plan, info_fd), info_fd + 1)
        os.closerange(arguments_fd + 1, 1 << 20)
        if plan.uid is not None:
            confine.drop_user(plan.uid)
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        command = [plan.bwrap, "--args", str(arguments_fd), "--", "/usr/bin/cat"]
        os.execve(plan.bwrap, command, {})  # noqa: S606
    except BaseException as error:  # nothing may run on in the forked child
        os.write(2, str(error).encode())
    os._exit(127)


def _hand_over(words: list[str], number: int) -> int:
    """Put words into a file that is open at ``number``, where they are read from the start."""
    memory = os.memfd_create("arguments")
    os.write(memory, b"".join(os.fsencode(word) + b"\0" for word in words))
    os.lseek(memory, 0, os.SEEK_SET)
    if memory == number:
        os.set_inheritable(memory, True)
        return number
    return os.dup2(memory, number)


def hides_parts_of_proc(mountinfo: str) -> bool:
    """Whether something is mounted over parts of /proc, as container runtimes do by default.

    The kernel then lets nobody mount a /proc of their own in a user namespace: it would show those parts.

    Args:
        mountinfo: Content of /proc/self/mountinfo.
    """
    points = [line.split()[4] for line in mountinfo.splitlines()]
    # A folder that is always empty, so what lies on it hides nothing.
    return any(point.startswith("/proc/") and point != "/proc/sys/fs/binfmt_misc" for point in points)


def arguments(plan: CellPlan, info_fd: int) -> list[str]:
    """Return the arguments of bubblewrap for a cell."""
    argv = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net"]
    argv += ["--unshare-uts", "--unshare-cgroup-try", "--hostname", "i2s"]
    argv += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    for path in SYSTEM_READABLE:
        if os.path.islink(path) and path.count("/") == 1:
            argv += ["--symlink", os.readlink(path), path]
        else:
            argv += ["--ro-bind-try", path, path]
    for path in plan.readable:
        argv += ["--ro-bind", path, path]
    for path in DEVICES:
        argv += ["--dev-bind", path, path]
    if plan.sees_processes:
        if hides_parts_of_proc(Path("/proc/self/mountinfo").read_text()):
            argv += ["--dev-bind", PROCESSES, PROCESSES]  # of the container: the kernel allows no other
        else:
            argv += ["--proc", PROCESSES]  # of the sandbox alone
        # Who is root in a nested network namespace could change its settings there.
        argv += ["--ro-bind", f"{PROCESSES}/sys", f"{PROCESSES}/sys"]
    argv += ["--bind", plan.host_workdir, WORK_IN_NAMESPACE, "--chdir", WORK_IN_NAMESPACE]
    argv += ["--remount-ro", "/", "--info-fd", str(info_fd)]
    return argv
