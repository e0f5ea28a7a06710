"""The answers to requests: a message of a service as JSON, or the image that it holds; and their spans."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import secrets
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, TypeVar

from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response

from i2s_gateway.guard import Bodies, GatewayError
from i2s_gateway.messages import parse_request, to_json
from i2s_gateway.operations import Backends, Operation, renderer_for
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
    given = [(name, request.headers.get(name, "")) for name in _HEADERS_OF_TRACE]
    passed = [(name, value) for name, value in given if value and value.isascii() and value.isprintable()]
    return list(trace_metadata()) or passed


#: Header of the answer to a request for an image that names the verdict.
VERDICT_HEADER = "X-I2S-Verdict"

PNG = "image/png"

#: Status of a request whose caller went away before there was an answer.
CLOSED = 499

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LARGE = 256 * 1024  # bytes of JSON from which on a thread translates them

A = TypeVar("A")


def request_id_of(request: Request) -> str:
    """Return the name of a request: what the caller calls it if that is safe in a log, else a new one."""
    state = request.scope.setdefault("state", {})
    if "request_id" not in state:
        given = request.headers.get("x-request-id", "")
        state["request_id"] = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
    name: str = state["request_id"]
    return name


def metadata_of(request: Request) -> list[tuple[str, str]]:
    """Return the metadata of calls that are made for a request: its name, credentials and trace.

    Raises:
        GatewayError: The credentials have characters that no token has.
    """
    token = authorization_of(request)
    credentials = [("authorization", token)] if token else []
    return [("x-request-id", request_id_of(request)), *credentials, *trace_for_calls(request)]


def authorization_of(request: Request) -> str:
    """Return the credentials of a request, empty if it has none.

    Raises:
        GatewayError: They have characters that no token has.
    """
    token = request.headers.get("authorization", "")
    if not (token.isascii() and token.isprintable()):
        message = "the header Authorization has characters that no token has"
        raise GatewayError(HTTPStatus.UNAUTHORIZED, "UNAUTHENTICATED", message)
    return token


async def answer(request: Request, operation: Operation, backends: Backends, bodies: Bodies) -> Response:
    """Ask a service what a request asks for.

    If the caller goes away the call is cancelled, which ends its job.

    Raises:
        GatewayError: The request is wrong or refused, or there is no answer.
    """
    with request_span(request, operation.path, request_id_of(request)) as served:
        response = await _answered(request, operation, backends, bodies)
        served.set({"http.response.status_code": response.status_code})
    return response


async def _answered(request: Request, operation: Operation, backends: Backends, bodies: Bodies) -> Response:
    async with bodies.body(request) as raw:
        message = await _in_thread_if(len(raw) > _LARGE, parse_request, raw, operation.method.request)
        named = request.query_params.get("service", "")
        metadata = metadata_of(request)
        service = operation.service or await renderer_for(message, named, backends, metadata)
        call = backends.call(service, operation.method, message, metadata)
        said = await unless_gone(request, call)
    if operation.makes_pictures and _wants_picture(request):
        return _picture(said)
    large = said.ByteSize() > _LARGE
    return Response(await _in_thread_if(large, _json, said), media_type="application/json")


def json_response(value: object) -> Response:
    """Return a response of JSON."""
    return Response(json.dumps(value, allow_nan=False).encode(), media_type="application/json")


async def unless_gone(request: Request, call: Coroutine[Any, Any, A]) -> A:
    """Return the result of a call, which is cancelled if the caller goes away.

    Raises:
        GatewayError: The caller went away.
    """

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    calling, leaving = asyncio.create_task(call), asyncio.create_task(gone())
    try:
        await asyncio.wait((calling, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not calling.done():
            raise GatewayError(CLOSED, "CANCELLED", "the caller went away")
        return await calling
    finally:
        for task in (calling, leaving):
            task.cancel()
        await asyncio.gather(calling, leaving, return_exceptions=True)


def _json(message: Message) -> bytes:
    return json.dumps(to_json(message), allow_nan=False).encode()


async def _in_thread_if(large: bool, work: Any, *arguments: Any) -> Any:  # noqa: ANN401
    return await asyncio.to_thread(work, *arguments) if large else work(*arguments)


def _wants_picture(request: Request) -> bool:
    kinds = [one.partition(";")[0].strip().lower() for one in request.headers.get("accept", "").split(",")]
    return PNG in kinds


def _picture(said: Message) -> Response:
    """Return the first image; what was said without it if there is none."""
    value = to_json(said)
    verdict = {VERDICT_HEADER: value["verdict"].removeprefix("VERDICT_")}
    if value["pictures"]:
        return Response(base64.b64decode(value["pictures"][0]["png"]), media_type=PNG, headers=verdict)
    content = json.dumps(value, allow_nan=False)
    return Response(content, HTTPStatus.UNPROCESSABLE_ENTITY, verdict, "application/json")
