"""The one-line changes that unit tests must find are changes to code that is there, and a run tries them."""

import re
import subprocess
import sys
import tomllib

import pytest

#: Files whose changes are tried here too, since their tests take least: about 10 CPU seconds in all.
SAMPLE = ("http_status.py", "evaluation/failures.py", "spending.py", "i2s_chassis/limits.py", "job_limits.py")


def groups(root):
    return tomllib.loads((root / "tests/mutants/mutants.toml").read_text())["group"]


def test_every_change_is_to_one_place_of_a_file_that_is_there(root):
    wrong = [
        f"{group['file']}: {change['old']!r}"
        for group in groups(root)
        for change in group["changes"]
        if (root / group["file"]).read_text().count(change["old"]) != 1
    ]
    assert wrong == []


def test_every_test_that_is_to_find_them_is_there(root):
    assert [name for group in groups(root) for name in group["tests"] if not (root / name).exists()] == []


def run(root, *words):
    command = [sys.executable, str(root / "tests/mutants/run.py"), *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_every_change_to_a_sample_of_files_is_found(root):
    done = run(root, *SAMPLE)
    assert done.returncode == 0, done.stdout + done.stderr
    found, of = map(int, re.search(r"^(\d+) of (\d+) changes were found$", done.stdout, re.M).groups())
    assert found == of >= 30


@pytest.mark.slow
def test_a_change_that_no_test_finds_and_one_that_does_not_fit_fail_the_run(root, tmp_path):
    listed = tmp_path / "mutants.toml"
    listed.write_text(
        """
[[group]]
file = "services/chassis/src/i2s_chassis/job_limits.py"
tests = ["tests/unit/chassis/test_limits.py"]
changes = [
  { old = "return bounds.PICTURE_BYTES", new = "return bounds.PICTURE_PIXELS" },
  { old = "from __future__ import annotations", new = "" },
  { old = "text that is not in the file", new = "" },
]
"""
    )
    done = run(root, "--list", str(listed))
    assert done.returncode == 1
    verdicts = done.stdout.splitlines()
    assert verdicts[0].startswith("found ")
    assert verdicts[1].startswith("NOT FOUND ")
    assert verdicts[2].startswith("NOT TRIED: stands 0 times in the file ")
    assert verdicts[3] == "1 of 3 changes were found"
