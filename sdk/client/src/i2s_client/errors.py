"""The errors of the clients; those of ``i2s_sdk`` continue this tree in :mod:`i2s_sdk.errors`.

::

    I2SError                            exit code 1 of the command
    ├── UsageError                      exit code 2: what was asked for cannot be done as asked
    │   ├── SettingsError               an address, a token, a flag or a variable is wrong
    │   └── PluginError                 what another package provides cannot be used; names the package
    ├── ServiceError                    a call ended with a gRPC status; carries address, method and status
    │   ├── RequestRefusedError         exit code 2: INVALID_ARGUMENT, NOT_FOUND, UNIMPLEMENTED, …
    │   ├── AccessError                 exit code 2: UNAUTHENTICATED, PERMISSION_DENIED
    │   ├── OverloadedError             RESOURCE_EXHAUSTED; retried if the service says when to come back
    │   ├── ServiceUnavailableError     UNAVAILABLE; retried
    │   ├── DeadlineError               DEADLINE_EXCEEDED
    │   ├── CallCancelledError          CANCELLED by the service
    │   └── ServiceFaultError           INTERNAL, UNKNOWN, DATA_LOSS (see its log), ABORTED (killed)
    └── ProtocolError                   an answer that the contract does not allow

What an untrusted source did is never an error: it is the verdict of a rendering.
"""

from __future__ import annotations

from typing import ClassVar


class I2SError(Exception):
    """Root of the tree.

    Attributes:
        message: Message for people: what failed, why, and what to do.
        exit_code: What the command line ends with.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UsageError(I2SError):
    """The request cannot be done as it was made."""

    exit_code = 2


class SettingsError(UsageError):
    """A flag, an environment variable or a line of the configuration file is wrong; names it."""


class PluginError(UsageError):
    """The entry point of another package cannot be used.

    Args:
        group: The group of the entry point, such as "i2s_sdk.tasks".
        name: The name of the entry point.
        package: The package that provides it.
        reason: What is wrong, in one line.
    """

    def __init__(self, group: str, name: str, package: str, reason: str) -> None:
        self.package = package
        super().__init__(f"{group} {name!r} of the package {package} cannot be used: {reason}")


class ServiceError(I2SError):
    """A call ended with a gRPC status.

    Attributes:
        address: Where the service was looked for.
        method: Name, such as "Render".
        status: Name of the status, such as "UNAVAILABLE".
        detail: What the service said.
        attempts: How often the call was made.
    """

    def __init__(self, message: str, *, address: str, method: str, status: str, detail: str = "") -> None:
        super().__init__(message)
        self.address, self.method, self.status, self.detail = address, method, status, detail
        self.attempts = 1


class RequestRefusedError(ServiceError):
    """The service does not accept the request; another attempt would end the same."""

    exit_code = 2


class AccessError(ServiceError):
    """No or wrong credentials, or not enough of them; another attempt would end the same."""

    exit_code = 2


class OverloadedError(ServiceError):
    """The queue is full or the message too large."""

    #: When the service wants to be asked again; None if that would not help.
    retry_after_seconds: float | None = None


class ServiceUnavailableError(ServiceError):
    """Nobody answers there, or the service is starting, draining or went away in the middle."""

    #: When the service wants to be asked again; None if it did not say.
    retry_after_seconds: float | None = None


class DeadlineError(ServiceError):
    """There was no answer within the deadline of the call. Not retried: the time is spent."""


class CallCancelledError(ServiceError):
    """The service cancelled the call."""


class ServiceFaultError(ServiceError):
    """A fault of the service, whose log has the reason under the error id that the message carries.

    Or something outside of the service killed the job each time that it was run (ABORTED). Not retried.
    """


class ProtocolError(I2SError):
    """A service answered what the contract does not allow: it speaks another version."""
