"""The failures of a service, and the gRPC status of each, and the faults of a renderer's own.

What an untrusted source did is a verdict and never an exception of these trees; what stands here
is the other plane: what the caller or the service did wrong.

::

    ChassisError
    ├── ServiceSettingsError        a bad option or value: one line, exit code 2
    ├── StartError                  this service cannot serve here: one line, exit code 1
    │   └── StartKilledError        something outside killed what it started, each time: exit code 75
    └── CallError                   a call ends with a status
        ├── InvalidArgumentError    INVALID_ARGUMENT: malformed message, option without meaning
        ├── UnauthenticatedError    UNAUTHENTICATED: no or wrong credentials
        ├── PermissionDeniedError   PERMISSION_DENIED: credentials that may not do this
        ├── NotFoundError           NOT_FOUND: a digest that the stream does not hold
        ├── ResourceExhaustedError  RESOURCE_EXHAUSTED: the queue is full; come back later
        ├── AbortedError            ABORTED: something outside killed the job each time
        ├── DeadlineExceededError   DEADLINE_EXCEEDED: the caller's time is over
        ├── UnavailableError        UNAVAILABLE: starting, draining, or without workers
        └── InternalError           INTERNAL: a fault of the service; the log has the rest

    RendererError                   a renderer's own fault; its other errors derive from this one
    ├── EngineError                 the engine did not even begin, or did not pass its canary
    ├── RasterError                 a drawing is not an image of the kind that was asked for
    └── WarmError                   a warm process was lost or broke the protocol
        └── WarmKilledError         something outside killed it

Statuses are numbers of our own here so that nothing imports grpc before it serves.
"""

from __future__ import annotations

import enum
import secrets
from typing import ClassVar


class Status(enum.IntEnum):
    """gRPC's status codes (https://grpc.io/docs/guides/status-codes/), same names and numbers."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    ABORTED = 10
    INTERNAL = 13
    UNAVAILABLE = 14
    UNAUTHENTICATED = 16


class Refusal(enum.StrEnum):
    """Why a call was refused before anything of it was begun, as metrics count it."""

    QUEUE = "queue"  # all slots and places in the queue are taken
    QUOTA = "quota"  # the caller has used up what is its own
    BYTES = "bytes"  # the requests that run or wait are too large together
    STARTING = "starting"
    UNHEALTHY = "unhealthy"
    DRAINING = "draining"
    CREDENTIALS = "credentials"  # none, or unknown ones
    PERMISSION = "permission"  # good ones that do not suffice


class ChassisError(Exception):
    """Root of the tree.

    Attributes:
        message: One line for people: what failed, why, and what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ServiceSettingsError(ChassisError):
    """An option, variable or configuration file is wrong; names it."""


class StartError(ChassisError):
    """This service cannot serve on this machine; says what is missing and what to install."""


class StartKilledError(StartError):
    """Something outside killed a process that the start needs, which says nothing of this machine.

    The exit code is EX_TEMPFAIL of sysexits.h: whoever starts services starts it again.
    """


class CallError(ChassisError):
    """A call ends with a status. The message reaches the caller: it never holds source text.

    Attributes:
        status: The gRPC status.
        retry_after_ms: When to come back, if that helps; else 0.
        refusal: Why nothing was begun; None if the work was begun, or the request itself is at fault.
        is_late: Whether the caller is to learn of it only when it may come back.
    """

    status: ClassVar[Status] = Status.UNKNOWN

    def __init__(
        self,
        message: str,
        retry_after_ms: int = 0,
        *,
        refusal: Refusal | None = None,
        is_late: bool = False,
    ) -> None:
        super().__init__(message)
        self.retry_after_ms, self.refusal, self.is_late = retry_after_ms, refusal, is_late


class InvalidArgumentError(CallError):
    """The message is malformed or an option has no meaning.

    Attributes:
        field: Path of the field in the request, such as "options.page.dpi".
    """

    status = Status.INVALID_ARGUMENT

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field


class UnauthenticatedError(CallError):
    """No or wrong credentials."""

    status = Status.UNAUTHENTICATED

    def __init__(self, message: str) -> None:
        super().__init__(message, refusal=Refusal.CREDENTIALS)


class PermissionDeniedError(CallError):
    """Credentials that may not do this."""

    status = Status.PERMISSION_DENIED

    def __init__(self, message: str) -> None:
        super().__init__(message, refusal=Refusal.PERMISSION)


class NotFoundError(CallError):
    """Something that the caller named is not here, or not any more."""

    status = Status.NOT_FOUND


class ResourceExhaustedError(CallError):
    """The service has no place for this now."""

    status = Status.RESOURCE_EXHAUSTED


class AbortedError(CallError):
    """Something outside killed the processes of the job each time: it may do so again, here and elsewhere."""

    status = Status.ABORTED


class DeadlineExceededError(CallError):
    """The caller's deadline passed before there was an answer."""

    status = Status.DEADLINE_EXCEEDED


class UnavailableError(CallError):
    """The service is starting, draining, or has lost its workers."""

    status = Status.UNAVAILABLE


class InternalError(CallError):
    """A fault of the service.

    Attributes:
        error_id: Stands in the log beside the traceback; all that the caller learns.
    """

    status = Status.INTERNAL

    def __init__(self, error_id: str) -> None:
        super().__init__(f"the service failed; its log has the reason under error id {error_id}")
        self.error_id = error_id


def new_error_id() -> str:
    """Return an id that is unlikely to stand twice in a log: 12 hexadecimal digits."""
    return secrets.token_hex(6)


class RendererError(Exception):
    """Root of the tree."""


class EngineError(RendererError):
    """The engine did not even begin, or did not pass its canary: a fault of this installation."""


class RasterError(RendererError):
    """A drawing is not an image of the kind that was asked for."""


class WarmError(RendererError):
    """A warm process was lost or broke the protocol."""


class WarmKilledError(WarmError):
    """Something outside killed a warm process."""
