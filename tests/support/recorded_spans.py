"""The spans of this process in memory, and those of other processes, which a collector receives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as pb
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as pb_grpc
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class _Provider(TracerProvider):
    """A provider that leaves forked children alone: some tests count the threads of theirs."""

    def _handle_fork(self) -> None:
        pass


#: OpenTelemetry has one provider for a process.
_PROVIDER = _Provider(shutdown_on_exit=False)


@dataclass(frozen=True)
class RecordedSpan:
    """A span, wherever it was recorded.

    Attributes:
        service: Service of the process; empty for the spans of this one.
        trace_id, span_id, parent_id: Identifiers as OpenTelemetry has them; the last is 0 for a root.
        kind: "INTERNAL", "CLIENT" or "SERVER".
        start, end: Times in nanoseconds since the epoch.
        failed: Whether its status is an error.
    """

    service: str
    name: str
    kind: str
    trace_id: int
    span_id: int
    parent_id: int
    start: int
    end: int
    failed: bool
    attributes: Mapping[str, Any]
    events: tuple[str, ...] = ()
    links: tuple[int, ...] = ()

    @classmethod
    def here(cls, span: ReadableSpan) -> RecordedSpan:
        """Return a span of this process."""
        context = span.context
        return cls(
            "",
            span.name,
            span.kind.name,
            context.trace_id,
            context.span_id,
            span.parent.span_id if span.parent else 0,
            span.start_time,
            span.end_time,
            span.status.status_code is trace.StatusCode.ERROR,
            dict(span.attributes),
            tuple(event.name for event in span.events),
            tuple(link.context.trace_id for link in span.links),
        )


class RecordedSpans:
    """What was recorded, in the order of the ends of spans."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    def all(self) -> list[RecordedSpan]:
        return [RecordedSpan.here(span) for span in self._exporter.get_finished_spans()]

    def named(self, name: str) -> list[RecordedSpan]:
        return [span for span in self.all() if span.name == name]

    def only(self, name: str) -> RecordedSpan:
        (found,) = self.named(name)
        return found

    def clear(self) -> None:
        self._exporter.clear()


@contextmanager
def recorded() -> Iterator[RecordedSpans]:
    """Have the spans that this process ends while the block lasts."""
    if trace.get_tracer_provider() is not _PROVIDER:
        trace.set_tracer_provider(_PROVIDER)
    exporter = InMemorySpanExporter()
    _PROVIDER.add_span_processor(SimpleSpanProcessor(exporter))
    try:
        yield RecordedSpans(exporter)
    finally:
        exporter.shutdown()


class Collector(pb_grpc.TraceServiceServicer):
    """A collector that keeps what it gets.

    Attributes:
        endpoint: Value for OTEL_EXPORTER_OTLP_ENDPOINT.
    """

    def __init__(self) -> None:
        self.endpoint = ""
        self._spans: list[RecordedSpan] = []
        self._came = threading.Condition(threading.RLock())

    def Export(self, request: pb.ExportTraceServiceRequest, context) -> pb.ExportTraceServiceResponse:  # noqa: N802
        with self._came:
            self._spans += _spans_of(request)
            self._came.notify_all()
        return pb.ExportTraceServiceResponse()

    def all(self) -> list[RecordedSpan]:
        with self._came:
            return list(self._spans)

    def wait_for(self, number: int, name: str, seconds: float = 60) -> list[RecordedSpan]:
        """Return the spans of a name once there are so many."""

        def found() -> list[RecordedSpan]:
            return [span for span in self._spans if span.name == name]

        self.wait_until(lambda: len(found()) >= number, seconds)
        return found()

    def wait_until(self, holds: Callable[[], bool], seconds: float = 60) -> None:
        """Return once something holds of what has come."""
        with self._came:
            assert self._came.wait_for(holds, seconds), [span.name for span in self._spans]

    @property
    def variables(self) -> dict[str, str]:
        """What a process exports to here with."""
        return {
            "OTEL_TRACES_EXPORTER": "otlp",
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.endpoint,
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }


@contextmanager
def collecting() -> Iterator[Collector]:
    """Have a collector on the loopback as long as the block lasts."""
    collector = Collector()
    server = grpc.server(ThreadPoolExecutor(2))
    pb_grpc.add_TraceServiceServicer_to_server(collector, server)
    collector.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield collector
    finally:
        server.stop(None).wait()


def _spans_of(request: pb.ExportTraceServiceRequest) -> Iterator[RecordedSpan]:
    for resource in request.resource_spans:
        service = _values(resource.resource.attributes)["service.name"]
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield RecordedSpan(
                    service,
                    span.name,
                    span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
                    int.from_bytes(span.trace_id),
                    int.from_bytes(span.span_id),
                    int.from_bytes(span.parent_span_id),
                    span.start_time_unix_nano,
                    span.end_time_unix_nano,
                    span.status.code == span.status.STATUS_CODE_ERROR,
                    _values(span.attributes),
                    tuple(event.name for event in span.events),
                    tuple(int.from_bytes(link.trace_id) for link in span.links),
                )


def _values(attributes) -> dict[str, Any]:
    return {
        attribute.key: getattr(attribute.value, attribute.value.WhichOneof("value"))
        for attribute in attributes
    }
