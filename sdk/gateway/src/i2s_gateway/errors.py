"""What a request ends with if it has no answer: a status of HTTP, and of gRPC, and one sentence."""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import Any

import grpc
import grpc.aio
from starlette.responses import JSONResponse, Response

from i2s_client.status import PUSHBACK_KEY

#: Statuses of HTTP by those of gRPC, as google.rpc.Code has them. RESOURCE_EXHAUSTED is told apart below.
_STATUSES = {
    grpc.StatusCode.CANCELLED: 499,
    grpc.StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.DEADLINE_EXCEEDED: HTTPStatus.GATEWAY_TIMEOUT,
    grpc.StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS: HTTPStatus.CONFLICT,
    grpc.StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    grpc.StatusCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    grpc.StatusCode.FAILED_PRECONDITION: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.ABORTED: HTTPStatus.CONFLICT,
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
    """

    def __init__(
        self, http: int, status: str, message: str, *, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(message)
        self.http, self.status, self.message = int(http), status, message
        self.retry_after_seconds = retry_after_seconds

    def response(self) -> Response:
        """Return the response that says so."""
        error: dict[str, Any] = {"status": self.status, "message": self.message}
        headers = {}
        if self.retry_after_seconds is not None:
            error["retry_after_seconds"] = self.retry_after_seconds
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after_seconds)))
        if self.http == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        return JSONResponse({"error": error}, self.http, headers)


def invalid(message: str) -> GatewayError:
    """Return the error of a request that is wrong in itself."""
    return GatewayError(HTTPStatus.BAD_REQUEST, "INVALID_ARGUMENT", message)


def of_call(error: grpc.aio.AioRpcError) -> GatewayError:
    """Return the error of a call that a service did not answer.

    A full queue says when to come back (429); RESOURCE_EXHAUSTED without that is a message that is too large
    (413).
    """
    code, pushback = error.code(), dict(error.trailing_metadata() or ()).get(PUSHBACK_KEY, "")
    seconds = int(pushback) / 1000 if isinstance(pushback, str) and pushback.isdigit() else None
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        waits = seconds is not None
        http = HTTPStatus.TOO_MANY_REQUESTS if waits else HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    else:
        http = _STATUSES.get(code, HTTPStatus.INTERNAL_SERVER_ERROR)  # type: ignore[assignment]
    return GatewayError(http, code.name, error.details() or "", retry_after_seconds=seconds)
