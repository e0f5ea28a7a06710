"""The services of this machine: all started at once, watched together, stopped at any end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from i2s_sdk.errors import StackError
from i2s_sdk.stack.child import Child
from i2s_sdk.stack.command import ServiceCommand


@asynccontextmanager
async def local_services(
    commands: Sequence[ServiceCommand], folder: Path, seconds: float
) -> AsyncIterator[dict[str, Child]]:
    """Run services as long as the block lasts.

    A service that dies is started again. One that dies again and again cancels the block, and the reason
    is raised in place of the cancellation.

    Args:
        commands: What to start.
        folder: Where the logs are kept; made where it does not exist.
        seconds: That each may take until it serves.

    Yields:
        The children by name of their service, all serving.

    Raises:
        StackError: One cannot be started, or died too often.
    """
    children = [Child(command, folder) for command in commands]
    body = asyncio.current_task()
    broken: list[StackError] = []

    def look(watch: asyncio.Task[None]) -> None:
        error = None if watch.cancelled() else watch.exception()
        if isinstance(error, StackError) and body is not None:
            broken.append(error)
            body.cancel()

    watches: list[asyncio.Task[None]] = []
    try:
        await _start_all(children, seconds)
        for child in children:
            watches.append(asyncio.create_task(child.watch(seconds), name=f"watch {child.command.name}"))
            watches[-1].add_done_callback(look)
        yield {child.command.name: child for child in children}
    except asyncio.CancelledError:
        if not broken or body is None:
            raise
        body.uncancel()
        raise broken[0] from None
    finally:
        for watch in watches:  # before the children end, or they would be started again
            watch.cancel()
        await asyncio.gather(*watches, return_exceptions=True)
        await asyncio.gather(*(child.stop() for child in children))


async def _start_all(children: Sequence[Child], seconds: float) -> None:
    starts = [asyncio.create_task(child.start(seconds)) for child in children]
    try:
        await asyncio.gather(*starts)
    finally:
        for start in starts:
            start.cancel()
        await asyncio.gather(*starts, return_exceptions=True)
