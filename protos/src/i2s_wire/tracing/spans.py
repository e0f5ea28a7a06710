"""Spans: begun and ended around a block, recorded afterwards, or held open between two stages."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span as ApiSpan
    from opentelemetry.trace import Tracer

AttributeValue = str | bool | int | float

_NAME = "i2s"  # of the instrumentation


class Kind(enum.Enum):
    """Which side of a call a span is on."""

    INTERNAL = "INTERNAL"
    CLIENT = "CLIENT"
    SERVER = "SERVER"


class Parent(Protocol):
    """The span of a caller, in another process."""

    def context(self) -> Context:
        """Return it as OpenTelemetry has it."""
        ...


class Span:
    """A span, or nothing if none is recorded; setting values then does nothing."""

    def __init__(self, inner: ApiSpan | None = None) -> None:
        self.inner = inner

    @property
    def is_recording(self) -> bool:
        """Whether what is set here will be exported; False after the end."""
        return self.inner is not None and self.inner.is_recording()

    def set(self, attributes: Mapping[str, AttributeValue | None]) -> None:
        """Set attributes; those that are None or empty texts are left out."""
        if self.inner is not None:
            self.inner.set_attributes(_given(attributes))

    def add_event(self, name: str, attributes: Mapping[str, AttributeValue | None] | None = None) -> None:
        """Add something that happened now."""
        if self.inner is not None:
            self.inner.add_event(name, _given(attributes))

    def fail(self, kind: str) -> None:
        """Mark what the span is about as failed.

        Args:
            kind: Kind of failure, from a closed set: the name of a status or of an exception's type.
        """
        if self.inner is not None:
            from opentelemetry.trace import Status, StatusCode

            self.inner.set_status(Status(StatusCode.ERROR))
            self.inner.set_attribute("error.type", kind)

    @property
    def identifiers(self) -> tuple[str, str] | None:
        """Identifiers of trace and span, lower-case hexadecimal; None if none is recorded."""
        if not self.is_recording or self.inner is None:
            return None
        context = self.inner.get_span_context()
        return f"{context.trace_id:032x}", f"{context.span_id:016x}"

    def end(self) -> None:
        """End it; a second time does nothing."""
        if self.is_recording:
            assert self.inner is not None  # it records
            self.inner.end()


_NO_SPAN = Span()


def current_span() -> Span:
    """Return the span that this task is in."""
    if not _loaded():
        return _NO_SPAN
    from opentelemetry import trace

    return Span(trace.get_current_span())


@contextmanager
def span(
    name: str,
    attributes: Mapping[str, AttributeValue | None] | None = None,
    *,
    kind: Kind = Kind.INTERNAL,
    parent: Parent | None = None,
) -> Iterator[Span]:
    """Have a span as long as the block lasts; this task and the tasks that it starts are in it.

    An internal span is made only within a span that is recorded: work in the background belongs to no trace.
    An exception that leaves the block marks the span as failed, by its type alone.

    Args:
        name: Name from a small closed set.
        attributes: Known at the start.
        kind: Side of a call that it is on.
        parent: The caller's span, of the server side; None makes it a child of the current span.
    """
    begun = begin(name, attributes, kind=kind, parent=parent)
    try:
        with within(begun):
            yield begun
    except BaseException as error:
        begun.fail(type(error).__name__)
        raise
    finally:
        begun.end()


def begin(
    name: str,
    attributes: Mapping[str, AttributeValue | None] | None = None,
    *,
    kind: Kind = Kind.INTERNAL,
    parent: Parent | None = None,
) -> Span:
    """Begin a span, to be ended by the caller; the arguments are those of ``span``."""
    if not _loaded() or (kind is Kind.INTERNAL and not current_span().is_recording):
        return _NO_SPAN
    from opentelemetry import trace

    context = None if parent is None else parent.context()
    return Span(
        _tracer().start_span(
            name, context=context, kind=trace.SpanKind[kind.value], attributes=_given(attributes)
        )
    )


def begin_trace(name: str, attributes: Mapping[str, AttributeValue | None] | None = None) -> Span:
    """Begin a trace of its own, linked to the current span if there is one; to be ended by the caller."""
    if not _loaded():
        return _NO_SPAN
    from opentelemetry import trace
    from opentelemetry.context import Context

    around = trace.get_current_span().get_span_context()
    links = [trace.Link(around)] if around.is_valid else []
    return Span(_tracer().start_span(name, context=Context(), attributes=_given(attributes), links=links))


@contextmanager
def within(begun: Span) -> Iterator[None]:
    """Let this task, and the tasks that it starts, be in a span until the block ends; the span goes on."""
    if begun.inner is None:
        yield
        return
    from opentelemetry import trace

    with trace.use_span(begun.inner, record_exception=False, set_status_on_exception=False):
        yield


def record(
    name: str, start_ns: int, end_ns: int, attributes: Mapping[str, AttributeValue | None] | None = None
) -> None:
    """Add a span that is over to the current one, if that is recorded.

    Args:
        name: Name from a small closed set.
        start_ns: When it began, in nanoseconds since the epoch.
        end_ns: When it ended, likewise.
        attributes: What is known of it.
    """
    if not current_span().is_recording:
        return
    _tracer().start_span(name, start_time=start_ns, attributes=_given(attributes)).end(max(start_ns, end_ns))


def _loaded() -> bool:
    return "opentelemetry.trace" in sys.modules


def _tracer() -> Tracer:
    from opentelemetry import trace

    return trace.get_tracer(_NAME)


def _given(attributes: Mapping[str, AttributeValue | None] | None) -> dict[str, AttributeValue]:
    return {name: value for name, value in (attributes or {}).items() if value is not None and value != ""}
