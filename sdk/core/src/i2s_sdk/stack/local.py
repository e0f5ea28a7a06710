"""The services of this machine: all started at once, watched together, stopped at any end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from i2s_sdk.errors import StackError
from i2s_sdk.stack.child import Child
from i2s_sdk.stack.command import ServiceCommand


@asynccontextmanager
async def local_services(
    commands: Sequence[ServiceCommand],
    folder: Path,
    seconds: float,
    do_without: Callable[[str, StackError], None] | None = None,
) -> AsyncIterator[dict[str, Child]]:
    """Run services as long as the block lasts.

    A service that dies is started again. One that dies again and again cancels the block, and the reason
    is raised in place of the cancellation.

    Args:
        commands: What to start.
        folder: Where the logs are kept; made if it does not exist.
        seconds: Seconds that each may take until it serves.
        do_without: Called with the name of a service that cannot be started and the reason; returns if
            the block can go on without it, else raises. None raises the reason.

    Yields:
        The children by name of their service, all serving.

    Raises:
        StackError: One cannot be started, or died too often.
    """
    children: list[Child] = []
    body = asyncio.current_task()
    broken: list[StackError] = []

    def look(watch: asyncio.Task[None]) -> None:
        error = None if watch.cancelled() else watch.exception()
        if isinstance(error, StackError) and body is not None:
            broken.append(error)
            body.cancel()

    watches: list[asyncio.Task[None]] = []
    try:
        await _start_all(commands, folder, seconds, children, do_without or _insist)
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


async def _start_all(
    commands: Sequence[ServiceCommand],
    folder: Path,
    seconds: float,
    children: list[Child],
    do_without: Callable[[str, StackError], None],
) -> None:
    """Start services at the same time; those that serve are added to ``children``."""

    async def start(command: ServiceCommand) -> None:
        child: Child | None = None
        try:
            child = Child(command, folder)
            await child.start(seconds)
        except BaseException as error:
            if child is not None:
                await child.stop()
            if not isinstance(error, StackError):
                raise
            do_without(command.name, error)
        else:
            children.append(child)

    starts = [asyncio.create_task(start(command)) for command in commands]
    try:
        await asyncio.gather(*starts)
    finally:
        for one in starts:
            one.cancel()
        await asyncio.gather(*starts, return_exceptions=True)


def _insist(name: str, error: StackError) -> None:
    raise error
