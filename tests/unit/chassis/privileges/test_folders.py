"""The folders of a service that was started as root: given to its user where root has made them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from i2s_chassis.privileges.account import UserAccount
from i2s_chassis.privileges.folders import prepare

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders to somebody else")
ACCOUNT = UserAccount(51_999, 51_999)


def test_a_missing_one_is_made_and_given(tmp_path: Path) -> None:
    prepare(tmp_path / "a" / "b", ACCOUNT, is_ours=False)
    status = (tmp_path / "a" / "b").stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (51_999, 51_999, 0o755)
    assert (tmp_path / "a").stat().st_uid == 0


def test_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    prepare(tmp_path, ACCOUNT, is_ours=False)
    assert {tmp_path.stat().st_uid, (tmp_path / "file").stat().st_uid} == {0}


def test_what_root_has_made_in_ours_is_given_and_nothing_else(tmp_path: Path) -> None:
    ours, outside = tmp_path / "ours", tmp_path / "outside"
    (ours / "formats").mkdir(parents=True)
    (ours / "formats" / "one.fmt").touch()
    outside.touch()
    (ours / "link").symlink_to(outside)
    os.link(outside, ours / "twin")
    (ours / "others").touch()
    os.chown(ours / "others", 1234, 1234)
    prepare(ours, ACCOUNT, is_ours=True)
    given = [ours, ours / "formats", ours / "formats" / "one.fmt"]
    assert {path.stat().st_uid for path in given} == {51_999}
    assert (outside.stat().st_uid, (ours / "link").lstat().st_uid) == (0, 0)
    assert (ours / "others").stat().st_uid == 1234


def test_ours_that_others_can_change_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours").chmod(0o777)
    prepare(tmp_path / "ours", ACCOUNT, is_ours=True)
    assert (tmp_path / "ours").stat().st_uid == 0


def test_a_service_that_stays_root_has_its_folder_back(tmp_path: Path) -> None:
    (tmp_path / "ours" / "formats").mkdir(parents=True)
    prepare(tmp_path / "ours", ACCOUNT, is_ours=True)
    prepare(tmp_path / "ours", UserAccount(0, 0), is_ours=True)
    assert {path.stat().st_uid for path in (tmp_path / "ours", tmp_path / "ours" / "formats")} == {0}


def test_no_other_user_is_given_what_a_user_has_made(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    prepare(tmp_path / "ours", ACCOUNT, is_ours=True)
    prepare(tmp_path / "ours", UserAccount(51_998, 51_998), is_ours=True)
    assert (tmp_path / "ours").stat().st_uid == 51_999


def test_one_that_cannot_be_made_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    prepare(tmp_path / "file" / "folder", ACCOUNT, is_ours=False)
