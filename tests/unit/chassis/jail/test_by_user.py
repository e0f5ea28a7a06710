"""All processes of a user are found and killed, whosever children they are."""

from __future__ import annotations

import os
import resource
import signal
import time

import pytest

from i2s_chassis.jail import by_user, processes

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
    return [pid for pid in by_user.pids(UID) if processes.is_alive(pid)]


def test_nobody_is_found_where_nobody_is() -> None:
    assert alive() == []
    assert by_user.kill(UID) == 0


def test_those_that_left_their_parents_are_killed_too() -> None:
    program = start("(setsid sh -c 'trap \"\" TERM HUP; echo up; sleep 60; sleep 60' &); sleep 60")
    assert len(alive()) >= 2
    assert by_user.kill(UID, program) >= 2
    assert alive() == []
    assert os.waitpid(program, 0)[1] == signal.SIGKILL  # it was left for us


def test_a_user_is_used_as_long_as_a_process_lives() -> None:
    program = start("echo up; sleep 60")
    assert by_user.is_used(UID)
    by_user.kill(UID, program)
    assert not by_user.is_used(UID)
    os.waitpid(program, 0)


def test_ours_that_have_ended_are_reaped() -> None:
    ended = start("echo up")
    os.waitid(os.P_PID, ended, os.WEXITED | os.WNOWAIT)
    by_user.reap(UID, ended)
    assert ended in by_user.pids(UID)
    by_user.reap(UID)
    assert ended not in by_user.pids(UID)


def test_processes_of_others_live_on() -> None:
    bystander = os.fork()
    if bystander == 0:
        time.sleep(60)
        os._exit(0)
    program = start("echo up; sleep 60")
    by_user.kill(UID)
    assert processes.is_alive(bystander)
    assert processes.look_at(program) is None
    os.kill(bystander, signal.SIGKILL)
    os.waitpid(bystander, 0)


def test_a_bomb_ends() -> None:
    """Last: what it leaves counts for the user until the first process of all has reaped it."""
    bomb = start("echo up; while :; do sleep 60 & done 2>/dev/null")
    assert by_user.kill(UID, bomb) <= MOST
    assert alive() == []
    os.waitpid(bomb, 0)
