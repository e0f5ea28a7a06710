"""``up`` and ``down``: services that stay between commands, as child processes of a supervisor."""

from __future__ import annotations

import contextlib
import enum
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path

from i2s_sdk.errors import ServiceStartError, SettingsError, StackError, UnknownNameError
from i2s_sdk.service_table import GATEWAY, SANDBOXED, SERVICES, packaged_renderers
from i2s_sdk.settings import Settings
from i2s_sdk.stack.child import last_lines
from i2s_sdk.stack.command import remove_left_folders
from i2s_sdk.stack.state import (
    ENDED_BY_DOWN,
    StackKind,
    Up,
    end_requested,
    ending,
    forget,
    read_record,
    remove_record,
    serves,
    stack_folder,
    starting,
    supervisor,
)


def listen_on(address: str, option: str = "--listen") -> socket.socket:
    """Return a socket that listens on an address.

    Args:
        address: "host:port", the host of IPv6 in brackets; port 0 is any that is free.
        option: Names the address in messages.

    Raises:
        SettingsError: The address is taken, or is none of this machine.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, int(port)), family=family, backlog=1024)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise SettingsError(
            f"{option} {address}: cannot be listened on: {reason}; give another address"
        ) from None


def check_free(address: str, option: str = "--listen") -> None:
    """Check that an address can be listened on, before there is work for which it is wanted.

    Raises:
        SettingsError: The address is taken, or is none of this machine.
    """
    listen_on(address, option).close()


#: Names of all services of this package.
ALL = tuple(one.name for one in SERVICES)

_LOOK_EVERY = 0.05
_END_SECONDS = 60.0  # for a supervisor to end its services: each has ten
_SUPERVISOR_LOG = "supervisor.log"
_ADD_GATEWAY = "`i2s-sdk http` serves them in this terminal, or `i2s-sdk down` and `i2s-sdk up --http`"


class StoppedServices(enum.Enum):
    """What ``down`` has ended."""

    NOTHING = "nothing was up"
    SERVICES = "ended"
    START = "ended the services while `i2s-sdk up` was starting them"


def up(
    names: Collection[str] = (),
    *,
    docker: bool = False,
    http: str = "",
    settings: Settings | None = None,
    on_wait: Callable[[], None] | None = None,
) -> Up:
    """Have services serve until ``down``; if some are up already, return those.

    Args:
        names: Names of services; empty for all that are installed.
        docker: Whether they run as containers of the local Docker Engine instead of child processes.
        http: Address, on the loopback, of an HTTP gateway in front of them; empty for none.
        settings: How long a service may take until it serves.
        on_wait: Called if another ``up`` is starting services, before its end is waited for.

    Raises:
        StackError: A service cannot be started; what was started is ended. Or ``down`` was called
            meanwhile, or services are up without the gateway.
        SettingsError: The address of the gateway cannot be listened on.
        UnknownNameError: There is no service of that name.
    """
    known = ALL if docker else (*ALL, *packaged_renderers())
    for name in names:
        if name not in known:
            raise UnknownNameError("service", name, known)
    folder = stack_folder()
    with starting(folder, on_wait or _wait_quietly) as lock:
        running = read_record()
        if running is not None and serves(running):
            if http and running.address(GATEWAY) is None:
                raise StackError(f"services are up without the HTTP gateway; {_ADD_GATEWAY}")
            return running
        if http:
            check_free(http, "--http-listen")
        chosen = tuple(name for name in known if not names or name in names)
        seconds = (settings or Settings.load()).start_seconds
        forget(folder)  # what a killed supervisor has left names addresses at which nothing serves
        if docker:
            from i2s_sdk.stack.containers import start_containers

            return start_containers(chosen, folder, seconds)
        return _start_supervisor(chosen, "all" if names else "installed", seconds, lock, http)


def down() -> StoppedServices:
    """End what ``up`` has started, or is starting, and remove all of it, logs too.

    What services that were killed have left in the temporary folder is removed as well.

    Raises:
        StackError: Containers cannot be removed.
    """
    folder = stack_folder()
    ended = _end(folder) if folder.is_dir() else StoppedServices.NOTHING
    remove_left_folders(SANDBOXED)
    return ended


def _end(folder: Path) -> StoppedServices:
    with ending(folder) as interrupted:
        found = _end_supervisor(folder)
        record = folder / "stack.json"
        if record.exists() and f'"{StackKind.DOCKER}"' in record.read_text():
            from i2s_sdk.stack.containers import remove_containers

            found = remove_containers(folder) or found
        remove_record(folder)
        shutil.rmtree(folder, ignore_errors=True)
    if interrupted:
        return StoppedServices.START
    return StoppedServices.SERVICES if found else StoppedServices.NOTHING


def _wait_quietly() -> None:
    """Print nothing while another start is waited for."""


def _start_supervisor(names: Collection[str], which: str, seconds: float, lock: int, http: str) -> Up:
    """Start the supervisor and return what it has brought up.

    Args:
        names: Names of the services.
        which: Whether "all" of them must start, or those that are "installed".
        seconds: Seconds that each may take until it serves.
        lock: The lock of ``starting``; the supervisor has it too, until all serve.
        http: Address of the HTTP gateway; empty for none.
    """
    folder = stack_folder()
    log = folder / _SUPERVISOR_LOG
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "i2s_sdk.stack.supervise", str(seconds), which, str(lock), http, *names],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # it outlives this command and its terminal
            pass_fds=(lock,),
        )
    try:
        while (running := read_record()) is None:
            if process.poll() is not None:
                if end_requested(folder):
                    raise StackError(ENDED_BY_DOWN)
                reason = "\n".join(last_lines(log)) or f"it ended with exit code {process.returncode}"
                raise ServiceStartError(f"the services were not brought up: {reason}")
            time.sleep(_LOOK_EVERY)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    return running


def _end_supervisor(folder: Path) -> bool:
    pid = supervisor(folder)
    if pid is None:
        return False
    end = time.monotonic() + _END_SECONDS
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    while supervisor(folder) == pid:
        if time.monotonic() > end:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)  # its services are told by the kernel
        time.sleep(_LOOK_EVERY)
    return True
