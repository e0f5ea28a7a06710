"""The page about attacks is that of the tests, and lists each file of the security suite."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "attacks.md").read_text("utf-8")


def test_the_page_is_that_of_the_tests() -> None:
    printed = subprocess.run(
        [sys.executable, ROOT / "scripts" / "attacks"], capture_output=True, text=True, check=True
    )
    assert printed.stdout == PAGE, "run: scripts/attacks > docs/attacks.md"


def test_no_file_of_the_security_suite_is_left_out() -> None:
    files = (ROOT / "tests" / "security").rglob("test_*.py")
    missing = [str(file.relative_to(ROOT)) for file in files if f"`{file.relative_to(ROOT)}`" not in PAGE]
    assert missing == []
