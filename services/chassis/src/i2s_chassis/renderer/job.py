"""The run of a job, and further ones if the end of the first may not be its own doing.

A sandbox that is lost is a status. Every job that has ended is counted, logged and traced.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from i2s_chassis.callers.audit import current_entry
from i2s_chassis.errors import AbortedError, UnavailableError
from i2s_chassis.jail import CellError, KilledError, PolicyEvent
from i2s_chassis.renderer.model import RawStage
from i2s_wire.tracing import AttributeValue, current_span, record

if TYPE_CHECKING:
    from i2s_chassis.server.admission import Ticket
    from i2s_chassis.server.telemetry import Telemetry


R = TypeVar("R")

_log = logging.getLogger(__name__)


async def run_with_rerun(
    run: Callable[[], Awaitable[R]], doubt: Callable[[R], str | None], telemetry: Telemetry, attempts: int
) -> R:
    """Run a job until its end is surely its own doing.

    A run that something outside has killed has no result, however often that happens. If a result may or may
    not be the doing of the job, the second one counts: a source that crashes its engine does so again.

    Args:
        run: Does the job.
        doubt: Returns why the end of the job may not be its own doing, None if it surely is.
        telemetry: The metrics that count further runs.
        attempts: Maximum number of runs that something outside kills.

    Raises:
        UnavailableError: The sandbox of the job was lost or could not be made.
        AbortedError: Something outside killed the job each time. That may be its own doing, by a way that
            nobody knows, so clients are not to send it again for long.
    """
    doubted = False
    killed = 0
    with sandbox_required():
        while True:
            try:
                result = await run()
            except KilledError as error:
                killed += 1
                if killed >= attempts:
                    raise _killed_from_outside(killed) from error
                reason = str(error)
            else:
                doubtful = doubt(result)
                if doubtful is None or doubted:
                    return result
                doubted, reason = True, doubtful
            _log.warning(
                "a process was lost; the job is run once more", extra={"fields": {"reason": reason[:500]}}
            )
            telemetry.rerun()
            current_span().add_event("rerun")


def _killed_from_outside(times: int) -> AbortedError:
    return AbortedError(
        f"something outside of the service killed the processes of the job, {times} times in a row: the "
        "kernel of a machine without free memory, or an operator; look at the machine's memory, and ask "
        "again later"
    )


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


def record_job(
    telemetry: Telemetry,
    ticket: Ticket,
    *,
    verdict: str,
    stages: Sequence[RawStage],
    events: Iterable[PolicyEvent],
) -> None:
    """Count a job, charge its caller with its processor time, and note its verdict for the log of calls.

    Args:
        telemetry: The metrics that count the runs.
        ticket: The ticket of the job.
        verdict: How it ended, in lower case.
        stages: Its steps.
        events: What it tried and was prevented from.
    """
    ticket.cpu_seconds = sum(stage.usage.cpu_seconds for stage in stages)
    current_entry().verdict = verdict
    current_span().set({"i2s.verdict": verdict, "i2s.cpu_seconds": ticket.cpu_seconds})
    telemetry.job(verdict, ticket.seconds())
    for stage in stages:
        telemetry.stage(stage.name, stage.usage.wall_seconds)
        began_ns = stage.ended_ns - round(stage.usage.wall_seconds * 1e9)
        record(stage.name, began_ns, stage.ended_ns, _attributes(stage))
    for event in events:
        telemetry.policy_event(event.kind.name.lower(), event.count)


def _attributes(stage: RawStage) -> dict[str, AttributeValue | None]:
    return {"i2s.stage.detail": stage.detail, "i2s.cpu_seconds": stage.usage.cpu_seconds}
