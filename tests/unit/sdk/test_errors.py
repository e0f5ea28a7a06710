"""The tree of errors."""

from __future__ import annotations

import errno
import inspect
import os
from pathlib import Path

import pytest

from i2s_sdk import errors
from i2s_sdk.errors import WriteError, ownership


def test_every_error_stands_in_the_drawn_tree_and_has_an_exit_code() -> None:
    drawn = errors.__doc__ or ""
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, errors.I2SError):
            assert f" {name} " in drawn.replace("\n", " \n"), name
            hopeless = (
                errors.UsageError,
                errors.RequestRefusedError,
                errors.AccessError,
                errors.StoreRefusedError,
            )
            in_use = 4 if issubclass(kind, errors.InUseError) else 1
            assert kind.exit_code == (2 if issubclass(kind, hopeless) else in_use)


@pytest.mark.parametrize(
    ("name", "meant"), [("orakle", "oracle"), ("Oracle", "oracle"), ("replay", "replay:FILE")]
)
def test_an_unknown_name_is_told_what_was_perhaps_meant(name: str, meant: str) -> None:
    error = errors.UnknownNameError("model", name, ["oracle", "replay:FILE"])
    assert f"did you mean {meant!r}" in error.message


def test_an_unknown_name_like_nothing_is_told_what_there_is() -> None:
    message = errors.UnknownNameError("model", "zzz", ["oracle", "replay:FILE"]).message
    assert "did you mean" not in message
    assert "oracle, replay:FILE" in message


def test_an_error_of_data_names_file_and_line() -> None:
    assert errors.DataError(Path("a/b.jsonl"), 7, "is odd").message == "a/b.jsonl:7: is odd"
    assert errors.DataError(Path("a/b.jsonl"), 0, "is odd").message == "a/b.jsonl: is odd"


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
