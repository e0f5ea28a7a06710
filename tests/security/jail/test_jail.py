"""Every attack, in every tier, as root and as an ordinary user.

The attacks are in the folder attacks, a program of its own; it runs once for each tier and user, and
each attack is a test here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from guest_results import attack_names
from jail_ways import chosen_ways
from ordinary_user import copy_of_the_jail, run_with_copy_as_ordinary_user

pytestmark = [pytest.mark.security, pytest.mark.timeout(300)]

_HERE = Path(__file__).parent


@cache
def _results(user: str, tier: str, kernel: str, folder: Path) -> dict[str, str | None]:
    root = copy_of_the_jail(folder, _HERE / "attacks")
    arguments = [
        str(folder / "attacks"),
        str(root),
        tier,
        *(("bare",) if user == "bare" else ()),
        *kernel.split(),
    ]
    if user == "root" and os.geteuid() != 0:
        pytest.skip("these attacks are made as root; the tests run as an ordinary user")
    if user == "root":
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    else:
        done = run_with_copy_as_ordinary_user(folder, arguments)
    assert done.returncode == 0, done.stderr
    results: dict[str, str | None] = json.loads(done.stdout)
    return results


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that other users reach; those of pytest are closed to them."""
    with tempfile.TemporaryDirectory(prefix="i2s-attacks-") as name:
        yield Path(name)


@pytest.mark.parametrize(("user", "tier", "kernel"), chosen_ways())
@pytest.mark.parametrize("attack", attack_names(_HERE / "attacks"))
def test_attack_is_held(user: str, tier: str, kernel: str, attack: str, folder: Path) -> None:
    wrong = _results(user, tier, kernel, folder)[attack]
    assert wrong is None, wrong


_START_WITHOUT_NAMESPACES = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from i2s_chassis.jail import Jail, JailSettings

async def main():
    jail = await Jail.start(JailSettings(bwrap="missing", private_mounts=False))
    print(jail.isolation.tier.name)
    await jail.close()

asyncio.run(main())
"""


def test_an_ordinary_user_without_namespaces_has_a_tier_that_holds(folder: Path) -> None:
    package = copy_of_the_jail(folder, _HERE / "attacks")
    done = run_with_copy_as_ordinary_user(folder, ["-c", _START_WITHOUT_NAMESPACES, str(package)])
    assert done.stdout == "LANDLOCK\n", done.stderr
