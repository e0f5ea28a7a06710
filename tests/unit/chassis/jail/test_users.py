"""The users of jobs: each has one cell at a time, also where several services share a host."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from i2s_chassis.jail import CellError
from i2s_chassis.jail.users import Users

TAKE_ONE_AND_WAIT = """
import sys
from pathlib import Path
from i2s_chassis.jail.users import Users
users = Users(52_000, 4, Path(sys.argv[1]))
print(users.take(), flush=True)
sys.stdin.read()
"""


def test_each_id_is_taken_once(tmp_path: Path) -> None:
    users = Users(52_000, 3, tmp_path / "leases")
    assert {users.take() for _ in range(3)} == {52_000, 52_001, 52_002}
    with pytest.raises(CellError, match="raise uid_count"):
        users.take()


def test_an_id_given_back_rests_before_it_is_taken_again(tmp_path: Path) -> None:
    users = Users(52_000, 3, tmp_path / "leases")
    users.give_back(users.take())
    assert [users.take() for _ in range(3)] == [52_001, 52_002, 52_000]


def test_two_of_one_host_never_share_an_id(tmp_path: Path) -> None:
    one, other = (Users(52_000, 4, tmp_path / "leases") for _ in range(2))
    taken = [users.take() for users in (one, other, one, other)]
    assert len(set(taken)) == 4
    with pytest.raises(CellError):
        other.take()


def test_a_killed_process_gives_its_ids_back(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TAKE_ONE_AND_WAIT, str(tmp_path / "leases")]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    theirs = int(other.stdout.readline())
    users = Users(52_000, 4, tmp_path / "leases")
    ours = [users.take() for _ in range(3)]
    assert theirs not in ours
    other.kill()
    other.communicate()
    assert users.take() == theirs


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_that_others_can_change_is_not_trusted(tmp_path: Path) -> None:
    leases = tmp_path / "leases"
    leases.mkdir()
    os.chown(leases, 65_534, 65_534)
    assert Users(52_000, 1, leases).take() == 52_000
    assert not list(leases.iterdir())


def test_without_a_folder_ids_are_told_apart_within_the_process(tmp_path: Path) -> None:
    users = Users(52_000, 2, tmp_path / "missing" / "leases")
    assert {users.take(), users.take()} == {52_000, 52_001}
