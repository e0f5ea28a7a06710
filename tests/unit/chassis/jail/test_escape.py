"""Escape tests that something outside disturbs; folders that all users may write to are closed to others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from i2s_chassis.jail import Cell, CellError, CellLostError, Tier, escape
from i2s_chassis.job_limits import Limits

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


class _Killed:
    """A jail whose cells something outside kills so many times."""

    def __init__(self, times: int) -> None:
        self.times, self.opened = times, 0

    @asynccontextmanager
    async def cell(self, limits: Limits, *, readable: Sequence[Path]) -> AsyncIterator[Cell]:
        self.opened += 1
        if self.opened <= self.times:
            raise CellLostError("the supervisor of the cell is gone")
        raise CellError("this tier makes no cells here")
        yield


async def test_a_kill_during_the_tests_says_nothing_of_the_tier(tmp_path: Path) -> None:
    jail = _Killed(2)
    assert await escape.attempt(jail, Tier.LANDLOCK, tmp_path) == "this tier makes no cells here"
    assert jail.opened == 3


async def test_no_weaker_tier_is_taken_because_something_outside_kills_each_time(tmp_path: Path) -> None:
    with pytest.raises(CellLostError):
        await escape.attempt(_Killed(3), Tier.LANDLOCK, tmp_path)
