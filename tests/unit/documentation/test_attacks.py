"""The page about attacks lists each file of the security suite."""

from __future__ import annotations

import attacks_page


def test_no_file_of_the_security_suite_is_left_out() -> None:
    page = attacks_page.page()
    root = attacks_page.ROOT
    names = [str(file.relative_to(root)) for file in (root / "tests" / "security").rglob("test_*.py")]
    assert [name for name in names if f"`{name}`" not in page] == []
