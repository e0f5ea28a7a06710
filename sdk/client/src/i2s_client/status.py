"""The error of the SDK for a gRPC status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, cast

import grpc

from i2s_client.errors import (
    AccessError,
    CallCancelledError,
    DeadlineError,
    OverloadedError,
    RequestRefusedError,
    ServiceError,
    ServiceFaultError,
    ServiceUnavailableError,
)

PUSHBACK_KEY = "grpc-retry-pushback-ms"

_ERRORS: dict[grpc.StatusCode, tuple[type[ServiceError], str]] = {
    grpc.StatusCode.UNAVAILABLE: (ServiceUnavailableError, "is the service running there, and reachable?"),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (OverloadedError, "send less at once, or give it more slots"),
    grpc.StatusCode.DEADLINE_EXCEEDED: (
        DeadlineError,
        "the machine may be overloaded, or the source endless; "
        "give calls more time with --set deadline=SECONDS",
    ),
    grpc.StatusCode.CANCELLED: (CallCancelledError, "the service may be shutting down"),
    grpc.StatusCode.UNAUTHENTICATED: (
        AccessError,
        "give a token that it knows with I2S_TOKEN or --token-file, or a certificate with --set tls_cert",
    ),
    grpc.StatusCode.PERMISSION_DENIED: (
        AccessError,
        "our credentials are valid and not enough; ask its operator",
    ),
    grpc.StatusCode.INTERNAL: (ServiceFaultError, "the log of the service has the reason"),
    grpc.StatusCode.UNKNOWN: (ServiceFaultError, "the log of the service has the reason"),
    grpc.StatusCode.DATA_LOSS: (ServiceFaultError, "the log of the service has the reason"),
    grpc.StatusCode.ABORTED: (ServiceFaultError, "that is no fault of the request; try again later"),
    grpc.StatusCode.UNIMPLEMENTED: (RequestRefusedError, "this is not the service that was expected there"),
}
_OTHERWISE = (RequestRefusedError, "mend the request")


class _Ended(Protocol):
    """The parts that the errors of both kinds of channel have besides being errors."""

    def code(self) -> grpc.StatusCode: ...
    def details(self) -> str | None: ...
    def trailing_metadata(self) -> Iterable[tuple[str, str | bytes]] | None: ...


def error_of(error: grpc.RpcError, address: str, method: str) -> ServiceError:
    """Return what a failed call of either kind of channel means.

    Args:
        error: Error as grpc raised it.
        address: Where the service was looked for.
        method: Name, such as "Render".
    """
    ended = cast("_Ended", error)
    converted = _error(ended.code(), ended.details() or "", address, method)
    if isinstance(converted, OverloadedError | ServiceUnavailableError):
        converted.retry_after_seconds = _pushback_seconds(ended.trailing_metadata() or ())
    return converted


def stream_error(
    status: grpc.StatusCode, detail: str, retry_after_ms: int, address: str, method: str
) -> ServiceError:
    """Return what a failed item of a stream means; see ``error_of``.

    Args:
        status: Status that a single call would have ended with.
        detail: What the service said.
        retry_after_ms: When to come back; 0 if it did not say.
        address: Where the service is.
        method: Name, such as "RenderStream".
    """
    error = _error(status, detail, address, method)
    if isinstance(error, OverloadedError | ServiceUnavailableError) and retry_after_ms:
        error.retry_after_seconds = retry_after_ms / 1000.0
    return error


def _error(status: grpc.StatusCode, detail: str, address: str, method: str) -> ServiceError:
    kind, advice = _ERRORS.get(status, _OTHERWISE)
    said = f": {detail}" if detail else ""
    return kind(
        f"{method} at {address} ended with {status.name}{said} ({advice})",
        address=address,
        method=method,
        status=status.name,
        detail=detail,
    )


def status_of(number: int) -> grpc.StatusCode:
    """Return the status of a number on the wire; UNKNOWN if there is none such."""
    return next(
        (status_code for status_code in grpc.StatusCode if status_code.value[0] == number),
        grpc.StatusCode.UNKNOWN,
    )


def _pushback_seconds(metadata: Iterable[tuple[str, str | bytes]]) -> float | None:
    """Return when the service wants to be asked again; negative and unreadable values mean "not at all"."""
    value = dict(metadata).get(PUSHBACK_KEY, "")
    return int(value) / 1000.0 if value.isdigit() else None
