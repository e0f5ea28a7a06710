"""Who follows a program counts its processes and threads, and kills all of them with one too many."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from i2s_chassis.jail import follow, processes
from own_child import in_a_child

_LIMIT = 6


def _follow(program: Callable[[], None]) -> tuple[follow.Fate, int]:
    """Return what became of a program, and how many of its processes are alive in the end."""
    if not follow.possible():
        pytest.skip("processes cannot be traced here")

    def keep() -> bytes:
        read, write = os.pipe()
        tracer = os.fork()
        if tracer == 0:
            with contextlib.suppress(BaseException):
                inner = follow.start()
                if inner == 0:
                    os.close(write)
                    program()
                    os._exit(0)
                os.write(write, follow.until_the_end(inner, _LIMIT, os.getppid()).to_bytes())
            os._exit(0)
        os.close(write)
        os.waitpid(tracer, 0)
        fate = os.read(read, 100)
        deadline = time.monotonic() + 60
        while (alive := _alive_below(os.getpid())) and time.monotonic() < deadline:
            time.sleep(0.01)
        return fate + b" %d" % alive

    *fate, alive = in_a_child(keep).split()
    return follow.Fate.from_bytes(b" ".join(fate)), int(alive)


def _alive_below(pid: int) -> int:
    return sum(processes.is_alive(below) for below in processes.descendants(pid))


def _sleepers(number: int) -> None:
    for _ in range(number):
        if os.fork() == 0:
            signal.pause()


def test_exit_code_and_signal_are_told() -> None:
    fate, _ = _follow(lambda: os._exit(7))
    assert os.waitstatus_to_exitcode(fate.status) == 7
    fate, _ = _follow(lambda: os.kill(os.getpid(), signal.SIGUSR1))
    assert os.waitstatus_to_exitcode(fate.status) == -signal.SIGUSR1


def test_the_limit_may_be_reached() -> None:
    fate, alive = _follow(lambda: _sleepers(_LIMIT - 1))
    assert (fate.status, fate.too_many, alive) == (0, False, 0)


def test_what_is_left_is_told_and_killed() -> None:
    fate, alive = _follow(lambda: _sleepers(3))
    assert (fate.left, alive) == (3, 0)


def test_one_too_many_is_the_end_of_all() -> None:
    fate, alive = _follow(lambda: _sleepers(_LIMIT))
    assert fate.too_many
    assert alive == 0


def test_threads_count() -> None:
    def program() -> None:
        for _ in range(_LIMIT):
            threading.Thread(target=signal.pause, daemon=True).start()

    assert _follow(program)[0].too_many


def test_a_process_that_nobody_waits_for_counts() -> None:
    def program() -> None:
        for _ in range(_LIMIT):
            if os.fork() == 0:
                os._exit(0)

    assert _follow(program)[0].too_many


@pytest.mark.slow
def test_processes_one_after_the_other_do_not_count_together() -> None:
    def program() -> None:
        for _ in range(5 * _LIMIT):
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)

    fate, _ = _follow(program)
    assert (fate.status, fate.too_many) == (0, False)


@pytest.mark.slow
def test_orphans_that_have_ended_do_not_count() -> None:
    def program() -> None:
        for _ in range(5 * _LIMIT):
            child = os.fork()
            if child == 0:
                if os.fork() == 0:
                    os._exit(0)
                os._exit(0)
            os.waitpid(child, 0)
            while _alive_below(os.getppid()) > 2:  # the tracer is one of them
                time.sleep(0.001)

    fate, _ = _follow(program)
    assert (fate.status, fate.too_many) == (0, False)


def test_fate_survives_the_pipe() -> None:
    for fate in (follow.Fate(256, left=3), follow.Fate(9, too_many=True)):
        assert follow.Fate.from_bytes(fate.to_bytes()) == fate
    assert follow.Fate.from_bytes(b"") == follow.Fate(signal.SIGKILL)


def test_a_child_of_one_that_died_during_a_walk_is_met_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    walks = iter([[7], [8]])  # 7 had started 8, which its grandparent, visited before, inherited
    monkeypatch.setattr(processes, "descendants", lambda pid: next(walks))
    lives = {8: processes.Process(8, 1, 4096, 0.0, 0.0)}
    monkeypatch.setattr(processes, "look_at", lives.get)
    assert follow._Job(1, frozenset()).living() == 1
