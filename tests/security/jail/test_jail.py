"""Every attack, in every tier, as root and as an ordinary user.

The attacks are in the folder attacks, a program of its own; it runs once for each tier and user, and
each attack is a test here.
"""

from __future__ import annotations

import ast
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

pytestmark = [pytest.mark.security, pytest.mark.timeout(300)]

_HERE = Path(__file__).parent
_NOBODY = 65534
# Bare is an ordinary user as in a container under the engine's own seccomp profile: no user namespaces, so no
# mounts either, and processes are counted together with those of the service and of other cells.
_WAYS = (
    ("root", "NAMESPACE"),
    ("root", "LANDLOCK"),
    ("ordinary", "NAMESPACE"),
    ("ordinary", "LANDLOCK"),
    ("bare", "LANDLOCK"),
)


def _attacks() -> list[str]:
    return [
        node.name
        for path in sorted((_HERE / "attacks").glob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.AsyncFunctionDef)
        and any(isinstance(mark, ast.Name) and mark.id == "attack" for mark in node.decorator_list)
    ]


def _python_for(user: int) -> str | None:
    """Return an interpreter that the user can run; that of the tests may lie in a closed folder."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        asked = [python, "-I", "-S", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            if subprocess.run(asked, user=user, group=user, extra_groups=(), check=False).returncode == 0:
                return python
        except OSError:
            continue
    return None


@cache
def _results(user: str, tier: str, folder: Path) -> dict[str, str | None]:
    root = folder / "package"
    if not root.exists():
        shutil.copytree(Path(i2s_chassis.__file__).parent, root / "i2s_chassis")
        shutil.copytree(_HERE / "attacks", folder / "attacks")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
    command = [
        sys.executable,
        str(folder / "attacks"),
        str(root),
        tier,
        *(("bare",) if user == "bare" else ()),
    ]
    if user == "root" and os.geteuid() != 0:
        pytest.skip("these attacks are made as root; the tests run as an ordinary user")
    if user == "root" or os.geteuid() != 0:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    else:
        command[0] = _python_for(_NOBODY) or ""
        if not command[0]:
            pytest.skip("no Python 3.11 that an ordinary user can run")
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, user=_NOBODY, group=_NOBODY, extra_groups=()
        )
    assert done.returncode == 0, done.stderr
    results: dict[str, str | None] = json.loads(done.stdout)
    return results


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that other users reach; those of pytest are closed to them."""
    with tempfile.TemporaryDirectory(prefix="i2s-attacks-") as name:
        yield Path(name)


@pytest.mark.parametrize(("user", "tier"), _WAYS)
@pytest.mark.parametrize("attack", _attacks())
def test_attack_is_held(user: str, tier: str, attack: str, folder: Path) -> None:
    wrong = _results(user, tier, folder)[attack]
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


def test_an_ordinary_user_without_namespaces_has_walls_that_hold(folder: Path) -> None:
    python = _python_for(_NOBODY)
    if os.geteuid() != 0 or python is None:
        pytest.skip("needs root, and a Python 3.11 that an ordinary user can run")
    package = folder / "without_namespaces"
    shutil.copytree(Path(i2s_chassis.__file__).parent, package / "i2s_chassis")
    for path in (folder, package, *package.rglob("*")):
        path.chmod(0o755)
    command = [python, "-c", _START_WITHOUT_NAMESPACES, str(package)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, user=_NOBODY, group=_NOBODY, extra_groups=()
    )
    assert done.stdout == "LANDLOCK\n", done.stderr
