"""The last steps of a process before it becomes the program: it gives up everything.

Runs in a child that was forked for it and never comes back from it.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import resource
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from i2s_chassis.jail import landlock, processes, seccomp, syscalls
from i2s_chassis.jail.model import Tier
from i2s_chassis.jail.plan import DEVICES, PROCESSES, SYSTEM_READABLE, CellPlan
from i2s_chassis.jail.syscalls import close_all_but

_PATH = "/usr/local/bin:/usr/bin:/bin"
_OPEN_FILES = 256
_STACK = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ConfinedProgram:
    """The program to run: a command line, or one of our own probes by name."""

    #: Command line.
    argv: tuple[str, ...]
    #: Variables that are added to the environment that every program has.
    env: Mapping[str, str]
    #: RLIMIT_CPU, None for none.
    cpu_seconds: float | None
    #: RLIMIT_NPROC, None for that of the service.
    process_allowance: int | None
    #: A function to call instead of a program.
    probe: Callable[[tuple[str, ...]], int] | None = None


def become(plan: CellPlan, program: ConfinedProgram, descriptors: Mapping[int, int], error_fd: int) -> None:
    """Confine the calling process and turn it into the program; never returns.

    Args:
        plan: The cell, whose limits and folders apply.
        program: What to run.
        descriptors: Open ones by the numbers that the program finds them at; it finds no others.
        error_fd: The descriptor that gets one line if something fails before the program runs.
    """
    try:
        error_fd = _detach(descriptors, error_fd)
        os.chdir(plan.workdir)
        _limit(plan, program)
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        _restrict(plan)
        close_all_but({*descriptors, error_fd})
        if program.probe is not None:
            os._exit(program.probe(program.argv))
        os.execve(_find(program.argv[0]), program.argv, _environment(plan, program))  # noqa: S606
    except BaseException as error:  # the parent must hear of everything, and nothing may run on
        with contextlib.suppress(OSError):
            os.write(error_fd, f"{type(error).__name__}: {error}".encode()[:500])
    os._exit(127)


def _restrict(plan: CellPlan) -> None:
    # A cell in the namespace tier sees no file, socket or process of the service.
    alone = plan.tier is Tier.NAMESPACE
    if plan.tier in (Tier.LANDLOCK, Tier.NAMESPACE) and plan.landlock_abi:
        changeable = (*DEVICES, PROCESSES) if plan.sees_processes else DEVICES
        readable = (*SYSTEM_READABLE, *plan.readable)
        landlock.restrict(plan.landlock_abi, readable, (plan.workdir,), changeable, links=plan.nesting)
    syscalls.drop_capabilities()
    if plan.tier is not Tier.NONE and seccomp.supported():
        seccomp.restrict(
            our_user=plan.uid is None and not alone,
            nesting=plan.nesting,
            local_sockets=plan.nesting and alone,
            substitutes=plan.substitutes,
            engine=bool(plan.channels),
        )


def _detach(descriptors: Mapping[int, int], error_fd: int) -> int:
    """Put the descriptors where the program is to find them; returns where ``error_fd`` is now."""
    os.setsid()
    # First out of the way of each other: one may lie where another one is wanted.
    above = max(descriptors) + 1
    lifted = {number: fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, above) for number, fd in descriptors.items()}
    error_fd = fcntl.fcntl(error_fd, fcntl.F_DUPFD_CLOEXEC, above)
    for number, fd in lifted.items():
        os.dup2(fd, number, inheritable=True)
    # Python ignores these two, and a program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    return error_fd


def process_allowance(plan: CellPlan, beside: int) -> int | None:
    """Return what RLIMIT_NPROC must be for a job to have its number of processes.

    None, so that the limit of the service stays, if a control group or a process that follows the job
    enforces the number: the kernel checks this limit first, and reports to nobody that it refused a
    process.

    Args:
        plan: The plan of the job's cell.
        beside: Processes in its sandbox that are not its own.
    """
    if plan.followed or plan.groups is not None:
        return None
    number = plan.limits.processes
    if plan.tier is Tier.NAMESPACE and (plan.counted_apart or plan.uid is not None):
        return number + beside  # in its user namespace, or of its user
    if plan.uid is not None:
        return number  # a user of its own
    if plan.counted_apart and plan.private_mount and plan.new_user:
        return number + 1  # counted in the supervisor's user namespace, with the supervisor
    return number + processes.count_of_user(os.getuid())


def _limit(plan: CellPlan, program: ConfinedProgram) -> None:
    limits = plan.limits
    bounds = {
        resource.RLIMIT_FSIZE: (limits.file_bytes, limits.file_bytes),
        resource.RLIMIT_NOFILE: (_OPEN_FILES, _OPEN_FILES),
        resource.RLIMIT_STACK: (_STACK, _STACK),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MEMLOCK: (65536, 65536),
        resource.RLIMIT_MSGQUEUE: (0, 0),
    }
    if plan.tier is Tier.CONTAINER:
        del bounds[resource.RLIMIT_MSGQUEUE]  # gVisor refuses it; the filter denies what it bounds
    if program.process_allowance is not None:
        bounds[resource.RLIMIT_NPROC] = (program.process_allowance, program.process_allowance)
    if program.cpu_seconds is not None:
        cpu = max(1, math.ceil(program.cpu_seconds))
        bounds[resource.RLIMIT_CPU] = (cpu, cpu + 1)
    # No RLIMIT_AS: memory is what is used and not what is reserved, and a request that is refused looks
    # like the program's own fault.
    for what, (soft, hard) in bounds.items():
        _, ceiling = resource.getrlimit(what)
        allowed = max(soft, hard) if ceiling == resource.RLIM_INFINITY else ceiling
        resource.setrlimit(what, (min(soft, allowed), min(hard, allowed)))
    os.umask(0o077)


def _find(name: str) -> str:
    if "/" in name:
        return name
    for folder in _PATH.split(":"):
        candidate = f"{folder}/{name}"
        if os.access(candidate, os.X_OK):
            return candidate
    raise FileNotFoundError(f"no program {name!r} in {_PATH}")


def _environment(plan: CellPlan, program: ConfinedProgram) -> dict[str, str]:
    return {
        "PATH": _PATH,
        "HOME": plan.workdir,
        "TMPDIR": plan.workdir,
        "LANG": "C.UTF-8",
        **program.env,
    }


def be_killed_first() -> None:
    """Have a kernel that is out of memory kill the calling process, and all that it starts, before others."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def mount_processes() -> None:
    """Give the calling process a /proc that holds the processes of its user alone, and nothing else.

    It must become another user afterwards.
    """
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
    flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
    syscalls.mount("proc", PROCESSES, "proc", flags, "hidepid=ptraceable,subset=pid")


def drop_user(uid: int) -> None:
    """Become an ordinary user for good, without any group but its own."""
    os.setgroups(())
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def wait_status(status: int) -> tuple[int, int]:
    """Return exit code (-1 if killed) and signal (0 if not) of a wait status."""
    if os.WIFSIGNALED(status):
        return -1, os.WTERMSIG(status)
    return os.waitstatus_to_exitcode(status), 0
