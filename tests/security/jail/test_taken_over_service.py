"""A service that was taken over has the spawner's socket in its hand, and gets nothing for it.

The spawner runs with the privileges that the service was started with. Here the tests are such a service:
they send what they like over the socket that the jail would use.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from i2s_chassis.jail import Cause, CellError, CellLostError, Jail, JailSettings, Tier
from i2s_chassis.limits import MAX_LIMITS, Limits

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

LIMITS = Limits(processes=8, memory_bytes=256 * 1024 * 1024)
CEILINGS = replace(MAX_LIMITS, processes=64)
FAR_TOO_MUCH = 1 << 62
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def folder() -> Path:
    """A folder that other users reach, with one that jobs may be given to read."""
    with tempfile.TemporaryDirectory(prefix="i2s-taken-over-") as name:
        path = Path(name)
        path.chmod(0o755)
        (path / "readable").mkdir(mode=0o755)
        (path / "readable" / "way-out").symlink_to("/etc")
        (path / "readable-too").mkdir(mode=0o755)
        yield path


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def jail(folder: Path) -> AsyncIterator[Jail]:
    """A jail whose service has given up its privileges, as far as the spawner is concerned."""
    jail = await Jail.start(JailSettings())
    await jail.bind([folder / "readable"], CEILINGS)
    await _is_as_ever(jail)
    yield jail
    await jail.close()


def _spawner(jail: Jail) -> int:
    monitor = jail._spawner._process.pid
    return int(Path(f"/proc/{monitor}/task/{monitor}/children").read_text().split()[0])


async def _is_as_ever(jail: Jail) -> None:
    async with jail.cell(LIMITS) as cell:
        ended = await cell.run(["sh", "-c", "echo good; id -u"])
    assert ended.cause is Cause.EXITED
    said = ended.output.whole.split()
    assert said[0] == b"good"
    assert said[1] != b"0"


def _plan(jail: Jail, change: Change) -> bytes:
    data = jail._plan(LIMITS, (), (), nesting=False).to_json()
    change(data)
    return json.dumps({"op": "cell", "plan": data}).encode()


async def _sent(jail: Jail, packet: bytes, *more: int) -> str:
    """Send a packet with a socket for the answer; returns the answer, empty where there is none."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        with theirs:
            socket.send_fds(jail._spawner._control, [packet], [theirs.fileno(), *more])
        ours.setblocking(False)
        return (await asyncio.get_running_loop().sock_recv(ours, 65536)).decode(errors="replace")


def _limit(**values: object) -> Change:
    return lambda plan: plan["limits"].update(values)


WRONG: dict[str, Change] = {
    "user 0": lambda plan: plan.update(uid=0),
    "a user of its choice": lambda plan: plan.update(uid=1000),
    "even one of jobs": lambda plan: plan.update(uid=52_000),
    "a weaker tier": lambda plan: plan.update(tier=plan["tier"] - 1),
    "no tier": lambda plan: plan.update(tier=int(Tier.NONE)),
    "a tier that there is not": lambda plan: plan.update(tier=99),
    "no landlock": lambda plan: plan.update(landlock_abi=0),
    "another folder": lambda plan: plan.update(folder="/etc"),
    "a folder above": lambda plan: plan.update(name="../../etc/12345678-1"),
    "a name that is none": lambda plan: plan.update(name=["12345678-1"]),
    "another sandbox": lambda plan: plan.update(bwrap="/bin/sh"),
    "another control group": lambda plan: plan.update(groups=[2, "/sys", "/sys", "/sys"]),
    "no private mount": lambda plan: plan.update(private_mount=None),
    "a file of the host": lambda plan: plan.update(readable=["/etc/shadow"]),
    "the root": lambda plan: plan.update(readable=["/"]),
    "a path that is none": lambda plan: plan.update(readable=[7]),
    "a number for paths": lambda plan: plan.update(readable=7),
    "a bind of its own for the sandbox": lambda plan: plan.update(readable=["--bind"]),
    "memory without end": _limit(memory_bytes=FAR_TOO_MUCH),
    "processes without end": _limit(processes=CEILINGS.processes + 1),
    "files without end": _limit(inodes=FAR_TOO_MUCH),
    "disk without end": _limit(disk_bytes=FAR_TOO_MUCH),
    "time without end": _limit(cpu_seconds=1e300),
    "time that is no number": _limit(wall_seconds=float("nan")),
    "options of a mount for bytes": _limit(disk_bytes="1,mode=0777"),
    "less than nothing": _limit(memory_bytes=-1),
    "a limit that there is not": _limit(more=1),
    "no limits": lambda plan: plan.pop("limits"),
    "a channel over standard error": lambda plan: plan.update(channels=[2, 2]),
    "a channel without its descriptor": lambda plan: plan.update(channels=[3]),
    "looks without end": lambda plan: plan.update(poll_seconds=0),
}


@pytest.mark.parametrize("what", WRONG)
async def test_a_plan_for_more_is_refused(jail: Jail, what: str) -> None:
    before = _spawner(jail)
    assert '"error"' in await _sent(jail, _plan(jail, WRONG[what]))
    await _is_as_ever(jail)
    assert _spawner(jail) == before


@pytest.mark.parametrize("name", ["readable-too", "readable/../readable-too", "readable/way-out/ssl", "."])
async def test_a_path_beside_those_that_may_be_read_is_refused(jail: Jail, folder: Path, name: str) -> None:
    path = f"{folder}/{name}"
    assert '"error"' in await _sent(jail, _plan(jail, lambda plan: plan.update(readable=[path])))


async def test_what_may_be_read_is_given(jail: Jail, folder: Path) -> None:
    async with jail.cell(LIMITS, readable=[folder / "readable"]) as cell:
        assert (await cell.run(["ls", str(folder / "readable")])).exit_code == 0


@pytest.mark.parametrize(
    "packet",
    [
        b"\0",
        b"garbage",
        b"[" * 100_000,
        b'"op"',
        b"[1]",
        b"{}",
        b'{"op": "survey", "bwrap": "/bin/sh"}',
        b'{"op": "cell"}',
        b'{"op": "cell", "plan": 1}',
        b'{"uid_base": 0, "uid_count": 1, "folder": "/", "remove_folder": true, "bounds": null}',
        b'{"op": "cell", "plan": {"x": "' + b"x" * 140_000 + b'"}}',
    ],
    ids=range(11),
)
async def test_what_is_no_request_changes_nothing(jail: Jail, packet: bytes) -> None:
    before = _spawner(jail)
    answer = await _sent(jail, packet)
    assert '"error"' in answer
    jail._spawner._control.send(packet)  # and without a descriptor for the answer
    await _is_as_ever(jail)
    assert _spawner(jail) == before


async def test_a_flood_of_descriptors_changes_nothing(jail: Jail) -> None:
    before = _spawner(jail)
    held = len(os.listdir(f"/proc/{before}/fd"))
    null = os.open("/dev/null", os.O_RDONLY)
    for _ in range(50):
        await _sent(jail, b"garbage", *([null] * 100))
        socket.send_fds(jail._spawner._control, [_plan(jail, lambda _: None)], [null])  # no socket
    os.close(null)
    await _is_as_ever(jail)
    assert _spawner(jail) == before
    assert len(os.listdir(f"/proc/{before}/fd")) <= held + 1


async def test_a_name_that_is_in_use_is_refused(jail: Jail) -> None:
    """Else what is cleaned up after the second would be the first."""
    async with jail.cell(LIMITS) as cell:
        (name,) = [path.name for path in jail.folder.iterdir() if path.is_dir()]
        assert '"error"' in await _sent(jail, _plan(jail, lambda plan: plan.update(name=name)))
        assert (await cell.run(["true"])).exit_code == 0


async def test_limits_are_not_renewed_beyond_the_ceilings(jail: Jail) -> None:
    async with jail.cell(LIMITS) as cell:
        with pytest.raises(CellError, match="disk_bytes"):
            await cell.renew(replace(LIMITS, disk_bytes=FAR_TOO_MUCH), {})


async def test_garbage_for_a_supervisor_ends_its_cell_alone(jail: Jail) -> None:
    async with jail.cell(LIMITS) as other:
        async with jail.cell(LIMITS) as cell:
            cell._link._sock.send(b"@")
            with pytest.raises(CellLostError):
                await cell.fill()
        assert (await other.run(["true"])).exit_code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="jobs have users of their own as root only")
async def test_no_more_cells_are_open_than_there_are_users(jail: Jail) -> None:
    small = await Jail.start(JailSettings(uid_base=61_000, uid_count=2))
    try:
        async with small.cell(LIMITS) as first, small.cell(LIMITS) as second:
            assert {first.uid, second.uid} == {61_000, 61_001}
            with pytest.raises(CellError, match="raise uid_count"):
                async with small.cell(LIMITS):
                    pass
        for _ in range(5):
            await _is_as_ever(small)
    finally:
        await small.close()


async def test_a_spawner_that_was_killed_comes_back_with_the_same_bounds(jail: Jail) -> None:
    before = _spawner(jail)
    os.kill(before, signal.SIGKILL)
    await _is_as_ever(jail)
    assert _spawner(jail) != before
    assert '"error"' in await _sent(jail, _plan(jail, WRONG["no tier"]))
    assert '"error"' in await _sent(jail, _plan(jail, WRONG["a file of the host"]))


async def test_the_end_of_the_service_leaves_nothing(folder: Path) -> None:
    jail = await Jail.start(JailSettings())
    await jail.bind([folder / "readable"], CEILINGS)
    work, monitor = jail._work_folder.path, jail._spawner._process
    await jail.close()
    assert monitor.returncode == 0
    assert not work.exists()
