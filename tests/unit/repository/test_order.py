"""The order in which a suite gives its files to several test processes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SHORT = "def test_{0}(): pass\ndef test_{0}_too(): pass\n"
LONG = "import pytest\n@pytest.mark.timeout(900)\ndef test_{0}(): pass\n"


def test_files_whose_tests_may_take_longest_come_first_and_then_those_with_most(
    root: Path, tmp_path: Path
) -> None:
    shutil.copy(root / "tests/conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\ntimeout = 300\n")
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n")
    (tmp_path / "test_b.py").write_text(SHORT.format("b"))
    (tmp_path / "test_c.py").write_text(LONG.format("c"))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-n",
        "1",
        "--dist",
        "loadfile",
        "--no-loadscope-reorder",
    ]
    done = subprocess.run([*command, "."], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    passed = [line.rpartition("::")[2].strip() for line in done.stdout.splitlines() if "PASSED" in line]
    assert passed == ["test_c", "test_b", "test_b_too", "test_a"]
