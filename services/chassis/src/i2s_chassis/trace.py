"""W3C trace context: the identifiers that tie a call to its caller's trace."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
    found = _TRACEPARENT.fullmatch(value.strip())
    if found is None or (found["version"] == "00" and found["rest"]):
        return None
    return TraceContext(found["trace"], found["span"], bool(int(found["flags"], 16) & 1))
