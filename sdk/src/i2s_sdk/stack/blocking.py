"""Coroutines for callers that are none."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

A = TypeVar("A")


def run_blocking(work: Coroutine[Any, Any, A]) -> A:
    """Run a coroutine to its end and return what it returns.

    It gets an event loop of its own. Where one runs already in this thread, as in a notebook, that is in
    another thread. Ctrl-C cancels the work, which ends what it started, before KeyboardInterrupt is raised.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
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
