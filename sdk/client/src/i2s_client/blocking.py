"""Streams for callers that are no coroutines."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import TypeVar

A = TypeVar("A")


def iterate_blocking(open_items: Callable[[], AsyncGenerator[A, None]]) -> Iterator[A]:
    """Yield the items of an asynchronous generator, which lives on a thread of its own.

    It advances only while the caller waits for the next item, so it works if an event loop runs already,
    and ends when this iterator does.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="i2s-stream", daemon=True)
    thread.start()
    items = open_items()

    async def following() -> tuple[A, ...]:
        async for item in items:
            return (item,)
        return ()

    try:
        while found := asyncio.run_coroutine_threadsafe(following(), loop).result():
            yield found[0]
    finally:
        asyncio.run_coroutine_threadsafe(items.aclose(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
