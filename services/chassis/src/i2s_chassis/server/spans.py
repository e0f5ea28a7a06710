"""Spans of the calls of a service, and the W3C trace context that ties a call to its caller's trace.

See ``i2s_wire.tracing``. docs/monitoring.md lists the spans and their values.

::

    i2s.render.v1.RenderService/Render      a call; its parent is the span of the caller
    └── item                                of a bulk stream: one of its requests
        ├── queue                           waits for a slot
        ├── cell                            a cell is made
        ├── worker                          waits for a warm process
        └── compile, raster, crop …         the stages of the engine
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from i2s_chassis.errors import Status
from i2s_wire.tracing import Kind, RemoteParent, Span, begin, current_span, exported_traces, span, within

__all__ = ["call_span", "current_span", "end_call", "exporting", "span"]

#: How a call ends for which its service answers, as
#: https://opentelemetry.io/docs/specs/semconv/rpc/grpc/ has it.
_FAULTS = frozenset(
    {Status.UNKNOWN, Status.DEADLINE_EXCEEDED, Status.INTERNAL, Status.UNAVAILABLE},
)
_log = logging.getLogger(__name__)


@contextmanager
def exporting(service: str) -> Iterator[None]:
    """Export the spans of this service until the block ends, if the variables OTEL_… say so."""
    with exported_traces(service, "i2s-chassis", _log.warning) as exports:
        if exports:
            _log.info("traces are exported")
        yield


@contextmanager
def call_span(method: str, parent: RemoteParent) -> Iterator[Span]:
    """Have the span of a call; ``end_call`` says how it ended.

    Args:
        method: Path of the method, such as "/i2s.render.v1.RenderService/Render".
        parent: The caller's span.
    """
    name = method.lstrip("/")
    service, _, short = name.rpartition("/")
    attributes = {"rpc.system": "grpc", "rpc.service": service, "rpc.method": short}
    call = begin(name, attributes, kind=Kind.SERVER, parent=parent)
    try:
        with within(call):
            yield call
    finally:
        call.end()


def end_call(call: Span, status: Status, caller: str) -> None:
    """Say how a call or an item of a stream ended, and whose it was.

    Args:
        call: Its span.
        status: The status; those that are faults of the service mark the span as failed.
        caller: Label of the caller, as metrics have it.
    """
    call.set({"rpc.grpc.status_code": int(status), "i2s.caller": caller})
    if status in _FAULTS:
        call.fail(status.name)


# https://www.w3.org/TR/trace-context/#traceparent-header-field-values; a later version may
# append fields, version ff is invalid, and identifiers of zeros only are invalid.
_TRACEPARENT = re.compile(
    r"(?!ff)(?P<version>[0-9a-f]{2})-(?!0{32})(?P<trace>[0-9a-f]{32})-(?!0{16})(?P<span>[0-9a-f]{16})"
    r"-(?P<flags>[0-9a-f]{2})(?P<rest>-.*)?"
)


@dataclass(frozen=True, slots=True)
class TraceContext:
    """Identifiers of the caller's trace and span, lower-case hexadecimal."""

    trace_id: str
    span_id: str
    sampled: bool


def parse_traceparent(value: str) -> TraceContext | None:
    """Return what a ``traceparent`` header says; None if it is not valid."""
    match = _TRACEPARENT.fullmatch(value.strip())
    if match is None or (match["version"] == "00" and match["rest"]):
        return None
    return TraceContext(match["trace"], match["span"], bool(int(match["flags"], 16) & 1))
