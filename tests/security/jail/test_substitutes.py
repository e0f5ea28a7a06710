"""The escape tests find the hole without each substitute for an older Landlock, and the tier is refused."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ordinary_user import copy_of_the_jail, run_with_copy_as_ordinary_user

pytestmark = [pytest.mark.security, pytest.mark.timeout(300)]

_PROGRAM = """
import asyncio, dataclasses, sys
sys.path.insert(0, sys.argv[1])
from i2s_chassis.jail import Jail, JailSettings, NoTierError, Tier
from i2s_chassis.jail import jail as module

abi, left_out = int(sys.argv[2]), sys.argv[3]
survey, needed = module.SpawnerClient.survey, module.landlock.needed_substitutes

def older(spawner, bwrap):
    found = survey(spawner, bwrap)
    return dataclasses.replace(found, landlock_abi=min(abi, found.landlock_abi))

def fewer(landlock_abi, *, our_user):
    return tuple(one for one in needed(landlock_abi, our_user=our_user) if one != left_out)

module.SpawnerClient.survey, module.landlock.needed_substitutes = older, fewer

async def main():
    try:
        jail = await Jail.start(JailSettings(tier=Tier.LANDLOCK, private_mounts=False, control_groups=False))
    except NoTierError as error:
        print(error.reasons["landlock"])
        return
    print("held")
    await jail.close()

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that other users reach, with a copy of the jail."""
    with tempfile.TemporaryDirectory(prefix="i2s-substitutes-") as name:
        copy_of_the_jail(Path(name))
        yield Path(name)


def _started(folder: Path, abi: int, left_out: str) -> str:
    arguments = ["-c", _PROGRAM, str(folder / "package"), str(abi), left_out]
    done = run_with_copy_as_ordinary_user(folder, arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("abi", range(1, 7))
def test_every_version_of_landlock_holds_for_an_ordinary_user(folder: Path, abi: int) -> None:
    assert _started(folder, abi, "nothing") == "held"


@pytest.mark.parametrize(
    ("left_out", "abi", "hole"),
    [
        ("ioctl", 4, "escape test call_devices: called the driver of /dev/random"),
        ("signals", 5, "escape test signal_processes: may signal process"),
        ("truncate", 2, "escape test truncate_files: emptied"),
    ],
)
def test_without_a_substitute_its_hole_is_found(folder: Path, left_out: str, abi: int, hole: str) -> None:
    assert _started(folder, abi, left_out).startswith(hole)
