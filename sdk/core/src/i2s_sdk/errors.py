"""The errors of the SDK in one tree; those of its clients come from :mod:`i2s_client.errors`.

::

    I2SError                            exit code 1
    ├── UsageError                      exit code 2: what was asked for cannot be done as asked
    │   ├── SettingsError               a flag, variable or line of the configuration file is wrong
    │   ├── UnknownNameError            no such task, model or metric; says what was perhaps meant
    │   ├── PluginError                 what another package provides cannot be used; names the package
    │   ├── DataError                   a data set or a file of completions is wrong; names file and line
    │   ├── WriteError                  a file or folder cannot be written: full disk, no permission
    │   └── RunConflictError            the run folder holds a run with other options; names them
    ├── StackError                      a local service cannot be started
    │   ├── CommandMissingError         its command is not installed
    │   └── ServiceStartError           it ended, or was not ready in time; carries the end of its log
    ├── SetupError                      a step of the set-up of this machine failed; has the end of its log
    ├── ServiceError                    a call ended with a gRPC status; carries address, method and status
    │   ├── RequestRefusedError         exit code 2: INVALID_ARGUMENT, NOT_FOUND, UNIMPLEMENTED, …
    │   ├── AccessError                 exit code 2: UNAUTHENTICATED, PERMISSION_DENIED
    │   ├── OverloadedError             RESOURCE_EXHAUSTED; retried if the service says when to come back
    │   ├── ServiceUnavailableError     UNAVAILABLE; retried
    │   ├── DeadlineError               DEADLINE_EXCEEDED
    │   ├── CallCancelledError          CANCELLED by the service
    │   ├── ServiceFaultError           INTERNAL, UNKNOWN, DATA_LOSS (see its log), ABORTED (killed)
    │   └── GroundTruthError            the ground truth crashed its engine or met a limit of the machine
    ├── InUseError                      exit code 4: another process works in the folder; names it
    ├── StoreError                      an object store does not answer
    │   └── StoreRefusedError           exit code 2: it refuses: no such bucket, no permission, no credentials
    ├── ScorerError                     scoring failed, or its process was killed, or an unexpected error
    ├── ProtocolError                   an answer that the contract does not allow
    ├── SourceStoppedError              a source of fresh documents refuses or does not answer
    └── ModelError                      a model gave no completion
        ├── ModelRefusedError           it would not answer: the model's doing, counted with 0
        ├── ModelFailedError            no usable answer after all attempts
        │   └── ModelInputRejectedError the server rejected this one input
        └── AllCallsFailedError         every call of a run has failed alike; ends the run

A key, name or account with which no call can be answered is a UsageError: ModelAccessError, exit code 2.
These five are in :mod:`i2s_sdk.models.completion`.

What an untrusted source did is never an error: it is the verdict of a rendering.
"""

from __future__ import annotations

import difflib
import errno
import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path

from i2s_client.errors import (
    AccessError,
    CallCancelledError,
    DeadlineError,
    I2SError,
    OverloadedError,
    PluginError,
    ProtocolError,
    RequestRefusedError,
    ServiceError,
    ServiceFaultError,
    ServiceUnavailableError,
    SettingsError,
    UsageError,
)
from i2s_wire.installation import install_command


def require_package(package: str, extra: str, user: str) -> None:
    """Check that a package is installed, without importing it.

    Args:
        package: The package.
        extra: The extra of this package that installs it.
        user: What needs it, such as "model 'hf/a'".

    Raises:
        UsageError: It is not; says the command that installs it.
    """
    try:
        spec = importlib.util.find_spec(package)
    except ModuleNotFoundError:  # of google.genai, where there is no google
        spec = None
    if spec is None:
        command = install_command(f"i2s-sdk[{extra}]")
        raise UsageError(f"{user} needs the package {package}: {command}")


def ownership(path: Path | str) -> str:
    """Return who owns what denies access to a path, who this process is, and what to do; empty if not known.

    Args:
        path: What cannot be read or written. If it does not exist, its nearest parent that does decides.
    """
    place = _nearest(Path(path))
    if place is None:
        return ""
    try:
        status = place.stat()
    except OSError:
        return ""
    user, group, mode = os.geteuid(), os.getegid(), f"{status.st_mode & 0o7777:o}"
    if status.st_uid == user:
        return f"{place} belongs to this process (uid {user}) and has mode {mode}; chmod it"
    return (
        f"{place} belongs to uid {status.st_uid} and gid {status.st_gid} (mode {mode}), and this process is "
        f"uid {user} and gid {group}; as its owner or as root give: chown {user}:{group} {place}"
    )


def _nearest(path: Path) -> Path | None:
    """Return the nearest of a path and its parents that denies this process something."""
    for place in (path.absolute(), *path.absolute().parents):
        try:
            place.lstat()
        except FileNotFoundError:
            continue
        except OSError:  # a parent of it denies the search
            continue
        return place
    return None


__all__ = [
    "AccessError",
    "CallCancelledError",
    "CommandMissingError",
    "DataError",
    "DeadlineError",
    "GroundTruthError",
    "I2SError",
    "InUseError",
    "ModelError",
    "OverloadedError",
    "PluginError",
    "ProtocolError",
    "RequestRefusedError",
    "RunConflictError",
    "ScorerError",
    "ServiceError",
    "ServiceFaultError",
    "ServiceStartError",
    "ServiceUnavailableError",
    "SettingsError",
    "StackError",
    "StoreError",
    "StoreRefusedError",
    "UnknownNameError",
    "UsageError",
    "WriteError",
]


class UnknownNameError(UsageError):
    """A name that nothing has.

    Args:
        kind: What the name was to be of: "model", "task", "metric".
        name: The name as given.
        known: The names that exist.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.known = sorted(known)
        close = difflib.get_close_matches(name.lower(), self.known, n=1, cutoff=0.5)
        meant = f"did you mean {close[0]!r}? " if close else ""
        super().__init__(f"no {kind} is called {name!r}; {meant}There are: {', '.join(self.known)}")


class DataError(UsageError):
    """A data set or a file of completions is wrong.

    Args:
        where: The file or folder.
        line: Counted from 1; 0 if the fault is in no single line.
        reason: What is wrong and what would be right.
    """

    def __init__(self, where: Path | str, line: int, reason: str) -> None:
        self.where, self.line, self.reason = Path(where), line, reason
        super().__init__(f"{where}:{line}: {reason}" if line else f"{where}: {reason}")


class WriteError(UsageError):
    """A file or folder cannot be written; names it, the reason, and what can be done.

    Args:
        where: What was to be written.
        error: What the system said.
    """

    def __init__(self, where: Path | str, error: OSError) -> None:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        advice = "free some space, and give the same command again" if full else "name another place"
        if error.errno == errno.EACCES and (denied := ownership(error.filename or where)):
            advice = f"{denied}; or name another place"
        named = error.filename is not None and str(error.filename) != str(where)
        at = f" ({error.filename})" if named else ""
        super().__init__(f"{where}: cannot be written: {error.strerror or error}{at}; {advice}")


class RunConflictError(UsageError):
    """The run folder holds a run with other options."""


class StackError(I2SError):
    """A local service cannot be started."""


class SetupError(I2SError):
    """A step of the set-up of this machine failed; has the end of its log."""


class CommandMissingError(StackError):
    """The command of a service is not installed."""


class ServiceStartError(StackError):
    """A local service ended before it was ready, or was not ready in time."""


class InUseError(I2SError):
    """Another process works in the folder of a run or of a collection; the command succeeds after its end."""

    exit_code = 4


class StoreError(I2SError):
    """An object store does not answer, after all attempts; what is in it stays valid."""


class StoreRefusedError(StoreError):
    """An object store refuses a call, and would refuse it again: bucket, permissions, credentials."""

    exit_code = 2


class GroundTruthError(ServiceError):
    """The ground truth crashed its engine, or met a limit of time, memory or processes.

    Another machine, or this one at another time, may render it, so it is no property of the sample. The
    status is the name of the verdict.
    """


class ScorerError(I2SError):
    """A scorer failed, its process was killed from outside, or judging an answer raised what nothing expects.

    No fault of what was scored.
    """


class ModelError(I2SError):
    """A model gave no completion for an instance."""
