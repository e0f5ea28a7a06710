"""The tier container: refused by every kernel but gVisor's, and inside of gVisor it holds what it promises.

The attacks run below `runsc do`: inside_gvisor.py, once for all of them, and each is a test here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import i2s_chassis
from i2s_chassis.jail import Jail, JailSettings, NoTierError, Tier, gvisor

pytestmark = [pytest.mark.security, pytest.mark.timeout(300)]

_HERE = Path(__file__).parent
_SECONDS = 240
_RUNSC = "runsc"

# Attacks on the other tiers that keeping users apart is to hold as well. Not among them is what reads
# files that all users may read and what /proc tells, and what asks for namespaces inside.
_AS_IN_OTHER_TIERS = (
    "a_cancelled_job_is_gone",
    "a_file_that_changes_meanwhile_leads_nowhere",
    "a_flood_of_output_is_bounded",
    "a_flood_on_a_channel_hurts_nobody",
    "a_folder_without_bottom_is_a_limit",
    "a_full_disk_is_a_limit",
    "a_killed_supervisor_takes_its_job_with_it",
    "a_killed_service_leaves_nothing",
    "a_killed_spawner_is_replaced",
    "a_loop_ends_at_the_cpu_limit",
    "a_process_whose_first_thread_has_ended_is_still_seen",
    "a_sleeping_process_ends_at_the_wall_limit",
    "a_stopped_program_leaves_nothing",
    "calls_of_another_architecture_kill",
    "gains_no_privilege",
    "inherits_only_the_channels_that_are_given",
    "leaves_no_link_that_we_follow",
    "makes_no_forbidden_system_call",
    "memory_without_end_stops_at_the_limit",
    "nothing_outlives_its_job",
    "sees_no_other_cell",
    "the_budget_is_that_of_the_cell",
    "writes_nowhere_but_in_its_folder",
    "the_service_follows_no_link_when_it_writes",
)
_OF_THIS_TIER = (
    "a_bomb_of_forks_ends_at_a_limit",
    "an_orphan_is_killed_with_its_run",
    "reads_nothing_that_is_closed",
    "signals_nobody_outside",
    "writes_into_no_folder_of_all",
)

_START = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from i2s_chassis.jail import Jail, JailError, JailSettings, Tier

async def main(tier):
    try:
        jail = await Jail.start(JailSettings(tier=tier))
    except JailError as error:
        print(error)
        return
    print(jail.isolation.tier.name, *jail.isolation.mechanisms, sep=", ")
    await jail.close()

asyncio.run(main(Tier[sys.argv[2]] if sys.argv[2:] else None))
"""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that other users reach, with the package and the attacks."""
    with tempfile.TemporaryDirectory(prefix="i2s-gvisor-") as name:
        root = Path(name)
        shutil.copytree(Path(i2s_chassis.__file__).parent, root / "package" / "i2s_chassis")
        shutil.copytree(_HERE / "attacks", root / "attacks")
        shutil.copy(_HERE / "inside_gvisor.py", root)
        for path in (root, *root.rglob("*")):
            path.chmod(0o755)
        yield root


def _inside(*command: str) -> str:
    """Run a command inside of gVisor; returns what it printed."""
    if shutil.which(_RUNSC) is None:
        pytest.skip("NOT TESTED INSIDE OF GVISOR: runsc is not installed (Debian: runsc)")
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED INSIDE OF GVISOR: only root can run runsc")
    with tempfile.TemporaryDirectory(prefix="i2s-runsc-") as state:
        # The shell is the first process, and reaps what is left to it as the init of a container does.
        done = subprocess.run(
            [_RUNSC, "--root", state, "--network=none", "do", "sh", "-c", '"$@"; exit $?', "sh", *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@cache
def _results(folder: Path) -> dict[str, str | None]:
    told = _inside(
        sys.executable,
        str(folder / "inside_gvisor.py"),
        str(folder / "attacks"),
        str(folder / "package"),
        *_AS_IN_OTHER_TIERS,
        *_OF_THIS_TIER,
    )
    results: dict[str, str | None] = json.loads(told)
    return results


@pytest.mark.parametrize("attack", [*_AS_IN_OTHER_TIERS, *_OF_THIS_TIER])
def test_attack_is_held_inside_of_gvisor(attack: str, folder: Path) -> None:
    wrong = _results(folder)[attack]
    assert wrong is None, wrong


def test_the_tier_is_found_by_itself_inside_of_gvisor(folder: Path) -> None:
    told = _inside(sys.executable, "-I", "-c", _START, str(folder / "package"))
    assert told == "CONTAINER, gvisor, seccomp, measured folder, a user for each job\n"


def test_an_ordinary_user_is_refused_inside_of_gvisor(folder: Path) -> None:
    python = next(
        (one for one in (sys.executable, "/usr/bin/python3") if _runs_as_nobody(one)), "/usr/bin/python3"
    )
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    told = _inside(*command, python, "-I", "-c", _START, str(folder / "package"), "CONTAINER")
    assert "start the service as root there" in told
    assert told.count("\n") == 1


def _runs_as_nobody(python: str) -> bool:
    try:
        asked = subprocess.run(
            [python, "-I", "-c", ""], user=65534, group=65534, extra_groups=(), check=False
        )
    except OSError:
        return False
    return asked.returncode == 0


async def test_an_ordinary_kernel_is_refused_with_one_line() -> None:
    if gvisor.inside():
        pytest.skip("this kernel is gVisor's")
    with pytest.raises(NoTierError, match="this kernel is not gVisor's") as caught:
        await Jail.start(JailSettings(tier=Tier.CONTAINER))
    assert "\n" not in str(caught.value)


async def test_with_unsandboxed_work_allowed_an_ordinary_kernel_gives_no_tier_at_all() -> None:
    if gvisor.inside():
        pytest.skip("this kernel is gVisor's")
    jail = await Jail.start(JailSettings(tier=Tier.CONTAINER, allow_unsandboxed=True))
    try:
        assert jail.isolation.tier is Tier.NONE
    finally:
        await jail.close()


async def test_an_ordinary_kernel_never_gets_it_by_itself() -> None:
    if gvisor.inside():
        pytest.skip("this kernel is gVisor's")
    jail = await Jail.start(JailSettings(bwrap="missing", allow_unsandboxed=True))
    try:
        assert jail.isolation.tier is not Tier.CONTAINER
    finally:
        await jail.close()
