"""What is counted, logged and traced of every job that has ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from i2s_chassis.audit import current_entry
from i2s_chassis.jail import PolicyEvent
from i2s_chassis.renderer.model import Stage
from i2s_wire.tracing import AttributeValue, current_span, record

if TYPE_CHECKING:
    from i2s_chassis.admission import Ticket
    from i2s_chassis.telemetry import Telemetry


def record_job(
    telemetry: Telemetry,
    ticket: Ticket,
    *,
    verdict: str,
    stages: Sequence[Stage],
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


def _attributes(stage: Stage) -> dict[str, AttributeValue | None]:
    return {"i2s.stage.detail": stage.detail, "i2s.cpu_seconds": stage.usage.cpu_seconds}
