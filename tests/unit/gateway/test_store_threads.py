"""Calls of a store that hangs keep only their own callers waiting."""

from __future__ import annotations

import threading

import pytest

from i2s_gateway.store_threads import StoreThreads


def test_results_and_errors_are_those_of_the_calls() -> None:
    threads = StoreThreads(2)
    assert [one.result(30) for one in [threads.submit(lambda n=n: n * n) for n in range(20)]] == [
        n * n for n in range(20)
    ]
    with pytest.raises(ZeroDivisionError):
        threads.submit(lambda: 1 // 0).result(30)


def test_a_call_that_hangs_leaves_the_other_threads_and_what_has_not_begun_can_be_cancelled() -> None:
    threads, hangs, begun = StoreThreads(2), threading.Event(), threading.Semaphore(0)

    def hang() -> bool:
        begun.release()
        return hangs.wait(30)

    first = threads.submit(hang)
    assert threads.submit(lambda: "other").result(30) == "other"
    second = threads.submit(hang)
    assert begun.acquire(timeout=30)
    assert begun.acquire(timeout=30)
    third = threads.submit(lambda: "never")
    assert third.cancel()
    hangs.set()
    assert (first.result(30), second.result(30)) == (True, True)
    assert threads.submit(lambda: "later").result(30) == "later"


def test_the_end_of_the_process_waits_for_no_call() -> None:
    daemon = StoreThreads(1).submit(lambda: threading.current_thread().daemon)
    assert daemon.result(30)
