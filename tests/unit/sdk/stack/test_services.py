"""The folder for logs of a short command."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.errors import StackError, UsageError
from i2s_sdk.stack.services import passing_logs


def test_nothing_is_left_of_a_command_that_went_well() -> None:
    with passing_logs() as folder:
        (folder / "metrics.log").write_text("serving")
    assert not folder.exists()


@pytest.mark.parametrize(
    ("error", "written", "kept"),
    [(StackError, True, True), (StackError, False, False), (UsageError, True, False)],
)
def test_logs_are_kept_where_they_explain_something(
    error: type[Exception], written: bool, kept: bool, tmp_path: Path
) -> None:
    folder = tmp_path

    def fail() -> None:
        nonlocal folder
        with passing_logs() as folder:
            if written:
                (folder / "metrics.log").write_text("fault")
            raise error("why")

    with pytest.raises(error):
        fail()
    assert folder.exists() is kept
    if kept:
        (folder / "metrics.log").unlink()
        folder.rmdir()
