"""Tests that are left to make test-nightly are listed at the end of a check, with what runs instead."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

_TESTS = """
import pytest

def test_runs(): pass

@pytest.mark.nightly(instead="one network")
@pytest.mark.parametrize("network", ["vgg", "inception"])
def test_each_network(network): pass

@pytest.mark.nightly(instead="the same in a folder")
def test_in_a_bucket(): pass
"""


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A checkout with a suite of three nightly tests and one that always runs."""
    suite = tmp_path / "tests/unit/sdk"
    suite.mkdir(parents=True)
    shutil.copy(root / "tests/conftest.py", tmp_path / "tests")
    (tmp_path / "scripts").mkdir()
    for name in ("left_out", "check", "skips", "failures"):
        shutil.copy(root / "scripts" / name, tmp_path / "scripts")
    shutil.copy(root / "tests/permitted_skips.toml", tmp_path / "tests")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\n"
        'addopts = "--strict-markers --import-mode=importlib"\n'
        "timeout = 300\n"
        'markers = ["nightly(instead): a slow repetition"]\n'
    )
    (suite / "test_networks.py").write_text(_TESTS)
    programs = tmp_path / ".venv/bin"
    programs.mkdir(parents=True)
    for name, words in {"python": "", "pytest": "-m pytest"}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        (programs / name).chmod(0o755)
    return tmp_path


def _run(checkout: Path, *command: str, nightly: bool = False) -> str:
    ours = ("CI", "I2S_REQUIRE_ALL", "I2S_NIGHTLY", "PYTEST_ADDOPTS")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    if nightly:
        environment["I2S_NIGHTLY"] = "1"
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _pytest(checkout: Path, *options: str, nightly: bool = False) -> Path:
    """Run the suite and return the file that lists what it left out."""
    report = ".i2s/tests/unit.xml"
    _run(checkout, ".venv/bin/pytest", "tests/unit", f"--junitxml={report}", *options, nightly=nightly)
    return checkout / ".i2s/tests/unit.nightly"


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "two processes"])
def test_a_suite_lists_each_test_that_it_leaves_out_with_what_runs_instead(
    checkout: Path, options: tuple[str, ...]
) -> None:
    assert _pytest(checkout, *options).read_text().splitlines() == [
        "tests/unit/sdk/test_networks.py::test_each_network[vgg]\tone network",
        "tests/unit/sdk/test_networks.py::test_each_network[inception]\tone network",
        "tests/unit/sdk/test_networks.py::test_in_a_bucket\tthe same in a folder",
    ]


def test_a_nightly_run_leaves_nothing_out_and_removes_the_list_of_before(checkout: Path) -> None:
    assert _pytest(checkout).exists()
    assert not _pytest(checkout, nightly=True).exists()


def test_a_check_says_before_its_summary_how_many_are_left_out_and_what_runs_instead(checkout: Path) -> None:
    said = _run(checkout, "scripts/check", "unit").rpartition("== summary")[0]
    assert "\n== left to make test-nightly\n" in said
    assert said.partition("left to make test-nightly\n")[2].splitlines()[:3] == [
        "  unit: 3 tests (.i2s/tests/unit.nightly)",
        "      2 unit.sdk.test_networks: one network",
        "      1 unit.sdk.test_networks: the same in a folder",
    ]


def test_a_check_that_leaves_nothing_out_says_nothing_of_it(checkout: Path) -> None:
    _run(checkout, "scripts/check", "unit")
    assert "left to make" not in _run(checkout, "scripts/check", "unit", nightly=True)


def test_of_many_reasons_the_most_frequent_are_shown(checkout: Path) -> None:
    listed = [f"tests/unit/test_{name}.py::test\tanother" for name in "abcdefg"]
    file = checkout / ".i2s/tests/unit.nightly"
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{line}\n" for line in [*listed, listed[-1]]))
    said = _run(checkout, ".venv/bin/python", "scripts/left_out", ".i2s/tests/unit.xml").splitlines()
    assert said[0] == "  unit: 8 tests (.i2s/tests/unit.nightly)"
    assert said[1] == "      2 unit.test_g: another"
    assert said[-1] == "      and 4 more reasons"
    assert len(said) == 5
