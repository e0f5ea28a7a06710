"""What a user cannot reach is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from i2s_chassis.server.privileges import files_of_interpreter, unreached
from i2s_chassis.server.service_user import UserAccount

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may look as somebody else")
ACCOUNT = UserAccount(51_999, 51_999)


def test_what_all_may_read_is_reached() -> None:
    assert unreached(ACCOUNT, (Path("/etc/passwd"), Path("/usr")), (Path("/tmp"),)) is None


def test_what_does_not_exist_is_passed_over() -> None:
    assert unreached(ACCOUNT, (Path("/nonexistent"),), (Path("/nonexistent"),)) is None


def test_a_file_below_a_closed_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "key").touch()
    tmp_path.chmod(0o700)
    why = unreached(ACCOUNT, (tmp_path / "key",), ())
    assert why == f"the user 51999 cannot read {tmp_path / 'key'}"


def test_a_folder_of_somebody_else_is_named() -> None:
    assert unreached(ACCOUNT, (), (Path("/usr"),)) == "the user 51999 cannot write to /usr"


def test_the_code_is_what_runs() -> None:
    paths = set(files_of_interpreter())
    assert Path(files_of_interpreter.__code__.co_filename) in paths
    assert Path(os.__file__) in paths
