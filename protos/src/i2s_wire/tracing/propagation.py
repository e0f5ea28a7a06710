"""The trace of a caller in the metadata of a call: https://www.w3.org/TR/trace-context/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from i2s_wire.tracing.spans import current_span

if TYPE_CHECKING:
    from opentelemetry.context import Context


@dataclass(frozen=True, slots=True)
class RemoteParent:
    """The caller's span as it stands in the metadata of a call."""

    #: Value of that header; empty if there is none, malformed ones are ignored.
    traceparent: str = ""
    #: Value of that header, likewise.
    tracestate: str = ""

    @classmethod
    def of(cls, metadata: Mapping[str, str]) -> RemoteParent:
        """Return the caller's span of a call with these metadata."""
        return cls(metadata.get("traceparent", ""), metadata.get("tracestate", ""))

    def context(self) -> Context:
        """Return it as OpenTelemetry has it: a context without a span if there is none."""
        from opentelemetry.context import Context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier = {"traceparent": self.traceparent, "tracestate": self.tracestate}
        return TraceContextTextMapPropagator().extract(
            {name: value for name, value in carrier.items() if value}, Context()
        )


def trace_metadata() -> tuple[tuple[str, str], ...]:
    """Return what a call from here carries for the service to continue the trace; nothing outside of one."""
    if current_span().inner is None:
        return ()
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return tuple(carrier.items())
