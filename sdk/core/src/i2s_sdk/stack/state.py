"""The state of ``i2s-sdk up``: written down once the services serve, and read by every later command.

One folder of the user holds it: ``i2s`` in XDG_STATE_HOME, else in ``~/.local/state``. If child processes
serve, their supervisor holds a lock in it as long as it lives, so a record that outlived a crash is known.

One ``up`` at a time: a lock in the folder is held from the first look at what is up until all services serve,
by the command ``up`` and the supervisor that it starts, so that a killed command leaves it to the supervisor.
"""

from __future__ import annotations

import contextlib
import enum
import fcntl
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from i2s_sdk.errors import StackError
from i2s_sdk.json_text import JsonFields, plain_fields, read_json

_RECORD, _LOCK = "stack.json", "stack.lock"
#: Name of the log of the supervisor.
SUPERVISOR_LOG = "supervisor.log"
_CONNECT_SECONDS = 1.0
_MOMENT = 1.0  # far longer than a look at the lock takes
_LOOK_EVERY = 0.002


class StackKind(enum.StrEnum):
    """The form in which services run."""

    PROCESSES = "processes"
    DOCKER = "docker"


@dataclass(frozen=True, slots=True)
class UpService:
    """A service that was brought up."""

    #: Name, such as "metrics".
    name: str
    #: Where it listens, on the loopback.
    address: str
    #: Name of its container; empty for a process.
    runs_as: str = ""


@dataclass(frozen=True, slots=True)
class Up:
    """A stack that is up."""

    #: What it runs as.
    kind: StackKind
    #: All that serve.
    services: tuple[UpService, ...]
    #: Why others do not, by name.
    missing: Mapping[str, str] = field(default_factory=dict)
    #: Why others die at each start, by name. They are tried again and again.
    failing: Mapping[str, str] = field(default_factory=dict)

    def address(self, name: str) -> str | None:
        """Return the address of a service, None if it is not among them."""
        return next((service.address for service in self.services if service.name == name), None)


def stack_folder() -> Path:
    """Return the folder of this user's stack: its record, lock and logs."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "i2s"


def write_record(up: Up, folder: Path) -> None:
    """Write down what is up; the record appears whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f".{_RECORD}.{os.getpid()}"
    new.write_text(json.dumps(plain_fields(up), indent=2) + "\n")
    new.replace(folder / _RECORD)


def remove_record(folder: Path) -> None:
    """Remove the record of the services that were up."""
    (folder / _RECORD).unlink(missing_ok=True)


def forget(folder: Path) -> None:
    """Remove the record and the lock of a supervisor that is gone; nothing if one lives."""
    if supervisor(folder) is None:
        remove_record(folder)
        (folder / _LOCK).unlink(missing_ok=True)


def serves(up: Up) -> bool:
    """Return whether a stack that is recorded is there: its supervisor lives, or a container listens."""
    return up.kind is StackKind.PROCESSES or any(_listens(service.address) for service in up.services)


def read_record(folder: Path | None = None) -> Up | None:
    """Return what is up, None for nothing.

    The record of child processes whose supervisor is gone counts as nothing.

    Raises:
        StackError: The record cannot be read.
    """
    folder = folder or stack_folder()
    path = folder / _RECORD
    try:
        up = JsonFields(read_json(path.read_text())).read_as(Up)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StackError(
            f"{path} is no record of a stack ({error}); `i2s-sdk down` ends what runs and removes it"
        ) from None
    if up.kind is StackKind.PROCESSES and supervisor(folder) is None:
        return None
    return up


def up_address(name: str) -> str | None:
    """Return where a service is that was brought up and listens; None for none, or if it fails.

    While one that fails waits for its next start, another user may listen at its port.
    """
    try:
        up = read_record()
    except StackError:
        return None
    address = up.address(name) if up is not None and name not in up.failing else None
    return address if address is not None and _listens(address) else None


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


@contextlib.contextmanager
def supervising(folder: Path) -> Iterator[None]:
    """Be the one supervisor of a folder as long as the block lasts.

    Raises:
        StackError: There is one already.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("a+") as lock:
        if not _locked(lock.fileno()):
            raise StackError("services are up already, or on their way; `i2s-sdk down` ends them")
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _locked(lock: int) -> bool:
    """Return whether the lock was taken; that of a process which only looks is waited out."""
    end = time.monotonic() + _MOMENT
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > end:
                return False
            time.sleep(_LOOK_EVERY)
        else:
            return True


def supervisor(folder: Path) -> int | None:
    """Return the process id of the living supervisor of a folder, None for none."""
    try:
        with (folder / _LOCK).open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return int(lock.read() or 0) or None
    except (FileNotFoundError, ValueError):
        return None
    return None


_START_LOCK, _REQUEST, _GATEWAY = "starting.lock", "end.request", "gateway.request"
#: The signal by which a supervisor learns that a gateway is wanted.
GATEWAY_WANTED = signal.SIGUSR1
_LOOK_FOR_START_EVERY = 0.05
#: What ``up`` says if ``down`` was called while it started services.
ENDED_BY_DOWN = "`i2s-sdk down` ended the services while they were starting"


@contextlib.contextmanager
def starting(folder: Path, on_wait: Callable[[], None]) -> Iterator[int]:
    """Be the one process that starts services of a folder as long as the block lasts.

    Args:
        folder: Folder of the stack; made if it is not there.
        on_wait: Called if another process starts services, before its end is waited for.

    Yields:
        The descriptor of the lock; a child process that inherits it has the lock too.
    """
    lock = _try_lock(folder)
    if lock is None:
        on_wait()
    while lock is None:
        time.sleep(_LOOK_FOR_START_EVERY)
        lock = _try_lock(folder)
    try:
        (folder / _REQUEST).unlink(missing_ok=True)  # of a killed `down`; one that waits asks again
        yield lock
    finally:
        os.close(lock)


@contextlib.contextmanager
def ending(folder: Path) -> Iterator[bool]:
    """Let no process start services of a folder as long as the block lasts; a start under way is ended.

    Yields:
        Whether a start was under way.
    """
    lock = _try_lock(folder)
    interrupted = lock is None
    while lock is None:
        with contextlib.suppress(FileNotFoundError):  # another `down` removed the folder just now
            (folder / _REQUEST).touch()
        pid = supervisor(folder)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        time.sleep(_LOOK_FOR_START_EVERY)
        lock = _try_lock(folder)
    try:
        yield interrupted
    finally:
        os.close(lock)


def end_requested(folder: Path) -> bool:
    """Return whether ``down`` waits for the end of the start that is under way."""
    return (folder / _REQUEST).exists()


def request_gateway(folder: Path, address: str) -> None:
    """Ask the living supervisor of a folder for an HTTP gateway; its record says what became of it.

    Args:
        folder: Folder of the stack; ``starting`` is held.
        address: Where the gateway shall listen.
    """
    (folder / _GATEWAY).write_text(address)
    pid = supervisor(folder)
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, GATEWAY_WANTED)


def requested_gateway(folder: Path) -> str:
    """Return the address at which the gateway that was asked for shall listen."""
    return (folder / _GATEWAY).read_text()


def _try_lock(folder: Path) -> int | None:
    """Return the descriptor of the lock; None if another process has it."""
    path = folder / _START_LOCK
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:  # `down` removed the folder just now
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), path.stat()):
                return lock
        except BlockingIOError:
            os.close(lock)
            return None
        except FileNotFoundError:
            pass
        os.close(lock)  # that of a folder which `down` has removed
