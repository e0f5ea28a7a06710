"""Work in threads of which nothing may be left when its caller goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
A = TypeVar("A")


async def to_thread_until_done(work: Callable[P, A], *args: P.args, **kwargs: P.kwargs) -> A:
    """Run a function in a thread, as ``asyncio.to_thread`` does, but never leave it behind.

    If this task is cancelled meanwhile, the function still runs to its end before the cancellation goes on: a
    thread cannot be stopped, and a file that it writes must not appear in a folder that is being removed.

    Args:
        work: A function that takes moments, and ends by itself.
        args: Positional arguments of the function.
        kwargs: Keyword arguments of the function.

    Raises:
        Exception: What the function raised.
    """
    working = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        while not working.done():
            try:
                await asyncio.wait({working})
            except asyncio.CancelledError:  # again; it changes nothing
                continue
        if not working.cancelled():
            working.exception()  # of work that nobody waits for any more
        raise
