"""The last steps of a process before it becomes the program: it gives up everything.

Runs in a child that was forked for it and never comes back from it.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from i2s_chassis.jail import landlock, seccomp, syscalls
from i2s_chassis.jail.model import Tier
from i2s_chassis.jail.plan import DEVICES, SYSTEM_READABLE, CellPlan

_PATH = "/usr/local/bin:/usr/bin:/bin"
_OPEN_FILES = 256
_STACK = 64 * 1024 * 1024
_ADDRESS_SPACE_BEYOND = 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Program:
    """What to run: a command line, or one of our own probes by name."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cpu_seconds: float
    process_allowance: int
    probe: Callable[[tuple[str, ...]], int] | None = None


def become(plan: CellPlan, program: Program, output_fd: int, error_fd: int) -> None:
    """Confine the calling process and turn it into the program; never returns.

    Args:
        plan: Whose walls, limits and folders apply.
        program: What to run.
        output_fd: Becomes standard output and standard error.
        error_fd: Gets one line where something fails before the program runs.
    """
    try:
        _detach(output_fd)
        os.chdir(plan.workdir)
        _limit(plan, program)
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        if plan.tier in (Tier.LANDLOCK, Tier.NAMESPACE):
            landlock.restrict((*SYSTEM_READABLE, *plan.readable), (plan.workdir,), DEVICES)
        syscalls.drop_capabilities()
        if plan.tier is not Tier.NONE and seccomp.supported():
            # In the namespace tier no file or process of ours is in sight.
            seccomp.restrict(our_user=plan.uid is None and plan.tier is not Tier.NAMESPACE)
        _close_all_but(error_fd)
        if program.probe is not None:
            os._exit(program.probe(program.argv))
        os.execve(_find(program.argv[0]), program.argv, _environment(plan, program))  # noqa: S606
    except BaseException as error:  # the parent must hear of everything, and nothing may run on
        with contextlib.suppress(OSError):
            os.write(error_fd, f"{type(error).__name__}: {error}".encode()[:500])
    os._exit(127)


def _detach(output_fd: int) -> None:
    os.setsid()
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    # Python ignores these two, and a program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def _limit(plan: CellPlan, program: Program) -> None:
    limits = plan.limits
    cpu = max(1, math.ceil(program.cpu_seconds))
    bounds = {
        resource.RLIMIT_CPU: (cpu, cpu + 1),
        resource.RLIMIT_FSIZE: (limits.file_bytes, limits.file_bytes),
        resource.RLIMIT_NPROC: (program.process_allowance, program.process_allowance),
        resource.RLIMIT_NOFILE: (_OPEN_FILES, _OPEN_FILES),
        resource.RLIMIT_STACK: (_STACK, _STACK),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MEMLOCK: (65536, 65536),
        resource.RLIMIT_MSGQUEUE: (0, 0),
    }
    if plan.groups is None:
        # The backstop behind the keeper, which looks at resident memory only now and then. Far
        # enough away that the keeper comes first: what fails here looks like the program's own fault.
        most = limits.memory_bytes + _ADDRESS_SPACE_BEYOND
        bounds[resource.RLIMIT_AS] = (most, most)
    for what, (soft, hard) in bounds.items():
        _, ceiling = resource.getrlimit(what)
        allowed = max(soft, hard) if ceiling == resource.RLIM_INFINITY else ceiling
        resource.setrlimit(what, (min(soft, allowed), min(hard, allowed)))
    os.umask(0o077)


def _close_all_but(error_fd: int) -> None:
    os.set_inheritable(error_fd, False)
    os.closerange(3, error_fd)
    os.closerange(error_fd + 1, 1 << 20)


def _find(name: str) -> str:
    if "/" in name:
        return name
    for folder in _PATH.split(":"):
        candidate = f"{folder}/{name}"
        if os.access(candidate, os.X_OK):
            return candidate
    raise FileNotFoundError(f"no program {name!r} in {_PATH}")


def _environment(plan: CellPlan, program: Program) -> dict[str, str]:
    return {
        "PATH": _PATH,
        "HOME": plan.workdir,
        "TMPDIR": plan.workdir,
        "LANG": "C.UTF-8",
        **program.env,
    }


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
