"""The end of a log."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.stack.child import last_lines


def test_the_last_lines_of_a_long_log_are_shown(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"".join(b"line %d\n" % number for number in range(100_000)) + b"\xff end")
    assert last_lines(log, 2) == ["line 99999", "\ufffd end"]


def test_a_log_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    assert last_lines(tmp_path / "none.log") == []
