"""The span of a request to the gateway: child of the caller's span, and parent of that of the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from starlette.requests import Request

from i2s_gateway.errors import GatewayError
from i2s_wire.tracing import Kind, RemoteParent, Span, begin, trace_metadata, within

_HEADERS_OF_TRACE = ("traceparent", "tracestate")


@contextmanager
def request_span(request: Request, route: str, request_id: str) -> Iterator[Span]:
    """Have the span of a request as long as it is answered.

    Attributes are those of https://opentelemetry.io/docs/specs/semconv/http/http-spans/. Status codes of 500
    and above mark the span as failed; the caller sets ``http.response.status_code`` if there is an answer.

    Args:
        request: The request; its headers name the caller's span.
        route: Path of the operation, such as "/v1/render".
        request_id: Name of the request in logs.
    """
    attributes = {"http.request.method": request.method, "http.route": route, "i2s.request_id": request_id}
    parent = RemoteParent.of(request.headers)
    served = begin(f"{request.method} {route}", attributes, kind=Kind.SERVER, parent=parent)
    try:
        with within(served):
            yield served
    except GatewayError as error:
        served.set({"http.response.status_code": error.http})
        if error.http >= HTTPStatus.INTERNAL_SERVER_ERROR:
            served.fail(error.status)
        raise
    except BaseException as error:
        served.fail(type(error).__name__)
        raise
    finally:
        served.end()


def trace_for_calls(request: Request) -> list[tuple[str, str]]:
    """Return the metadata by which a service continues a trace.

    Its parent is the span of the gateway; that of the caller if the gateway records none.
    """
    passed = [(name, request.headers[name]) for name in _HEADERS_OF_TRACE if name in request.headers]
    return list(trace_metadata()) or passed
