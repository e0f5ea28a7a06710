"""What is left when parts of the service itself are lost under a job."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from ground import LIMITS, Ground, attack, left_of_jobs, said, settings, shell, spawner, supervisors, until

from i2s_chassis.jail import CellError, Jail, KilledError, Tier
from i2s_chassis.jail.work_folder import remove_stale


@attack
async def a_cancelled_job_is_gone(ground: Ground) -> None:
    """All its processes are gone with it."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.5):
            async with ground.jail.cell(LIMITS) as cell:
                await cell.run(["perl", "-e", "fork for 1..2; sleep 60"])
    await until(lambda: not left_of_jobs(ground))


@attack
async def a_job_that_is_killed_from_outside_has_no_end_of_its_own(ground: Ground) -> None:
    """The caller hears of it as a fault, and the cell runs the next program."""
    async with ground.jail.cell(LIMITS) as cell:
        running = asyncio.create_task(cell.run(["perl", "-e", "$0 = 'victim'; sleep 60"]))
        await until(lambda: bool(_called("victim", ground)))
        for pid in _called("victim", ground):
            os.kill(pid, signal.SIGKILL)
        try:
            ended = await running
        except KilledError:
            pass
        else:
            raise AssertionError(f"it has an end: {ended}")
        assert said(await cell.run(["sh", "-c", "echo still here"])) == "still here\n"


def _called(name: str, ground: Ground) -> list[int]:
    """Return the processes of jobs that have given themselves a name."""
    return [pid for pid in left_of_jobs(ground) if Path(f"/proc/{pid}/comm").read_text() == f"{name}\n"]


@attack
async def a_killed_supervisor_takes_its_job_with_it(ground: Ground) -> None:
    """The caller hears of it as a fault of ours, and nothing is left."""
    async with ground.jail.cell(LIMITS) as cell:
        running = asyncio.create_task(cell.run(["perl", "-e", "fork for 1..2; sleep 60"]))
        await until(lambda: len(left_of_jobs(ground)) >= 4)
        groups = _groups_of_cells(ground)
        for pid in supervisors(ground):
            os.kill(pid, signal.SIGKILL)
        try:
            await running
        except CellError:
            pass
        else:
            raise AssertionError("no fault was reported")
    await until(lambda: not left_of_jobs(ground))
    await until(lambda: not any(group.exists() for group in groups))


def _groups_of_cells(ground: Ground) -> list[Path]:
    """Return the control groups of the open cells, which must be there where any can be made."""
    hierarchy = ground.jail._groups
    if hierarchy is None:
        return []
    names = [folder.name for folder in ground.folder.iterdir()]
    groups = [parent / f"i2s-{name}" for parent in hierarchy.parents for name in names]
    assert groups
    assert all(group.exists() for group in groups), groups
    return groups


@attack
async def a_killed_spawner_is_replaced(ground: Ground) -> None:
    """The next job does not notice."""
    killed = spawner(ground)
    os.kill(killed, signal.SIGKILL)
    await until(lambda: not Path(f"/proc/{killed}").exists())
    ended = await shell(ground, "echo still here")
    assert said(ended) == "still here\n"
    assert spawner(ground) not in (0, killed)


@attack
async def a_spawner_killed_under_a_job_leaves_its_user_to_it(ground: Ground) -> None:
    """Whoever comes next runs as somebody else, and the job goes on."""
    async with ground.jail.cell(LIMITS) as cell:
        first = cell.uid
        os.kill(spawner(ground), signal.SIGKILL)
        others = [await _user(ground) for _ in range(3)]
        assert first is None or first not in others
        assert (await cell.run(["sh", "-c", "echo still here"])).output.whole == b"still here\n"
    await until(lambda: not list(ground.folder.iterdir()))


async def _user(ground: Ground) -> int | None:
    async with ground.jail.cell(LIMITS) as cell:
        return cell.uid


@attack
async def a_killed_service_leaves_nothing(ground: Ground) -> None:
    """Monitor, spawner, supervisors, jobs and their folders go too; that of the jail is removed as stale."""
    command = [sys.executable, str(Path(__file__).parent), *sys.argv[1:], "service"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert service.stdout is not None
    started = service.stdout.readline()
    assert started, "the service to be killed did not start"
    monitor, folder = int(started.split()[0]), Path(started.split()[1].decode())
    service.kill()
    service.wait()
    service.stdout.close()
    await until(lambda: not Path(f"/proc/{monitor}").exists())
    assert not list(folder.glob("*/cells/*"))
    assert len(remove_stale(folder)) == 1
    folder.rmdir()


async def be_a_service(tier: Tier) -> None:
    """Run jobs until killed; says where."""
    folder = Path(tempfile.mkdtemp(prefix="i2s-attacked-"))
    jail = await Jail.start(settings(tier, folder))
    async with jail.cell(LIMITS) as cell:
        running = asyncio.create_task(cell.run(["perl", "-e", "fork for 1..2; sleep 60"]))
        await asyncio.sleep(0.3)
        print(jail._spawner._process.pid, folder, flush=True)  # of the monitor, which ends last
        await running
