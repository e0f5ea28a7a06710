"""CPU time is counted whoever used it: the living, their dead children, and what was left to us."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from i2s_chassis.jail import processes
from i2s_chassis.jail.account import RunAccount, SharedOnce
from i2s_chassis.jail.processes import Process
from own_child import apart

_WORK = 0.15


def _work(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def _child(act: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            act()
        finally:
            os._exit(0)
    return pid


def _sleep() -> None:
    signal.pause()


def _tree() -> list[int]:
    return processes.descendants(os.getpid())


def _counted_at_least(account: RunAccount, seconds: float) -> bool:
    """Look until so much is counted; a time-out of the test ends it if that never happens."""
    while account.cpu_seconds < seconds:
        account.look(_tree())
        time.sleep(0.01)
    return True


@apart
def test_children_that_a_living_process_has_reaped_count() -> None:
    account = RunAccount(None, frozenset())

    def parent() -> None:
        os.waitpid(_child(lambda: _work(_WORK)), 0)
        _sleep()

    _child(parent)
    assert _counted_at_least(account, 0.9 * _WORK)


@apart
def test_zombies_count() -> None:
    account = RunAccount(None, frozenset())

    def parent() -> None:
        _child(lambda: _work(_WORK))
        _sleep()

    _child(parent)
    assert _counted_at_least(account, 0.9 * _WORK)


@apart
def test_what_we_have_reaped_counts_and_what_was_before_does_not() -> None:
    os.waitpid(_child(lambda: _work(_WORK)), 0)
    account = RunAccount(None, frozenset())
    account.look([])
    assert account.cpu_seconds == 0
    os.waitpid(_child(lambda: _work(_WORK)), 0)
    account.look([])
    assert account.cpu_seconds >= 0.9 * _WORK


@apart
def test_what_an_earlier_run_has_left_does_not_count() -> None:
    def parent() -> None:
        os.waitpid(_child(lambda: _work(_WORK)), 0)

    dead = _child(parent)
    os.waitid(os.P_PID, dead, os.WEXITED | os.WNOWAIT)  # and leave it a zombie
    account = RunAccount(None, frozenset(), there=_tree())
    account.look(_tree())
    assert account.cpu_seconds == 0
    os.waitpid(dead, 0)
    account.look(_tree())
    assert account.cpu_seconds < 0.5 * _WORK  # the kernel rounds each of these times by itself
    _child(lambda: (_work(_WORK), _sleep())[1])
    assert _counted_at_least(account, 0.9 * _WORK)


@pytest.mark.slow
@apart
def test_scaffolding_does_not_count_but_what_it_reaps_does() -> None:
    def parent() -> None:
        _work(3 * _WORK)
        os.waitpid(_child(lambda: _work(_WORK)), 0)
        _sleep()

    account = RunAccount(None, frozenset({_child(parent)}))
    assert _counted_at_least(account, 0.9 * _WORK)
    assert account.cpu_seconds < 2.5 * _WORK


@apart
def test_new_peaks_begin_where_they_are_told_to() -> None:
    account = RunAccount(None, frozenset())
    children = [_child(_sleep), _child(_sleep)]
    account.look(children)
    account.begin_new_peaks()
    account.look(children[:1])
    assert account.usage(1.0, 0.0).peak_processes == 1
    assert account.total(1.0, 0.0).peak_processes == 2


def test_processes_that_are_held_at_their_birth_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = {pid: Process(pid, 1, 0, 0.0, 0.0) for pid in range(10, 40)}
    monkeypatch.setattr(processes, "look_at", crowd.get)
    account = RunAccount(None, frozenset(), most_processes=17)
    account.look(list(crowd))
    assert account.total(1.0, 0.0).peak_processes == 17


def _family() -> list[int]:
    """Return children of this process that share all of their memory."""
    return [_child(_sleep) for _ in range(4)]


def _added_up(job: list[Process]) -> int:
    return sum(process.resident_bytes for process in job)


@apart
def test_what_forks_of_a_process_share_counts_once_above_the_bound() -> None:
    account = RunAccount(None, frozenset(), forks=True)
    job = account.look(_family())
    assert account.memory_bytes == _added_up(job)
    assert account.memory_above(_added_up(job), job) == _added_up(job)
    assert account.memory_above(_added_up(job) - 1, job) < _added_up(job) / 3


@apart
def test_what_processes_of_a_large_program_share_counts_once_where_no_group_counts_it() -> None:
    account = RunAccount(None, frozenset(), many_share=True)
    job = account.look(_family())
    assert 0 < account.memory_bytes < _added_up(job) / 3
    assert account.usage(1.0, 0.0).peak_memory_bytes == account.memory_bytes


def test_shared_memory_is_measured_only_where_it_may_have_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def proportional(process: Process) -> int:
        asked.append(process.pid)
        return process.resident_bytes // 2

    monkeypatch.setattr(processes, "proportional_bytes", proportional)
    measured = SharedOnce()

    def measure(*resident: int, above: int) -> int:
        asked.clear()
        return measured.measure([Process(n, 1, of_one, 0.0, 0.0) for n, of_one in enumerate(resident)], above)

    assert (measure(100, 300, above=0), asked) == (200, [0, 1])
    assert (measure(100, 300, above=200), asked) == (200, [])
    assert (measure(150, 250, above=250), asked) == (250, [])  # at most so much
    assert (measure(150, 250, above=249), asked) == (200, [0, 1])
    assert (measure(150, 250, 100, above=250), asked) == (250, [0, 1, 2])
    assert (measure(10, above=250), asked) == (250, [])
