"""Folders that all users may write to are found, and closed to others alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_chassis.jail import escape

MOUNTS = """10 10 0:10 / / rw - overlay none rw
13 10 0:12 / /proc rw - proc none rw
14 10 0:13 / /proc/sys ro - proc none ro
15 10 0:14 / /sys ro - sysfs none ro
16 10 0:15 / /cache rw - tmpfs none rw
"""


def test_the_usual_folders_and_what_is_mounted_are_looked_at() -> None:
    assert escape.shared_folders(MOUNTS) == ["/", "/cache", "/dev/shm", "/tmp", "/var/tmp"]


def test_the_right_to_write_is_taken_from_others_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, closed, file = tmp_path / "open", tmp_path / "closed", tmp_path / "file"
    opened.mkdir()
    opened.chmod(0o1777)
    closed.mkdir()
    closed.chmod(0o750)
    file.touch()
    file.chmod(0o666)
    link = tmp_path / "link"
    link.symlink_to(opened)
    found = [str(opened), str(closed), str(file), str(tmp_path / "missing")]
    monkeypatch.setattr(escape, "shared_folders", lambda _: found)
    escape.close_shared_folders()
    assert opened.stat().st_mode & 0o7777 == 0o1775
    assert closed.stat().st_mode & 0o7777 == 0o750
    assert file.stat().st_mode & 0o777 == 0o666


def test_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.mkdir()
    target.chmod(0o777)
    link.symlink_to(target)
    monkeypatch.setattr(escape, "shared_folders", lambda _: [str(link)])
    escape.close_shared_folders()
    assert target.stat().st_mode & 0o777 == 0o777
