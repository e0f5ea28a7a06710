"""The limits of a self-test, and what one that fails does to a renderer that starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from i2s_chassis.errors import StartError, UnavailableError
from i2s_chassis.jail import JailError
from i2s_chassis.limits import Limits, LimitTable
from i2s_chassis.renderer.errors import RendererError

if TYPE_CHECKING:
    from i2s_chassis.telemetry import Telemetry

#: The engine does not work, or its sandbox was lost or kept waiting for far too long.
_FAILURES = (RendererError, JailError, UnavailableError)


def canary_limits(table: LimitTable) -> Limits:
    """Return the limits of a canary: the defaults of a job, except that it has as much wall time as any job.

    CPU seconds decide whether a renderer becomes ready. On a loaded machine, or while its programs are read
    from a slow disk for the first time, a canary needs more wall time for the same work.

    Args:
        table: Defaults and maxima of the service.
    """
    return replace(table.default, wall_seconds=table.maximum.wall_seconds)


@contextmanager
def canary_required(telemetry: Telemetry) -> Iterator[None]:
    """End the start of a service if its canary is not rendered within the block.

    Args:
        telemetry: The metrics that count the failure.

    Raises:
        StartError: The engine does not work, or its sandbox was lost or starved; says why in one line.
    """
    try:
        yield
    except _FAILURES as error:
        telemetry.self_test_failure("canary")
        raise StartError(str(error)) from None
