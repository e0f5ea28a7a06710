"""The span of a call to a service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from i2s_sdk.errors import ServiceError
from i2s_wire.tracing import Kind, Span, span


@contextmanager
def call_span(service: str, method: str, address: str) -> Iterator[Span]:
    """Have the span of a call with all its attempts; the trace goes on in the service.

    Args:
        service: Full name, such as "i2s.render.v1.RenderService".
        method: Name, such as "Render".
        address: Where the service is looked for.
    """
    attributes = {
        "rpc.system": "grpc",
        "rpc.service": service,
        "rpc.method": method,
        "server.address": address,
    }
    with span(f"{service}/{method}", attributes, kind=Kind.CLIENT) as call:
        try:
            yield call
        except ServiceError as error:
            call.set({"rpc.grpc.status_code": _code(error), "i2s.attempts": error.attempts})
            raise
        call.set({"rpc.grpc.status_code": 0})


def note_failed_attempt(call: Span, error: ServiceError) -> None:
    """Add an attempt that failed to the span of its call; the next one is in the same span."""
    call.add_event("attempt failed", {"rpc.grpc.status_code": _code(error)})


def _code(error: ServiceError) -> int | None:
    return next((one.value[0] for one in grpc.StatusCode if one.name == error.status), None)
