"""Starts that something outside disturbs, as the kernel of a machine without memory: they begin again."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from i2s_chassis.errors import StartError, StartKilledError, WarmKilledError
from i2s_chassis.jail.errors import CellLostError, KilledError

_log = logging.getLogger(__name__)

#: Times that a start is begun in one process.
_ATTEMPTS = 3

A = TypeVar("A")


async def undisturbed(start: Callable[[], Awaitable[A]]) -> A:
    """Return what a start comes to; it begins again if something outside kills a process that it needs.

    Args:
        start: The start, or a part of it. What it raises says in ``__cause__`` why.

    Raises:
        StartError: It cannot succeed here.
        StartKilledError: It was disturbed each time.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return await start()
        except StartError as error:
            if not _was_killed(error):
                raise
            fields = {"reason": error.message, "attempt": attempt}
            _log.warning("something outside disturbed the start", extra={"fields": fields})
            last = error
    raise StartKilledError(last.message) from None


def _was_killed(error: BaseException) -> bool:
    """Return whether a process that something outside killed is the cause of an error."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, CellLostError | KilledError | WarmKilledError):
            return True
        cause = cause.__cause__
    return False
