"""What counts against a limit on wall time."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.jail import clock as module
from i2s_chassis.jail.clock import Clock, Covered, Scheduled

_SECOND = 1_000_000_000


class _Threads:
    """The threads of a job, as the kernel would tell of them."""

    def __init__(self) -> None:
        self.now: dict[str, Scheduled] = {}
        self.ready: set[str] = set()

    def set(self, name: str, *, ran: float = 0.0, waited: float = 0.0, times: int = 0) -> None:
        self.now[name] = Scheduled(round(ran * _SECOND), round(waited * _SECOND), times)


def _process(number: int, thread: int = 0) -> str:
    return f"/proc/{number}/task/{number + thread}"


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> _Threads:
    found = _Threads()
    monkeypatch.setattr(module, "_threads", lambda _: found.now.items())
    monkeypatch.setattr(module, "_is_ready", lambda name: name in found.ready)
    return found


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> _Threads:
    """The first threads of those who answer the job."""
    found = _Threads()
    monkeypatch.setattr(module, "_first_threads", lambda pids: found.now.items() if pids else ())
    return found


def test_time_in_which_a_job_sleeps_counts(threads: _Threads) -> None:
    clock = Clock(100.0)
    threads.set("a", ran=0.01, times=1)
    clock.look([1], 101.0)
    clock.look([1], 102.0)
    assert clock.seconds(103.0) == 3.0
    assert clock.waited_seconds == 0.0


def test_time_in_which_it_waits_for_a_processor_does_not(threads: _Threads) -> None:
    clock = Clock(100.0)
    threads.set("a", ran=0.25, waited=0.75, times=3)
    clock.look([1], 101.0)
    threads.set("a", ran=0.5, waited=1.5, times=6)
    clock.look([1], 102.0)
    assert clock.waited_seconds == 1.5
    assert clock.seconds(102.0) == 0.5


def test_one_that_waits_all_the_time_is_known_by_its_state(threads: _Threads) -> None:
    clock = Clock(100.0)
    threads.set("a", ran=0.1, times=1)
    clock.look([1], 101.0)
    threads.ready = {"a"}
    clock.look([1], 103.0)
    assert clock.waited_seconds == 2.0
    threads.set("a", ran=0.2, waited=2.5, times=2)  # which the kernel says once it has run
    clock.look([1], 103.6)
    assert clock.waited_seconds == pytest.approx(2.6)


def test_threads_of_a_process_that_wait_at_the_same_time_count_once(threads: _Threads) -> None:
    clock = Clock(100.0)
    for number in range(3):
        threads.set(_process(1, number), ran=0.1, waited=0.5, times=2)
    clock.look([1], 101.0)
    assert clock.waited_seconds == 0.5


def test_what_a_thread_waited_for_is_known_late_and_counts_all_the_same(threads: _Threads) -> None:
    clock = Clock(100.0)
    clock.look([1], 101.0)
    clock.look([1], 102.0)
    threads.set("a", ran=0.1, waited=1.5, times=1)
    clock.look([1], 102.0)
    assert clock.waited_seconds == 1.5


def test_nothing_before_the_start_counts(threads: _Threads) -> None:
    clock = Clock(100.0)
    threads.set("a", waited=50.0, times=1)
    clock.look([1], 101.0)
    assert clock.waited_seconds == 1.0


def test_many_threads_are_looked_at_less_often(threads: _Threads) -> None:
    clock = Clock(100.0)
    for number in range(20):
        threads.set(str(number), times=1)
    clock.look([1], 100.3)
    threads.set("0", waited=0.05, times=2)
    clock.look([1], 100.35)
    assert clock.waited_seconds == 0.0
    clock.look([1], 100.35, at_once=True)
    assert clock.waited_seconds == pytest.approx(0.05)


def test_time_in_which_who_answers_the_job_is_kept_waiting_does_not_count(
    threads: _Threads, answering: _Threads
) -> None:
    clock = Clock(100.0)
    threads.set("job", ran=0.1, times=1)
    answering.set("server", waited=50.0, times=9)  # before the job began
    clock.wait_for([7])
    answering.set("server", waited=50.8, times=12)
    clock.look([1], 101.0)
    assert clock.waited_seconds == pytest.approx(0.8)
    clock.wait_for([])
    clock.look([1], 102.0)
    assert clock.seconds(102.0) == pytest.approx(1.2)


def test_who_answers_one_job_after_the_other_is_counted_on(threads: _Threads, answering: _Threads) -> None:
    clock = Clock(100.0)
    for number in range(3):
        clock.wait_for([7])
        answering.set("server", waited=0.5 * (number + 1), times=number + 1)
        clock.look([1], 101.0 + number)
    assert clock.waited_seconds == pytest.approx(1.5)


def test_a_process_and_those_who_answer_it_wait_one_after_the_other(
    threads: _Threads, answering: _Threads
) -> None:
    clock = Clock(100.0)
    clock.wait_for([7, 8])
    threads.set(_process(1), waited=0.2, times=5)
    threads.set(_process(1, 1), waited=0.15, times=5)  # while the other thread of the process waited
    threads.set(_process(2), waited=0.1, times=5)
    threads.set(_process(3), waited=0.1, times=5)  # one more than can be in turns
    answering.set(_process(7), waited=0.3, times=5)
    answering.set(_process(8), waited=0.05, times=5)
    clock.look([1, 2, 3], 101.0)
    assert clock.waited_seconds == pytest.approx(0.2 + 0.1 + 0.3 + 0.05)


def test_processes_that_wait_one_after_the_other_wait_no_longer_than_from_look_to_look(
    threads: _Threads,
) -> None:
    clock = Clock(100.0)
    clock.look([1, 2], 101.0)
    for number in (1, 2):
        threads.set(_process(number), waited=0.7, times=5)
    clock.look([1, 2], 102.0)
    assert clock.seconds(102.0) == pytest.approx(1.0)


def test_processes_that_stop_the_clock_of_their_job_use_half_of_its_time_at_least(threads: _Threads) -> None:
    """They may be as many as they like: two of them must wait for half of the time, while others run."""
    clock = Clock(100.0)
    for number in range(50):
        threads.set(_process(1000 * (number + 1)), waited=0.05, times=5)
    clock.look(range(50), 101.0)
    assert clock.waited_seconds == pytest.approx(0.1)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=30))
def test_a_union_is_as_long_as_the_moments_in_it(pairs: list[tuple[int, int]]) -> None:
    covered, moments, end = Covered(), set(), 0
    for step, length in pairs:
        end += step
        covered.add(float(end - length), float(end))
        moments |= set(range(end - length, end))
    assert covered.seconds == len(moments)


def test_the_kernel_tells_of_this_process() -> None:
    clock = Clock(time.monotonic())
    clock.look([os.getpid()], time.monotonic())
    found = dict(module._threads([os.getpid()]))
    assert any(one.ran > 0 and one.times > 0 for one in found.values())


@pytest.mark.parametrize("look_every", [11, 31, 50, 70, 130])
def test_all_that_a_thread_waited_for_counts_whenever_it_is_looked_at(
    threads: _Threads, look_every: int
) -> None:
    """One that runs 4 ms and waits 35, then 75, while the kernel tells of a wait only once it is over."""
    clock, milliseconds, ran, waited, times = Clock(0.0), 0, 0.0, 0.0, 0
    threads.ready = {"a"}
    while milliseconds < 100_000:
        for wait in (35, 75):
            for step in range(1, wait + 5):
                if step == wait:
                    waited, times = waited + wait / 1000, times + 1
                ran += 0.001 if step > wait else 0.0
                milliseconds += 1
                threads.set("a", ran=ran, waited=waited, times=times)
                if milliseconds % look_every == 0:
                    clock.look([1], milliseconds / 1000)
    clock.look([1], milliseconds / 1000)
    assert clock.seconds(milliseconds / 1000) <= ran + 0.2
