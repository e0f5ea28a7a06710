"""Attacks on the tier container, made inside of gVisor.

Run by test_gvisor.py below `runsc do`, as root and as the first process. The attacks are those of the other
tiers, in the folder attacks, as far as this tier promises the same; the rest is here.

    python inside_gvisor.py ATTACKS PACKAGE_ROOT [NAME…]        prints {attack: null or what went wrong}
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType

FOLDER, PACKAGE, NAMES = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
sys.argv[1:] = [PACKAGE, "CONTAINER"]
sys.path[:0] = [str(FOLDER), PACKAGE]

import ground  # noqa: E402
from ground import ATTACKS, LIMITS, MIB, OPEN_ALL, Ground, attack, perl, prepared_folder, said, shell  # noqa: E402

from i2s_chassis.jail import Cause, Jail, JailSettings, PolicyKind, Tier  # noqa: E402

_FIRST_USER = JailSettings().uid_base


def _status() -> dict[int, dict[str, str]]:
    """Return what /proc says of each process."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            lines = Path(f"/proc/{name}/status").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found[int(name)] = dict(line.split(":", 1) for line in lines if ":" in line)
    return found


def _children(pid: int) -> list[int]:
    """Return what ground.children returns, for a kernel that does not list them."""
    return [one for one, status in _status().items() if int(status["PPid"]) == pid and not _dead(status)]


def _dead(status: dict[str, str]) -> bool:
    return "Z" in status["State"]


def _left_of_jobs(_: Ground) -> list[int]:
    """Return what ground.left_of_jobs returns, if what a job leaves goes to the first process."""
    alive = {pid: status for pid, status in _status().items() if not _dead(status)}
    return [pid for pid, status in alive.items() if int(status["Uid"].split()[0]) >= _FIRST_USER]


ground.children = _children
ground.left_of_jobs = _left_of_jobs


def _program() -> ModuleType:
    """Load the attacks of the other tiers, which take from ``ground`` what is set above."""
    spec = importlib.util.spec_from_file_location("program", FOLDER / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@attack
async def reads_nothing_that_is_closed(ground: Ground) -> None:
    """Files that others may not read, of the service and of another cell, and the memory of the service."""
    async with ground.jail.cell(LIMITS) as other:
        await other.run(["sh", "-c", "echo theirs > theirs"])
        targets = [
            str(ground.outside / "secret"),
            f"{other.workdir}/theirs",
            other.workdir,
            "/etc/shadow",
            f"/proc/{os.getpid()}/mem",
            f"/proc/{os.getpid()}/cwd/etc/shadow",
        ]
        ended = await perl(ground, OPEN_ALL, *targets)
    assert ended.cause is Cause.EXITED, ended
    assert said(ended) == "", said(ended)


@attack
async def a_bomb_of_forks_ends_at_a_limit(ground: Ground) -> None:
    """Also one whose processes leave their session and hear no signal. The kernel bounds their number."""
    for program in (
        "while (1) { fork }",
        "use POSIX; while (1) { fork; POSIX::setsid(); $SIG{$_} = 'IGNORE' for keys %SIG }",
    ):
        ended = await perl(ground, program, memory_bytes=1024 * MIB)
        assert ended.cause in (Cause.PROCESS_LIMIT, Cause.CPU_LIMIT), ended
        assert ended.usage.peak_processes <= LIMITS.processes + 4, ended.usage


@attack
async def an_orphan_is_killed_with_its_run(ground: Ground) -> None:
    """One that is nobody's child any more, in a session of its own, while the cell stays open."""
    async with ground.jail.cell(LIMITS) as cell:
        ended = await cell.run(
            ["sh", "-c", "(setsid sleep 60 &); (setsid sh -c 'sleep 60 & sleep 60' &); exit 0"]
        )
        assert ended.cause is Cause.EXITED, ended
        assert _left_of_jobs(ground) == []
        assert [event.kind for event in ended.events] == [PolicyKind.LEFT_BEHIND], ended


@attack
async def writes_into_no_folder_of_all(ground: Ground) -> None:
    """The folders that every user of a machine may write to are closed."""
    ended = await shell(
        ground, 'for d in /tmp /var/tmp /dev/shm; do echo x > "$d/i2s-owned" && echo "$d"; done'
    )
    assert not any(Path(d, "i2s-owned").exists() for d in ("/tmp", "/var/tmp", "/dev/shm")), said(ended)


@attack
async def signals_nobody_outside(ground: Ground) -> None:
    """All processes that it may signal are its own: the service, the spawner and other cells live on."""
    async with ground.jail.cell(LIMITS) as other:
        running = asyncio.create_task(other.run(["sh", "-c", "sleep 2; echo lives"]))
        await shell(ground, "kill -9 -1")
        assert said(await running) == "lives\n"


async def main() -> dict[str, str | None]:
    """Attack in all ways that are named; returns what went wrong, by attack."""
    program = _program()
    with (
        tempfile.TemporaryDirectory(prefix="i2s-attacked-", dir="/dev/shm") as name,
        prepared_folder() as (outside, port),
    ):
        # Users alone are kept apart here, so what is to be held is closed to others.
        outside.chmod(0o755)
        (outside / "secret").chmod(0o600)
        jail = await Jail.start(JailSettings(tier=Tier.CONTAINER, state_dir=Path(name)))
        try:
            field = Ground(jail, jail.folder, outside, port)
            good = await program.good_job(field)
            return {name: await program.judge(field, name, good) for name in NAMES if name in ATTACKS}
        finally:
            await jail.close()


if __name__ == "__main__":
    json.dump(asyncio.run(main()), sys.stdout)
