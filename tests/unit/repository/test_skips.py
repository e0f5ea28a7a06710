"""A test that is skipped without permission fails its step in continuous integration."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]

_TESTS = """
import pytest

def test_runs(): pass
def test_needs_a_gpu(): pytest.skip("NOT TESTED: networks on a GPU; PyTorch sees none here")
def test_needs_something_else(): pytest.skip("something else is not installed")
@pytest.mark.xfail(reason="a known fault")
def test_is_known_to_fail(): assert False
"""


def _report(tmp_path: Path, path: str, text: str) -> Path:
    """Return the report of tests that pytest really ran, by the name of a file of the repository."""
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    report = tmp_path / "report.xml"
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path),
         "-c", os.devnull, "--import-mode=importlib", f"--junitxml={report}", path],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    return report


def _skips(report: Path, **environment: str) -> tuple[int, str]:
    quiet = {name: value for name, value in os.environ.items() if name not in ("CI", "I2S_REQUIRE_ALL")}
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/skips"), str(report)],
        env={**quiet, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def devices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _report(
        tmp_path_factory.mktemp("devices"), "tests/integration/metrics/networks/test_devices.py", _TESTS
    )


@pytest.mark.parametrize("variable", [{"CI": "true"}, {"I2S_REQUIRE_ALL": "1"}])
def test_a_skip_that_nobody_permitted_fails_where_all_is_required(
    devices: Path, variable: dict[str, str]
) -> None:
    code, said = _skips(devices, **variable)
    assert code == 1
    permitted, unknown = said.split("skipped, and not in tests/permitted_skips.toml:")
    assert "networks on a GPU" in permitted
    assert "something else is not installed" in unknown
    assert "known fault" not in said


def test_elsewhere_it_is_shown_and_fails_nothing(devices: Path) -> None:
    code, said = _skips(devices)
    assert code == 0
    assert "something else is not installed" in said


def test_the_reason_counts_and_not_only_the_test(tmp_path: Path) -> None:
    text = _TESTS.replace("something else is not installed", "every metric is available here")
    report = _report(tmp_path, "tests/integration/metrics/networks/test_devices.py", text)
    assert _skips(report, CI="true")[0] == 1


def test_what_is_permitted_fails_nothing(tmp_path: Path) -> None:
    text = "".join(line + "\n" for line in _TESTS.splitlines() if "something" not in line)
    report = _report(tmp_path, "tests/integration/metrics/networks/test_devices.py", text)
    assert _skips(report, CI="true")[0] == 0


def test_a_module_that_is_skipped_as_a_whole_is_found_with_its_reason(tmp_path: Path) -> None:
    text = 'import pytest\npytest.importorskip("no_such_package", reason="it is not installed")\n'
    report = _report(tmp_path, "tests/unit/test_nothing.py", text)
    code, said = _skips(report, CI="true")
    assert code == 1
    assert "tests.unit.test_nothing: it is not installed" in said


def test_a_report_that_is_not_there_has_no_skips(tmp_path: Path) -> None:
    assert _skips(tmp_path / "none.xml", CI="true") == (0, "")
