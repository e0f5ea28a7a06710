"""The escape tests that a tier must pass before it serves.

They try to write to folders that every user may write to, which are closed to others if no sandbox does it,
and aim signals at a process outside of every cell, which knows whether one came.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from i2s_chassis.jail.cell import Cell
from i2s_chassis.jail.errors import CellLostError, JailError, KilledError
from i2s_chassis.jail.model import Cause, Tier
from i2s_chassis.jail.plan import DEVICES
from i2s_chassis.job_limits import Limits

_MIB = 1024 * 1024
_LIMITS = Limits(
    cpu_seconds=10,
    # CPU seconds bound the attempts: a loaded machine must not decide which tier is used.
    wall_seconds=360,
    # Our own interpreter as often as there may be processes: gVisor counts for each what they share.
    memory_bytes=1024 * _MIB,
    processes=12,
    file_bytes=4 * _MIB,
    disk_bytes=8 * _MIB,
    inodes=100,
    pixels=1,
    picture_bytes=1,
)
_STARTS = 3  # of the tests of a tier: something outside may kill one of their processes
_CONTENT = "a job may read this, and must never change it"


@dataclass(frozen=True, slots=True)
class _Targets:
    """The targets of the escape tests, outside of the cell."""

    #: A file that no job may read.
    secret: Path
    #: A file that a job may read and that its user may write to.
    readable: Path
    #: A listening port of the loopback.
    tcp_port: int
    #: Listening Unix sockets, abstract ones with a leading @.
    local_names: tuple[str, ...]
    #: A process with the user of the service.
    victim: Victim


class OpensCells(Protocol):
    """The opener of the cell to escape from: a jail."""

    def cell(self, limits: Limits, *, readable: Sequence[Path]) -> AbstractAsyncContextManager[Cell]:
        """Open a cell; see ``Jail.cell``."""


async def attempt(jail: OpensCells, tier: Tier, folder: Path) -> str | None:
    """Try to escape from a cell of the jail in every way we know.

    Args:
        jail: Jail with the tier to be tested in force.
        tier: The tier to be tested.
        folder: Folder of the jail; the files to aim at are laid into it.

    Returns:
        None if everything was held, else what was not.

    Raises:
        CellLostError: Something outside killed the cell each time, which says nothing of the tier.
        KilledError: Something outside killed a test each time.
    """
    for _ in range(_STARTS - 1):
        with contextlib.suppress(CellLostError, KilledError):
            return await _attempt(jail, tier, folder)
    return await _attempt(jail, tier, folder)


async def _attempt(jail: OpensCells, tier: Tier, folder: Path) -> str | None:
    try:
        with _targets(tier, folder) as targets:
            async with jail.cell(_LIMITS, readable=(targets.readable,)) as cell:
                for probe, arguments in _attempts(tier, targets):
                    ended = await cell.run(arguments, probe=probe)
                    limited = ended.cause in (Cause.PROCESS_LIMIT, Cause.DISK_LIMIT)
                    if not limited and (ended.cause is not Cause.EXITED or ended.exit_code != 0):
                        output = ended.output.head.decode(errors="replace") or f"{ended.cause.value}"
                        return f"escape test {probe}: {output}"
                    damage = _damage(targets)
                    if damage is not None:
                        return f"escape test {probe}: {damage}"
    except (CellLostError, KilledError):
        raise
    except (JailError, OSError) as error:
        return str(error)
    return None


@contextlib.contextmanager
def _targets(tier: Tier, folder: Path) -> Iterator[_Targets]:
    # Where users alone are kept apart, what others may read is not a secret.
    users_alone = tier is Tier.CONTAINER
    secret, readable, path = folder / "secret", folder / "readable", folder / "socket"
    name = f"i2s-escape-{secrets.token_hex(8)}"
    with contextlib.ExitStack() as closers:
        for file, content, mode in (
            (secret, "a job must never read this", 0o600 if users_alone else 0o644),
            (readable, _CONTENT, 0o644 if users_alone else 0o666),
        ):
            closers.callback(file.unlink, missing_ok=True)
            file.write_text(content)
            file.chmod(mode)
        tcp = closers.enter_context(contextlib.closing(socket.create_server(("127.0.0.1", 0))))
        closers.callback(path.unlink, missing_ok=True)
        for address in (f"\0{name}", str(path)):
            local = closers.enter_context(contextlib.closing(socket.socket(socket.AF_UNIX)))
            local.bind(address)
            local.listen()
        path.chmod(0o600 if users_alone else 0o666)
        yield _Targets(
            secret=secret,
            readable=readable,
            tcp_port=tcp.getsockname()[1],
            local_names=(f"@{name}", str(path)),
            victim=closers.enter_context(started_victim()),
        )


def _damage(targets: _Targets) -> str | None:
    """Return what an escape test has done outside of the cell, None for nothing."""
    if targets.victim.was_signalled():
        return "a signal arrived at a process outside"
    if not targets.readable.exists() or targets.readable.read_text() != _CONTENT:
        return "a file outside was changed"
    return None


def _attempts(tier: Tier, targets: _Targets) -> list[tuple[str, tuple[str, ...]]]:
    """Return probes and their arguments: what the tier promises."""
    # The first process of a container has the parent 0, which for kill is the caller's own group.
    outside = tuple(dict.fromkeys(str(pid) for pid in (os.getpid(), os.getppid(), 1) if pid))
    # In a namespace of its own, small numbers are those of the cell's processes. A service
    # in a container has such a number too.
    signalled = tuple(pid for pid in outside if tier is not Tier.NAMESPACE or int(pid) > 100)
    aimed_at = str(targets.victim.pid)
    if tier is Tier.CONTAINER:
        # Every file that others may read is in reach, and so is /proc.
        readable: tuple[str, ...] = (str(targets.secret), "/etc/shadow")
        of_others = [("open_memories", outside), ("leave_behind", ()), ("meet_others", ())]
    else:
        readable = ("/etc/passwd", "/etc/hostname", "/proc/1/cmdline", str(targets.secret))
        of_others = [("read_environments", (*outside, aimed_at))]
    return [
        ("read_files", readable),
        ("write_files", (*_outside(targets.secret.parent), str(targets.readable))),
        ("truncate_files", (str(targets.readable),)),
        ("relink_files", (str(targets.readable),)),
        *([("call_devices", DEVICES)] if tier is Tier.LANDLOCK else []),
        ("connect", (str(targets.tcp_port),)),
        ("connect_local", targets.local_names),
        ("signal_processes", signalled),
        ("send_signals", () if tier is Tier.NAMESPACE and targets.victim.pid <= 100 else (aimed_at,)),
        *of_others,
        ("new_namespaces", ()),
        ("fork_past", (str(_LIMITS.processes),)),
        ("fill_disk", (str(_LIMITS.disk_bytes), str(_LIMITS.inodes))),
    ]


def _outside(folder: Path) -> tuple[str, ...]:
    places = {"/tmp", "/var/tmp", "/usr", "/usr/local", "/etc", "/dev/shm", "/", str(folder)}  # noqa: S108
    places.update(shared_folders(Path("/proc/self/mountinfo").read_text()))
    return tuple(str(Path(place) / f"i2s-escape-{os.getpid()}") for place in sorted(places))


# All signals are blocked, so that one which arrives stays pending; the process ends with its input.
_VICTIM_PROGRAM = (
    "import signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); "
    "sys.stdout.write('.'); sys.stdout.flush(); sys.stdin.read()"
)
_PENDING_SIGNALS = ("SigPnd:", "ShdPnd:")


@dataclass(frozen=True, slots=True)
class Victim:
    """A process outside of every cell, which no signal from inside must reach."""

    #: Its number.
    pid: int

    def was_signalled(self) -> bool:
        """Return whether a signal has arrived that it has blocked."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return any(int(line.split()[1], 16) for line in lines if line.startswith(_PENDING_SIGNALS))


@contextlib.contextmanager
def started_victim() -> Iterator[Victim]:
    """Start the process, with the user of the caller; it ends with the context.

    Raises:
        OSError: It could not be started.
    """
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _VICTIM_PROGRAM],
        env={},
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        try:
            if process.stdout is None or not process.stdout.read(1):
                raise OSError("the process that escape tests aim at did not start")
            yield Victim(process.pid)
        finally:
            process.kill()


_USUAL_SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 (not for files of ours)


def shared_folders(mountinfo: str) -> list[str]:
    """Return where others than root can be expected to write: the usual folders, and what is mounted.

    Args:
        mountinfo: Content of /proc/self/mountinfo.
    """
    mounted = [line.split()[4] for line in mountinfo.splitlines()]
    return sorted(
        {*_USUAL_SHARED_FOLDERS, *(point for point in mounted if not point.startswith(("/proc", "/sys")))}
    )


def close_shared_folders() -> None:
    """Take the right to write away from others in all such folders, as far as we may.

    What stays open is found by the escape tests.
    """
    for path in shared_folders(Path("/proc/self/mountinfo").read_text()):
        with contextlib.suppress(OSError):
            mode = os.lstat(path).st_mode
            if stat.S_ISDIR(mode) and mode & stat.S_IWOTH:
                os.chmod(path, stat.S_IMODE(mode) & ~stat.S_IWOTH)
