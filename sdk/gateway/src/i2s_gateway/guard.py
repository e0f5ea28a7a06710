"""The requests that are refused: by their origin, their size and time, and the errors that they end with."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import grpc
import grpc.aio
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from i2s_client.status import PUSHBACK_KEY
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.json_text import read_json

#: Statuses of HTTP by those of gRPC, as google.rpc.Code has them, but for ABORTED: a killed job is no
#: conflict. RESOURCE_EXHAUSTED is told apart below.
_STATUSES = {
    grpc.StatusCode.CANCELLED: 499,
    grpc.StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.DEADLINE_EXCEEDED: HTTPStatus.GATEWAY_TIMEOUT,
    grpc.StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS: HTTPStatus.CONFLICT,
    grpc.StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    grpc.StatusCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    grpc.StatusCode.FAILED_PRECONDITION: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.ABORTED: HTTPStatus.INTERNAL_SERVER_ERROR,
    grpc.StatusCode.OUT_OF_RANGE: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.UNIMPLEMENTED: HTTPStatus.NOT_IMPLEMENTED,
    grpc.StatusCode.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
}


class GatewayError(Exception):
    """A request that has no answer.

    Attributes:
        http: Status of HTTP.
        status: Status of gRPC, such as "INVALID_ARGUMENT".
        message: One sentence.
        retry_after_seconds: When the same request may be answered; None if it never will be, or nobody knows.
        more: Further fields of the error, for programs.
    """

    def __init__(
        self,
        http: int,
        status: str,
        message: str,
        *,
        retry_after_seconds: float | None = None,
        more: Mapping[str, object] | None = None,
    ) -> None:
        # Halves of characters, which a request of JSON can name, cannot be sent back.
        message = message.encode("utf-8", "backslashreplace").decode()
        super().__init__(message)
        self.http, self.status, self.message = int(http), status, message
        self.retry_after_seconds = retry_after_seconds
        self.more = dict(more or {})

    def document(self) -> dict[str, object]:
        """Return the error as JSON has it."""
        error: dict[str, Any] = {"status": self.status, "message": self.message, **self.more}
        if self.retry_after_seconds is not None:
            error["retry_after_seconds"] = self.retry_after_seconds
        return {"error": error}

    def response(self) -> Response:
        """Return the response that says so."""
        headers = {}
        if self.retry_after_seconds is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after_seconds)))
        if self.http == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        return JSONResponse(self.document(), self.http, headers)


def invalid(message: str) -> GatewayError:
    """Return the error of a request that is wrong in itself."""
    return GatewayError(HTTPStatus.BAD_REQUEST, "INVALID_ARGUMENT", message)


#: Most values of a body of JSON. In memory one takes up to 30 times as much as in the text.
MAX_VALUES = 500_000
#: A text of JSON; one without end too, so that each byte is looked at once.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


def read_body(raw: bytes | bytearray) -> Any:  # noqa: ANN401 - what JSON holds
    """Return the value of a body of JSON.

    Raises:
        GatewayError: It is not JSON, is nested too deeply, or has more than MAX_VALUES values.
    """
    if _values(raw) > MAX_VALUES and _values(_STRING.sub(b"", raw)) > MAX_VALUES:  # texts may have any number
        message = f"the body has more than {MAX_VALUES} values; send it in parts"
        raise GatewayError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "RESOURCE_EXHAUSTED", message)
    try:
        return read_json(raw.decode("utf-8"))
    except ValueError as error:
        raise invalid(f"the body is not JSON: {error}") from None


def _values(raw: bytes | bytearray) -> int:
    """Return how many values a text of JSON has, but for the first of each list and object."""
    return raw.count(b"[") + raw.count(b"{") + raw.count(b",")


def of_call(error: grpc.aio.AioRpcError) -> GatewayError:
    """Return the error of a call that a service did not answer.

    A full queue says when to come back (429); RESOURCE_EXHAUSTED without that is a message that is too large
    (413). A service that cannot be reached says nothing, and is asked again after some seconds.
    """
    code, pushback = error.code(), dict(error.trailing_metadata() or ()).get(PUSHBACK_KEY, "")
    seconds = int(pushback) / 1000 if isinstance(pushback, str) and pushback.isdigit() else None
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        waits = seconds is not None
        http = HTTPStatus.TOO_MANY_REQUESTS if waits else HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    else:
        http = _STATUSES.get(code, HTTPStatus.INTERNAL_SERVER_ERROR)  # type: ignore[assignment]
    if code is grpc.StatusCode.UNAVAILABLE and seconds is None:
        seconds = _AWAY_SECONDS
    return GatewayError(http, code.name, error.details() or "", retry_after_seconds=seconds)


_BUSY_SECONDS = 1.0
_AWAY_SECONDS = 5.0  # as long as the longest pause of the clients of the SDK


#: Seconds in which a body must bring on at ``body_rate``.
_RATE_SECONDS = 10.0
#: Seconds in which what is left of a refused body may arrive.
_DISCARD_SECONDS = 2.0


class Bodies:
    """Reads bodies as far as the memory for all of them together goes.

    The memory of one caller grows no further than what is free, that of all callers of one address no further
    than twice that: so something is left for others, however many ask for all of it.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._taken: Counter[tuple[str, ...]] = Counter()  # bytes by caller, by address, and (by ()) of all

    @property
    def held(self) -> int:
        """Bytes of all bodies."""
        return self._taken[()]

    @asynccontextmanager
    async def body(self, request: Request, most: int | None = None) -> AsyncIterator[bytearray]:
        """Read the body of a request of JSON; its memory counts as taken until the block ends.

        Args:
            request: The request.
            most: Size of the largest body, if requests of its kind have a bound of their own.

        Raises:
            GatewayError: It is not JSON by its header, is too large or too slow, or all memory for bodies is
                taken.
        """
        address = request.client.host if request.client is not None else ""
        caller = address, request.headers.get("authorization", "")
        body, stream = bytearray(), request.stream()
        most = min(self._settings.body_bytes, most or self._settings.body_bytes)
        try:
            try:
                _check(request, most)
                await self._read(stream, body, caller, most)
            except GatewayError as error:
                self._release(len(body), caller)
                body.clear()
                if error.http not in (408, 499):
                    await _discard(stream)
                raise
            yield body
        finally:
            self._release(len(body), caller)

    async def _read(
        self, stream: AsyncIterator[bytes], body: bytearray, caller: tuple[str, str], most: int
    ) -> None:
        """Add the body to ``body``. What has arrived counts as taken, not what is announced."""
        settings, clock = self._settings, asyncio.get_running_loop().time
        at_rate, marked = int(settings.body_rate * _RATE_SECONDS), 0
        try:
            async with (
                asyncio.timeout(settings.body_seconds),
                asyncio.timeout(_RATE_SECONDS) as window,
            ):
                async for piece in stream:
                    if len(body) + len(piece) > most:
                        raise _too_large(most)
                    self._take(len(piece), caller)
                    body += piece
                    if len(body) - marked >= at_rate:
                        marked = len(body)
                        window.reschedule(clock() + _RATE_SECONDS)
        except TimeoutError:
            message = (
                f"the body did not arrive within {settings.body_seconds:g} s, or slower than "
                f"{settings.body_rate} bytes a second"
            )
            raise GatewayError(408, "DEADLINE_EXCEEDED", message) from None
        except ClientDisconnect:
            raise GatewayError(499, "CANCELLED", "the caller went away") from None

    def _take(self, size: int, caller: tuple[str, str]) -> None:
        free = self._settings.bodies_bytes - self._taken[()]
        own, of_address = (self._taken[owner] + size for owner in (caller, caller[:1]))
        if size and (own > free or of_address > 2 * free):
            message = "the gateway reads as much at once as it may; try again"
            raise GatewayError(503, "UNAVAILABLE", message, retry_after_seconds=_BUSY_SECONDS)
        for owner in _owners(caller):
            self._taken[owner] += size

    def _release(self, size: int, caller: tuple[str, str]) -> None:
        for owner in _owners(caller):
            self._taken[owner] -= size
        self._taken += Counter()  # without those that are 0


def _check(request: Request, most: int) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        message = f"the body is {kind or 'of no type'}; send it with Content-Type: application/json"
        raise GatewayError(415, "INVALID_ARGUMENT", message)
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise GatewayError(415, "INVALID_ARGUMENT", "the body is compressed; send it as it is")
    announced = request.headers.get("content-length", "0")
    if not announced.isdigit() or int(announced) > most:
        raise _too_large(most)


def _too_large(most: int) -> GatewayError:
    message = f"the body is larger than {most} bytes, the most that is read"
    return GatewayError(413, "RESOURCE_EXHAUSTED", message)


async def _discard(stream: AsyncIterator[bytes]) -> None:
    """Read the rest of a body that is refused: a caller that still sends would get a reset for an answer."""
    with contextlib.suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(_DISCARD_SECONDS):
            async for _ in stream:
                pass


def _owners(caller: tuple[str, str]) -> tuple[tuple[str, ...], ...]:
    return caller, caller[:1], ()


class Guard:
    """An ASGI application that passes on what it does not refuse.

    Args:
        app: The application behind.
        hosts: Names that the header ``Host`` may have, beside localhost and IP addresses.
        origins: Values that the header ``Origin`` may have.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], origins: Collection[str]) -> None:
        self._app, self._origins = app, frozenset(origins)
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts) | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or pass it on."""
        if scope["type"] == "http" and (refused := self._refusal(Headers(scope=scope))):
            await GatewayError(403, "PERMISSION_DENIED", refused).response()(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refusal(self, headers: Headers) -> str:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return "the gateway is not called by this name; --allow-host NAME adds one"
        if any(one not in self._origins for one in headers.getlist("origin")):
            return "pages of this origin may send no requests; --allow-origin ORIGIN lets them"
        return ""

    def _is_ours(self, host: str) -> bool:
        """Return whether a host is a name that is ours, or an address: nobody owns the name of an address."""
        name = host if host.endswith("]") else host.rpartition(":")[0] if ":" in host else host
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name.lower().rstrip(".") in self._hosts
        return True
