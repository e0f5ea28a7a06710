"""CPU time is counted whoever used it: the living, their dead children, and what was left to us."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from i2s_chassis.jail import processes
from i2s_chassis.jail.account import (
    CountedBound,
    FollowedBound,
    GroupBound,
    MemoryKills,
    RunAccount,
    SharedOnce,
)
from i2s_chassis.jail.cgroup import ControlGroup, Hierarchy
from i2s_chassis.jail.follow import Fate
from i2s_chassis.jail.model import Cause
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


def test_new_peaks_begin_where_they_are_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    # Not real children: the fork handlers of gRPC, if an earlier test has used it, give each of them threads.
    both = {pid: Process(pid, 1, 4096 * pid, 0.0, 0.0) for pid in (10, 20)}
    monkeypatch.setattr(processes, "look_at", both.get)
    account = RunAccount(None, frozenset())
    account.look([10, 20])
    account.begin_new_peaks()
    account.look([10])
    since, whole = account.usage(1.0, 0.0), account.total(1.0, 0.0)
    assert (since.peak_processes, whole.peak_processes) == (1, 2)
    assert (since.peak_memory_bytes, whole.peak_memory_bytes) == (4096 * 10, 4096 * 30)


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


LIMIT = 134217728
#: memory.events of Linux 6.1: a group before anything happened.
QUIET = {"low": 0, "high": 0, "max": 0, "oom": 0, "oom_kill": 0, "oom_group_kill": 0}
#: What its own limit does to it.
OWN_LIMIT = {**QUIET, "max": 68, "oom": 1, "oom_kill": 1}
#: What the limit of the group above, or a machine without free memory, does to it.
OUTSIDE = {**QUIET, "oom_kill": 1}
#: The group reached its limit and got memory back from the cache of files; then it was killed from outside.
FULL_OF_CACHE = {**QUIET, "max": 900, "oom_kill": 1}


class Version2:
    """A group of version 2, whose files a test writes."""

    def __init__(self, folder: Path) -> None:
        self.group = ControlGroup(Hierarchy(2, folder, folder, None), "job", memory_bytes=LIMIT, processes=9)
        self._folder = folder / "job"

    def has(self, events: dict[str, int], local: dict[str, int] | None = None) -> None:
        self._write("memory.events", events)
        if local is not None:
            self._write("memory.events.local", local)

    def _write(self, file: str, events: dict[str, int]) -> None:
        (self._folder / file).write_text("".join(f"{name} {count}\n" for name, count in events.items()))


class Version1:
    """A group of version 1, whose files a test writes."""

    def __init__(self, folder: Path) -> None:
        self.group = ControlGroup(Hierarchy(1, folder, folder, None), "job", memory_bytes=LIMIT, processes=9)
        self._folder = folder / "job"

    def has(self, *, kills: int, failures: int, peak_bytes: int) -> None:
        control = f"oom_kill_disable 0\nunder_oom 0\noom_kill {kills}\n"
        (self._folder / "memory.oom_control").write_text(control)
        (self._folder / "memory.failcnt").write_text(f"{failures}\n")
        (self._folder / "memory.max_usage_in_bytes").write_text(f"{peak_bytes}\n")


@pytest.fixture
def version_2(tmp_path: Path) -> Version2:
    return Version2(tmp_path)


@pytest.fixture
def version_1(tmp_path: Path) -> Version1:
    return Version1(tmp_path)


def test_without_a_group_nothing_is_known() -> None:
    kills = MemoryKills(None)
    kills.begin_anew()
    assert kills.cause() is None


@pytest.mark.parametrize("local", [True, False], ids=["with memory.events.local", "without it"])
@pytest.mark.parametrize(
    ("then", "cause"),
    [
        (QUIET, None),
        ({**QUIET, "max": 900}, None),
        (OWN_LIMIT, Cause.MEMORY_LIMIT),
        (OUTSIDE, Cause.KILLED),
        (FULL_OF_CACHE, Cause.KILLED),
    ],
)
def test_version_2_counts_where_the_limit_was_reached(
    version_2: Version2, then: dict[str, int], cause: Cause | None, local: bool
) -> None:
    version_2.has(QUIET, QUIET if local else None)
    kills = MemoryKills(version_2.group)
    version_2.has(then, then if local else None)
    assert kills.cause() is cause


def test_a_limit_below_the_group_of_version_2_is_not_that_of_the_job(version_2: Version2) -> None:
    version_2.has(QUIET, QUIET)
    kills = MemoryKills(version_2.group)
    version_2.has(OWN_LIMIT, QUIET)
    assert kills.cause() is Cause.KILLED


@pytest.mark.parametrize(
    ("kills", "failures", "peak_bytes", "cause"),
    [
        (0, 0, 1 << 20, None),
        (0, 900, LIMIT, None),  # the cache of files was given back
        (1, 68, LIMIT, Cause.MEMORY_LIMIT),
        (1, 17, LIMIT - 3 * 4096, Cause.MEMORY_LIMIT),
        (1, 0, 67_108_864, Cause.KILLED),
        (1, 1, 67_108_864, Cause.KILLED),  # a huge page was refused, far from the limit
        (1, 0, LIMIT, Cause.KILLED),  # as much as it may have, of which nothing was refused
    ],
)
def test_version_1_counts_refusals_and_has_the_peak(
    version_1: Version1, kills: int, failures: int, peak_bytes: int, cause: Cause | None
) -> None:
    version_1.has(kills=0, failures=0, peak_bytes=0)
    memory_kills = MemoryKills(version_1.group)
    version_1.has(kills=kills, failures=failures, peak_bytes=peak_bytes)
    assert memory_kills.cause() is cause


def test_what_an_earlier_run_met_does_not_count(version_1: Version1) -> None:
    version_1.has(kills=1, failures=68, peak_bytes=LIMIT)
    kills = MemoryKills(version_1.group)
    assert kills.cause() is None
    version_1.has(kills=2, failures=68, peak_bytes=LIMIT)
    assert kills.cause() is Cause.KILLED
    version_1.has(kills=2, failures=90, peak_bytes=LIMIT)
    assert kills.cause() is Cause.MEMORY_LIMIT


def test_a_job_of_a_program_that_stays_does_not_answer_for_an_earlier_one(version_1: Version1) -> None:
    version_1.has(kills=0, failures=0, peak_bytes=0)
    kills = MemoryKills(version_1.group)
    version_1.has(kills=0, failures=900, peak_bytes=LIMIT)
    kills.begin_anew()
    version_1.has(kills=1, failures=900, peak_bytes=LIMIT)
    assert kills.cause() is Cause.KILLED


def test_a_kill_before_the_next_job_is_not_forgotten(version_1: Version1) -> None:
    version_1.has(kills=0, failures=0, peak_bytes=0)
    kills = MemoryKills(version_1.group)
    version_1.has(kills=1, failures=68, peak_bytes=LIMIT)
    kills.begin_anew()
    assert kills.cause() is Cause.MEMORY_LIMIT


@dataclass
class Group:
    refused: int

    def refused_forks(self) -> int:
        return self.refused


def test_a_group_reports_what_it_has_refused_since_the_run_began() -> None:
    group = Group(3)
    bound = GroupBound(group)  # type: ignore[arg-type]
    assert not bound.is_met(1000)
    group.refused += 1
    assert bound.is_met(1)


def test_a_followed_job_has_met_its_bound_if_it_was_killed_for_that() -> None:
    bound = FollowedBound()
    assert not bound.is_met(1000)
    bound.ended(Fate(signal.SIGKILL))
    assert not bound.is_met(1000)
    bound.ended(Fate(signal.SIGKILL, too_many=True))
    assert bound.is_met(1)


def test_without_either_as_many_as_permitted_are_taken_for_too_many() -> None:
    bound = CountedBound(5)
    bound.ended(Fate(signal.SIGKILL, too_many=True))
    assert (bound.is_met(4), bound.is_met(5)) == (False, True)
