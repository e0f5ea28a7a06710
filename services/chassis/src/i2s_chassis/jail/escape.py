"""The escape tests that a tier must pass before it serves."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from i2s_chassis.jail import shared
from i2s_chassis.jail.errors import JailError
from i2s_chassis.jail.model import Cause, Tier
from i2s_chassis.limits import Limits

if TYPE_CHECKING:
    from i2s_chassis.jail.jail import Jail

_MIB = 1024 * 1024
_LIMITS = Limits(
    cpu_seconds=10,
    wall_seconds=30,
    # Our own interpreter as often as there may be processes: gVisor counts for each what they share.
    memory_bytes=1024 * _MIB,
    processes=12,
    file_bytes=4 * _MIB,
    disk_bytes=8 * _MIB,
    inodes=100,
)


async def attempt(jail: Jail, folder: Path) -> str | None:
    """Try to escape from a cell of the jail in every way we know.

    Args:
        jail: With the tier to be tested in force.
        folder: Of the jail; a secret is laid into it.

    Returns:
        None if everything was held, else what was not.
    """
    secret = folder / "secret"
    secret.write_text("a job must never read this")
    # Where users alone are kept apart, what others may read is no secret.
    secret.chmod(0o600 if jail.isolation.tier is Tier.CONTAINER else 0o644)
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as canary:
        try:
            async with jail.cell(_LIMITS) as cell:
                for probe, arguments in _attempts(jail.isolation.tier, secret, canary.getsockname()[1]):
                    ended = await cell.run(arguments, probe=probe)
                    limited = ended.cause in (Cause.PROCESS_LIMIT, Cause.DISK_LIMIT)
                    if not limited and (ended.cause is not Cause.EXITED or ended.exit_code != 0):
                        told = ended.output.head.decode(errors="replace") or f"{ended.cause.value}"
                        return f"escape test {probe}: {told}"
        except (JailError, TimeoutError) as error:
            return str(error)
        finally:
            secret.unlink(missing_ok=True)
    return None


def _attempts(tier: Tier, secret: Path, port: int) -> list[tuple[str, tuple[str, ...]]]:
    """Return probes and their arguments: what the tier promises."""
    # The first process of a container has the parent 0, which for kill is the caller's own group.
    outside = tuple(dict.fromkeys(str(pid) for pid in (os.getpid(), os.getppid(), 1) if pid))
    # In a namespace of its own, small numbers are those of the cell's processes. A service
    # in a container has such a number too.
    signalled = tuple(pid for pid in outside if tier is not Tier.NAMESPACE or int(pid) > 100)
    if tier is Tier.CONTAINER:
        # Every file that others may read is in reach, and so is /proc.
        readable: tuple[str, ...] = (str(secret), "/etc/shadow")
        of_others = [("open_memories", outside), ("leave_behind", ()), ("meet_others", ())]
    else:
        readable = ("/etc/passwd", "/etc/hostname", "/proc/1/cmdline", str(secret))
        of_others = [("read_environments", outside)]
    return [
        ("read_files", readable),
        ("write_files", _outside(secret.parent)),
        ("connect", (str(port),)),
        ("signal_processes", signalled),
        *of_others,
        ("new_namespaces", ()),
        ("fork_past", (str(_LIMITS.processes),)),
        ("fill_disk", (str(_LIMITS.disk_bytes), str(_LIMITS.inodes))),
    ]


def _outside(folder: Path) -> tuple[str, ...]:
    places = {"/tmp", "/var/tmp", "/usr", "/usr/local", "/etc", "/dev/shm", "/", str(folder)}  # noqa: S108
    places.update(shared.folders(Path("/proc/self/mountinfo").read_text()))
    return tuple(str(Path(place) / f"i2s-escape-{os.getpid()}") for place in sorted(places))
