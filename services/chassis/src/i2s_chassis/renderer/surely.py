"""A second run of a job whose end may not be its own doing, and a status if its sandbox was lost."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from i2s_chassis.errors import UnavailableError
from i2s_chassis.jail import CellError
from i2s_wire.tracing import current_span

if TYPE_CHECKING:
    from i2s_chassis.telemetry import Telemetry

R = TypeVar("R")

_log = logging.getLogger(__name__)


async def run_surely(
    run: Callable[[], Awaitable[R]], doubt: Callable[[R], str | None], telemetry: Telemetry
) -> R:
    """Run a job; if it cannot be known whether the job or something outside ended it, once more.

    The second result counts: a source that crashes its engine does so again.

    Args:
        run: Does the job.
        doubt: Returns why the end of the job may not be its own doing, None if it surely is.
        telemetry: The metrics that count second runs.

    Raises:
        UnavailableError: The sandbox of the job was lost or could not be made.
    """
    with sandbox_required():
        result = await run()
        reason = doubt(result)
        if reason is None:
            return result
        _log.warning(
            "a process was lost; the job is run once more", extra={"fields": {"reason": reason[:500]}}
        )
        telemetry.rerun()
        current_span().add_event("rerun")
        return await run()


@contextmanager
def sandbox_required() -> Iterator[None]:
    """Turn the loss of a sandbox within the block into a status.

    Raises:
        UnavailableError: The sandbox of the job was lost or could not be made.
    """
    try:
        yield
    except CellError as error:
        _log.warning("the sandbox of a job was lost", extra={"fields": {"reason": str(error)[:500]}})
        raise UnavailableError(
            "the sandbox of the job was lost or could not be made; ask again, the log has the reason"
        ) from error
