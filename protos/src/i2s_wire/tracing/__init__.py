"""Spans of OpenTelemetry around the work of SDK and services, if the program has OpenTelemetry loaded.

``spans`` makes them, ``propagation`` carries the trace over a call, ``exporting`` sends them to a collector.
No module here imports OpenTelemetry before the operator asks for an export or the application has loaded it
itself: without either, every function returns at once, and the extra ``telemetry`` need not be installed.

Spans carry identifiers, digests, verdicts and durations. They never carry the content of files, prompts,
completions, tokens, or the messages of errors, which may quote them.
"""

from i2s_wire.tracing.exporting import EXPORTER_VARIABLE, exported_traces
from i2s_wire.tracing.propagation import RemoteParent, trace_metadata
from i2s_wire.tracing.spans import (
    AttributeValue,
    Kind,
    Span,
    begin,
    begin_trace,
    current_span,
    record,
    span,
    within,
)

__all__ = [
    "EXPORTER_VARIABLE",
    "AttributeValue",
    "Kind",
    "RemoteParent",
    "Span",
    "begin",
    "begin_trace",
    "current_span",
    "exported_traces",
    "record",
    "span",
    "trace_metadata",
    "within",
]
