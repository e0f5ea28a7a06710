"""Wheels of this checkout, built and installed into fresh environments.

Without I2S_REQUIRE_WHEELS only the packages of this project are installed, and what they need is taken from
the environment of the tests, so that no index is asked. With it (``make test SUITE=wheels``) pip resolves and
installs everything, as on the machine of a user.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from inspect_commands import inspect_commands

from chosen import why_not

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
SECONDS = 900
#: Fixtures that ask a package index.
FROM_INDEX = {"from_index", "inspect_from_index"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_not("I2S_REQUIRE_WHEELS", "wheels")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout(SECONDS))
            if reason is not None and FROM_INDEX.intersection(getattr(item, "fixturenames", ())):
                item.add_marker(pytest.mark.skip(reason=f"NOT INSTALLED FROM AN INDEX: {reason}"))


@dataclass(frozen=True)
class Installed:
    """A fresh environment, and an empty folder in which its commands are run."""

    environment: Path
    wheels: Path
    empty: Path

    def run(
        self, *words: str, path: str = "/usr/bin:/bin", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, with nothing of the tests' own environment."""
        environ = {"PATH": path, "HOME": str(self.empty), "LANG": "C.UTF-8", **variables}
        program = str(self.environment / "bin" / words[0])
        return subprocess.run(
            [program, *words[1:]], cwd=self.empty, env=environ, capture_output=True, text=True, check=False
        )

    @property
    def package(self) -> Path:
        """The folder of the installed SDK."""
        (found,) = self.environment.glob("lib/python3*/site-packages/i2s_sdk")
        return found


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """A folder that the users of jobs can reach, as those of pytest cannot be."""
    made = Path(tempfile.mkdtemp(prefix="i2s-wheels-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def wheels(folder: Path) -> Path:
    """The wheels of this checkout."""
    built = subprocess.run(
        ["scripts/wheels", str(folder / "wheels")],
        cwd=ROOT,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder / "wheels"


@pytest.fixture(scope="session")
def sdk_alone(folder: Path, wheels: Path) -> Installed:
    """An environment with the wheels of the SDK; the packages of others are those of the tests."""
    environment = folder / "sdk"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(environment / "bin/python"),
        "--disable-pip-version-check",
    ]
    names = [str(next(wheels.glob(f"{name}-*.whl"))) for name in ("i2s_protos", "i2s_sdk")]
    subprocess.run([*pip, "install", "--quiet", "--no-index", "--no-deps", *names], check=True)
    (site,) = environment.glob("lib/python3*/site-packages")
    # A line in a .pth file adds a folder without reading the .pth files in it, so the checkout is not added.
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return Installed(environment, wheels, _empty(folder / "sdk-empty"))


@pytest.fixture(scope="session")
def from_index(folder: Path, wheels: Path) -> Installed:
    """An environment in which pip has installed the SDK, all services, and what they need from its index."""
    return _installed_from_index(folder, "everything", wheels, "i2s-sdk[services]")


@pytest.fixture(scope="session")
def inspect_from_index(folder: Path, wheels: Path) -> Installed:
    """The same with what the documentation of inspect_ai names."""
    install, *_ = inspect_commands()
    assert install[:2] == ["pip", "install"]
    return _installed_from_index(folder, "inspect", wheels, "i2s-sdk[services]", *install[2:])


def _installed_from_index(folder: Path, name: str, wheels: Path, *requirements: str) -> Installed:
    environment = folder / name
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pins = folder / "pins.txt"
    locked = (ROOT / "requirements/dev.txt").read_text(encoding="utf-8")
    pins.write_text("\n".join(re.findall(r"^[\w.\[\]-]+==[^ \\\n]+", locked, re.MULTILINE)), encoding="utf-8")
    pip = [str(environment / "bin/pip"), "--disable-pip-version-check", "install", "--quiet"]
    wanted = ["--find-links", str(wheels), "-c", str(pins), *requirements]
    done = subprocess.run([*pip, *wanted], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return Installed(environment, wheels, _empty(folder / f"{name}-empty"))


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder
