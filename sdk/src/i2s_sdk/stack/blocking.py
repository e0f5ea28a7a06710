"""Coroutines for callers that are none."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

A = TypeVar("A")

_notify: Callable[[], None] | None = None


@contextmanager
def at_interrupt(notify: Callable[[], None]) -> Iterator[None]:
    """Have something called at each Ctrl-C that comes while ``run_blocking`` works within the block.

    Args:
        notify: Called in the main thread, before the work is cancelled; must return at once.
    """
    global _notify  # noqa: PLW0603 - there is one Ctrl-C in a process
    before, _notify = _notify, notify
    try:
        yield
    finally:
        _notify = before


def run_blocking(work: Coroutine[Any, Any, A]) -> A:
    """Run a coroutine to its end and return what it returns.

    It gets an event loop of its own. Where one runs already in this thread, as in a notebook, that is in
    another thread. Ctrl-C cancels the work, which ends what it started, before KeyboardInterrupt is raised.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_notifying(work))
    cancel: Future[asyncio.Task[A]] = Future()

    async def announced() -> A:
        task = asyncio.create_task(work)
        cancel.set_result(task)
        return await task

    with ThreadPoolExecutor(1, thread_name_prefix="i2s") as thread:
        done = thread.submit(asyncio.run, announced())
        try:
            return done.result()
        except KeyboardInterrupt:
            task = cancel.result()
            task.get_loop().call_soon_threadsafe(task.cancel)
            raise


async def _notifying(work: Coroutine[Any, Any, A]) -> A:
    """Do the work; a Ctrl-C is passed on to the handler of asyncio, which cancels it."""
    before = signal.getsignal(signal.SIGINT)
    if _notify is None or not callable(before) or threading.current_thread() is not threading.main_thread():
        return await work
    notify, cancel = _notify, before

    def interrupted(number: int, frame: FrameType | None) -> Any:  # noqa: ANN401 - as signal has it
        notify()
        return cancel(number, frame)

    signal.signal(signal.SIGINT, interrupted)
    try:
        return await work
    finally:
        signal.signal(signal.SIGINT, before)
