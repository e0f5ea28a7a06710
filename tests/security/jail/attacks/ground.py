"""What the attacks aim at, how they are made, and what is left of them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_chassis.jail import Ended, Jail, JailSettings, Tier
from i2s_chassis.jail import jail as jail_module
from i2s_chassis.jail.spawner import Survey
from i2s_chassis.job_limits import Limits

MIB = 1024 * 1024
LIMITS = Limits(
    cpu_seconds=5,
    wall_seconds=15,
    memory_bytes=128 * MIB,
    processes=16,
    file_bytes=8 * MIB,
    disk_bytes=16 * MIB,
    inodes=300,
    log_bytes=16 * 1024,
    pixels=1,  # nothing is drawn; here is no i2s_wire to take the defaults from
    picture_bytes=1,
)
OPEN_ALL = 'for (@ARGV) { print "GOT $_\\n" if open(F, "<", $_) || opendir(D, $_) }'
GOOD = ["sh", "-c", "seq 1 2000 | sort -r | sha256sum | tee sum.txt"]


#: Whether it is as in a container under the engine's own seccomp profile: no user namespaces or mounts, no
#: control groups, and the kernel counts the processes of all cells together with those of the service.
BARE = "bare" in sys.argv[3:]


#: Version of Landlock that the jail is made to find, None for what the kernel offers. Such a jail
#: uses no more of Landlock than that, as on an older kernel.
LANDLOCK_ABI = next(
    (int(word.removeprefix("abi=")) for word in sys.argv[3:] if word.startswith("abi=")), None
)


#: Whether the jail is made to find that the processes of a user are counted together, whatever their user
#: namespaces, as Linux did before 5.14.
COUNTED_TOGETHER = "counted-together" in sys.argv[3:]


#: Whether the jail does without control groups, as in most containers: processes are followed then.
UNGROUPED = BARE or "ungrouped" in sys.argv[3:]


def offer_older_kernel() -> None:
    """Have every jail of this process find no more than LANDLOCK_ABI and COUNTED_TOGETHER say."""
    survey = jail_module.SpawnerClient.survey

    def older(spawner: jail_module.SpawnerClient, bwrap: str) -> Survey:
        found = survey(spawner, bwrap)
        offered = found.landlock_abi if LANDLOCK_ABI is None else min(LANDLOCK_ABI, found.landlock_abi)
        counted_apart = found.counted_apart and not COUNTED_TOGETHER
        return replace(found, landlock_abi=offered, counted_apart=counted_apart)

    jail_module.SpawnerClient.survey = older  # type: ignore[method-assign]


def settings(tier: Tier, folder: Path) -> JailSettings:
    """Return what the jail that is attacked is started with."""
    # On a machine that is kept busy on purpose an attack waits for as long as it has to.
    patience = JailSettings().patience * float(os.environ.get("I2S_TIMEOUT_FACTOR", "1"))
    return JailSettings(
        tier=tier,
        state_dir=folder,
        private_mounts=not BARE,
        control_groups=not UNGROUPED,
        patience=patience,
    )


@dataclass(frozen=True)
class Ground:
    """What the attacks aim at."""

    jail: Jail
    folder: Path  # of the jail, where all cells are made
    outside: Path  # a folder with a secret that any user of the machine may read
    tcp_port: int


Attack = Callable[[Ground], Awaitable[None]]
ATTACKS: dict[str, Attack] = {}


def attack(function: Attack) -> Attack:
    """Register an attack under its name."""
    ATTACKS[function.__name__] = function
    return function


async def perl(ground: Ground, program: str, *arguments: str, **limits: float) -> Ended:
    """Run a Perl program in a cell of its own."""
    async with ground.jail.cell(replace(LIMITS, **limits)) as cell:  # type: ignore[arg-type]
        return await cell.run(["perl", "-e", program, *arguments])


async def shell(ground: Ground, program: str, *arguments: str, **limits: float) -> Ended:
    """Run a shell program in a cell of its own."""
    async with ground.jail.cell(replace(LIMITS, **limits)) as cell:  # type: ignore[arg-type]
        return await cell.run(["sh", "-c", program, "sh", *arguments])


def said(ended: Ended) -> str:
    """Return what the program wrote."""
    return ended.output.whole.decode(errors="replace")


def spawner(ground: Ground) -> int:
    """Return the pid of the jail's spawner, which its parent may be about to start again; then 0."""
    return next(iter(children(ground.jail._spawner._process.pid)), 0)


def children(pid: int) -> list[int]:
    """Return the direct children of a process; none of one that has ended, or ends while it is read."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def supervisors(ground: Ground) -> list[int]:
    """Return the pids of the supervisors of open cells."""
    return children(spawner(ground))


def left_of_jobs(ground: Ground) -> list[int]:
    """Return the pids of everything below the supervisors."""
    holders = supervisors(ground)
    found = list(holders)
    for pid in found:
        found += children(pid)
    return found[len(holders) :]


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition that comes true within milliseconds, unless the machine is slow."""
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


@contextlib.contextmanager
def prepared_folder() -> Iterator[tuple[Path, int]]:
    """Lay out what the attacks aim at: a readable secret, listening sockets."""
    with tempfile.TemporaryDirectory(prefix="i2s-outside-") as name:
        outside = Path(name)
        outside.chmod(0o777)
        (outside / "secret").write_text("secret of the host")
        (outside / "secret").chmod(0o644)
        with (
            socket.create_server(("127.0.0.1", 0)) as tcp,
            socket.socket(socket.AF_UNIX) as path,
            socket.socket(socket.AF_UNIX) as abstract,
        ):
            path.bind(str(outside / "socket"))
            (outside / "socket").chmod(0o777)
            path.listen()
            with contextlib.suppress(OSError):  # another run of this file has it
                abstract.bind("\0i2s-canary")
                abstract.listen()
            yield outside, tcp.getsockname()[1]
