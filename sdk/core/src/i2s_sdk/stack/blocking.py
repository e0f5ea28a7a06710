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
_cancel: Callable[[], None] | None = None


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

    It gets an event loop of its own. If one runs already in this thread, as in a notebook, that is in
    another thread. Ctrl-C cancels the work, which ends what it started, before KeyboardInterrupt is raised.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
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


def interrupt_work() -> bool:
    """Cancel what ``run_blocking`` does in the main thread, as Ctrl-C does; for a handler of another signal.

    ``run_blocking`` raises KeyboardInterrupt once the work has ended. A handler that raised it would lose it
    where it happens to run: callbacks of C code, for example, drop exceptions.

    Returns:
        Whether something was at work.

    Raises:
        KeyboardInterrupt: The work is being cancelled already; as at the second Ctrl-C.
    """
    if _cancel is None:
        return False
    _cancel()
    return True


def _run(work: Coroutine[Any, Any, A]) -> A:
    """Run a coroutine in an event loop of its own, in this thread."""
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(work)
    interruption = threading.Event()
    try:
        return asyncio.run(_interruptible(work, interruption))
    except asyncio.CancelledError:
        if interruption.is_set():
            raise KeyboardInterrupt from None
        raise


async def _interruptible(work: Coroutine[Any, Any, A], interruption: threading.Event) -> A:
    """Do the work; Ctrl-C is passed on to the handler of asyncio, which cancels it.

    Args:
        work: Coroutine that is run.
        interruption: Set when ``interrupt_work`` has cancelled it.
    """
    global _cancel  # noqa: PLW0603 - the main thread runs one event loop
    notify = _notify or (lambda: None)
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def cancel() -> None:
        notify()
        if interruption.is_set():
            raise KeyboardInterrupt
        interruption.set()
        loop.call_soon_threadsafe(task.cancel)

    on_interrupt = signal.getsignal(signal.SIGINT)

    def interrupted(number: int, frame: FrameType | None) -> Any:  # noqa: ANN401 - as signal has it
        notify()
        return on_interrupt(number, frame) if callable(on_interrupt) else None

    _cancel = cancel
    if callable(on_interrupt):
        signal.signal(signal.SIGINT, interrupted)
    try:
        return await work
    finally:
        _cancel = None
        if callable(on_interrupt):
            signal.signal(signal.SIGINT, on_interrupt)
