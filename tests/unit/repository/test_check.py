"""How scripts/check runs steps, one after the other or at the same time, and sums them up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A checkout with scripts/check, in which the step lint passes and nothing else can be run."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(root / "scripts/check", tmp_path / "scripts")
    ruff = tmp_path / ".venv/bin/ruff"
    ruff.parent.mkdir(parents=True)
    ruff.write_text("#!/bin/sh\necho ruff was called\n")
    ruff.chmod(0o755)
    return tmp_path


def check(
    checkout: Path, *words: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [str(checkout / "scripts/check"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize("steps", [("lint", "lint"), ("lint+lint",)], ids=["in turn", "together"])
def test_steps_that_pass_are_shown_with_what_they_print(checkout: Path, steps: tuple[str, ...]) -> None:
    done = check(checkout, *steps)
    assert done.returncode == 0, done.stdout
    assert "ruff was called" in done.stdout
    assert done.stdout.rpartition("== summary")[2].count("lint         passed") == 2


@pytest.mark.parametrize("steps", [("lint", "nonesuch"), ("lint+nonesuch",)], ids=["in turn", "together"])
def test_a_step_that_fails_fails_the_check_and_hides_no_other(checkout: Path, steps: tuple[str, ...]) -> None:
    done = check(checkout, *steps)
    assert done.returncode == 1
    summary = done.stdout.rpartition("== summary")[2]
    assert "lint         passed" in summary
    assert "nonesuch     FAILED" in summary


def test_skipped_tests_stand_before_the_summary_and_failed_ones_in_it(checkout: Path) -> None:
    python = checkout / ".venv/bin/python"
    python.write_text('#!/bin/sh\necho "$1 of $2"\n')
    python.chmod(0o755)
    report = checkout / ".i2s/tests/lint.xml"
    report.parent.mkdir(parents=True)
    report.write_text("<testsuites/>")
    before, _, summary = check(checkout, "lint").stdout.rpartition("== summary")
    assert before.endswith(
        "== skipped tests\nscripts/skips of .i2s/tests/lint.xml\n"
        "\n== left to make test-nightly\nscripts/left_out of .i2s/tests/lint.xml\n\n"
    )
    assert "scripts/skips" not in summary
    assert "scripts/failures of .i2s/tests/lint.xml" in summary


@pytest.mark.parametrize(
    ("required", "reason", "code"),
    [
        ({"CI": "true"}, "it is not installed", 1),
        ({"I2S_REQUIRE_ALL": "1"}, "it is not installed", 1),
        ({}, "it is not installed", 0),
        ({"CI": "true"}, "this one may be", 0),
    ],
    ids=["in continuous integration", "where all is required", "elsewhere", "permitted"],
)
def test_a_suite_that_skips_a_test_without_permission_fails_where_all_is_required(
    root: Path, checkout: Path, required: dict[str, str], reason: str, code: int
) -> None:
    shutil.copy(root / "scripts/skips", checkout / "scripts")
    shutil.copy(root / "scripts/failures", checkout / "scripts")
    (checkout / ".venv/bin/python").symlink_to(sys.executable)
    suite = checkout / "tests/unit"
    suite.mkdir(parents=True)
    (checkout / "tests/permitted_skips.toml").write_text(
        '[[skip]]\ntest = "*"\nreason = "this one may be"\nwhy = "for this test"\n'
    )
    _reporting_pytest(checkout, f'<skipped type="pytest.skip" message="{reason}"/>')
    quiet = {name: value for name, value in os.environ.items() if name not in ("CI", "I2S_REQUIRE_ALL")}
    done = check(checkout, "unit", environment={**quiet, **required})
    assert reason in done.stdout
    assert done.returncode == code
    assert f"unit         {'FAILED' if code else 'passed'}" in done.stdout.rpartition("== summary")[2]


def _reporting_pytest(checkout: Path, outcome: str) -> None:
    """Put a pytest into the checkout that passes, and reports one test with this outcome."""
    pytest_program = checkout / ".venv/bin/pytest"
    report = (
        f'<testsuites><testcase classname="tests.unit.test_a" name="test_a">{outcome}</testcase></testsuites>'
    )
    pytest_program.write_text(
        "#!/bin/sh\n"
        "for word; do case $word in --junitxml=*) report=${word#*=} ;; esac; done\n"
        f"echo '{report}' >\"$report\"\n"
    )
    pytest_program.chmod(0o755)


def test_steps_together_can_be_interrupted(checkout: Path) -> None:
    ruff = checkout / ".venv/bin/ruff"
    ruff.write_text("#!/bin/sh\ngrep SigIgn /proc/self/status\n")
    done = check(checkout, "lint+lint")
    masks = {int(line.split()[1], 16) for line in done.stdout.splitlines() if line.startswith("SigIgn")}
    assert masks
    assert all(not mask & (1 << 1 | 1 << 2) for mask in masks)  # SIGINT and SIGQUIT
