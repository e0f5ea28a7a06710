"""Threads for calls of a store that may hang."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

A = TypeVar("A")


class StoreThreads:
    """Threads in which a store is called, so that one that hangs keeps only its own callers waiting.

    Those of asyncio are few, do other work too, and are waited for at the end of the process. These do
    nothing else, the process ends without them, and they end when there is nothing to do.

    Args:
        most: Calls that are under way at a time; others wait for them.
    """

    def __init__(self, most: int) -> None:
        self._most, self._threads = most, 0
        self._lock = threading.Lock()
        self._waiting: deque[Callable[[], None]] = deque()

    def submit(self, work: Callable[[], A]) -> Future[A]:
        """Return the future result of a call. One that has not begun can be cancelled."""
        future: Future[A] = Future()
        with self._lock:
            self._waiting.append(lambda: _run(work, future))
            if self._threads == self._most:
                return future
            self._threads += 1
        threading.Thread(target=self._work, name="store", daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads -= 1
                    return
                run = self._waiting.popleft()
            run()


def _run(work: Callable[[], A], future: Future[A]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # it is raised where the result is asked for
        future.set_exception(error)
    else:
        future.set_result(result)
