"""A folder of another user, such as a volume of root: one line says who owns it and what to do."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from i2s_sdk.errors import WriteError
from i2s_sdk.ownership import ownership


@pytest.fixture
def another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Be a user who does not own the folder of the test; returns its number."""
    user = tmp_path.stat().st_uid + 10_001
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(os, "getegid", lambda: 10_001)
    return user


def test_the_nearest_folder_its_owner_and_the_command_that_helps_are_named(
    tmp_path: Path, another: int
) -> None:
    owner = tmp_path.stat()
    tmp_path.chmod(0o755)
    assert ownership(tmp_path / "first" / "shards") == (
        f"{tmp_path} belongs to uid {owner.st_uid} and gid {owner.st_gid} (mode 755), and this process is "
        f"uid {another} and gid 10001; as its owner or as root give: chown {another}:10001 {tmp_path}"
    )


def test_the_owner_is_told_of_the_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert ownership(tmp_path) == (
        f"{tmp_path} belongs to this process (uid {os.geteuid()}) and has mode 500; chmod it"
    )


def test_only_a_missing_permission_is_explained_by_the_owner(tmp_path: Path, another: int) -> None:
    where = tmp_path / "runs" / "first"
    denied = WriteError(where, PermissionError(errno.EACCES, "Permission denied", str(where.parent)))
    assert denied.message.startswith(f"{where}: cannot be written: Permission denied ({where.parent}); ")
    assert f"chown {another}:10001 {tmp_path}; or name another place" in denied.message
    assert "\n" not in denied.message
    full = WriteError(where, OSError(errno.ENOSPC, "No space left on device"))
    assert "belongs to" not in full.message
