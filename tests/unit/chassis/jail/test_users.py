"""The users of jobs: each has one cell at a time, also where several services share a host."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from i2s_chassis.jail import CellError, processes, users
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


UID, MOST = 58_000 + os.getpid() % 1000, 48  # those of another run may still wait to be reaped
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs processes of another user: root")


def start(program: str) -> int:
    """Start a shell as the user; returns its pid once it has said that it is up."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(write, 1)
        resource.setrlimit(resource.RLIMIT_NPROC, (MOST, MOST))  # whatever goes wrong in a test
        os.setgroups(())
        os.setresgid(UID, UID, UID)
        os.setresuid(UID, UID, UID)
        os.execv("/bin/sh", ["sh", "-c", program])
    os.close(write)
    assert os.read(read, 2) == b"up"
    os.close(read)
    return pid


def alive() -> list[int]:
    return [pid for pid in users.pids_of_user(UID) if processes.is_alive(pid)]


def test_nobody_is_found_where_nobody_is() -> None:
    assert alive() == []
    assert users.kill_user(UID) == 0


def test_those_that_left_their_parents_are_killed_too() -> None:
    program = start("(setsid sh -c 'trap \"\" TERM HUP; echo up; sleep 60; sleep 60' &); sleep 60")
    assert len(alive()) >= 2
    assert users.kill_user(UID, program) >= 2
    assert alive() == []
    assert os.waitpid(program, 0)[1] == signal.SIGKILL  # it was left for us


def test_a_user_is_used_as_long_as_a_process_lives() -> None:
    program = start("echo up; sleep 60")
    assert users.has_processes(UID)
    users.kill_user(UID, program)
    assert not users.has_processes(UID)
    os.waitpid(program, 0)


def test_ours_that_have_ended_are_reaped() -> None:
    ended = start("echo up")
    os.waitid(os.P_PID, ended, os.WEXITED | os.WNOWAIT)
    users.reap_user(UID, ended)
    assert ended in users.pids_of_user(UID)
    users.reap_user(UID)
    assert ended not in users.pids_of_user(UID)


def test_processes_of_others_live_on() -> None:
    bystander = os.fork()
    if bystander == 0:
        time.sleep(60)
        os._exit(0)
    program = start("echo up; sleep 60")
    users.kill_user(UID)
    assert processes.is_alive(bystander)
    assert processes.look_at(program) is None
    os.kill(bystander, signal.SIGKILL)
    os.waitpid(bystander, 0)


def test_a_bomb_ends() -> None:
    """Last: what it leaves counts for the user until the first process of all has reaped it."""
    bomb = start("echo up; while :; do sleep 60 & done 2>/dev/null")
    assert users.kill_user(UID, bomb) <= MOST
    assert alive() == []
    os.waitpid(bomb, 0)
