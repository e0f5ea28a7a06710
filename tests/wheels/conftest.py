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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import pytest

from chosen import why_not
from inspect_commands import inspect_commands

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
SECONDS = 900
#: Fixtures that ask a package index.
FROM_INDEX = {"from_index", "inspect_from_index", "client_from_index"}


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


def _install_alone(folder: Path, wheels: Path, name: str) -> Installed:
    """Return an environment with a wheel and those of ours that it needs; others are those of the tests."""
    environment = folder / name
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(environment / "bin/python"),
        "--disable-pip-version-check",
    ]
    needed = [str(wheel) for wheel in sorted(_closure(wheels, name))]
    subprocess.run([*pip, "install", "--quiet", "--no-index", "--no-deps", *needed], check=True)
    (site,) = environment.glob("lib/python3*/site-packages")
    # A line in a .pth file adds a folder without reading the .pth files in it, so the checkout is not added.
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return Installed(environment, wheels, _empty(folder / f"{name}-empty"))


def _closure(wheels: Path, name: str) -> set[Path]:
    """Return the wheel of a package and those of ours that it requires."""
    (wheel,) = wheels.glob(f"{name.replace('-', '_')}-*.whl")
    with ZipFile(wheel) as archive:
        metadata = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        required = re.findall(
            r"^Requires-Dist: (i2s-[a-z-]+)==[^;\n]*$", archive.read(metadata).decode(), re.MULTILINE
        )
    return {wheel}.union(*(_closure(wheels, one) for one in required))


@pytest.fixture(scope="session")
def sdk_alone(folder: Path, wheels: Path) -> Installed:
    """An environment with the wheels of the SDK."""
    return _install_alone(folder, wheels, "i2s-sdk")


@pytest.fixture(scope="session")
def install_alone(folder: Path, wheels: Path) -> Callable[[str], Installed]:
    """A function that installs a package into an environment of its own, with those of ours that it needs."""
    (folder / "alone").mkdir()
    return cache(lambda name: _install_alone(folder / "alone", wheels, name))


@pytest.fixture(scope="session")
def client_from_index(folder: Path, wheels: Path) -> Installed:
    """An environment in which pip has installed the clients, and what they need from its index."""
    return _installed_from_index(folder, "client", wheels, "i2s-client")


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
