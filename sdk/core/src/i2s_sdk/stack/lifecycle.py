"""``up``, ``down``, ``status`` and ``logs`` of services that stay between commands.

They run as child processes of a supervisor, or as containers.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_client import RetryPolicy
from i2s_client.service_table import GATEWAY, SERVICES, sandboxed_services, service_names
from i2s_sdk.errors import I2SError, ServiceStartError, SettingsError, StackError, UnknownNameError
from i2s_sdk.settings import FREE_PORTS, Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.child import GETTING_READY, last_lines, log_before, open_private
from i2s_sdk.stack.command import is_installed, remove_left_folders
from i2s_sdk.stack.services import client_kind, up_listen
from i2s_sdk.stack.state import (
    ENDED_BY_DOWN,
    SUPERVISOR_LOG,
    StackKind,
    Up,
    UpService,
    end_requested,
    ending,
    forget,
    read_record,
    remove_record,
    request_gateway,
    serves,
    stack_folder,
    starting,
    supervisor,
    write_record,
)
from i2s_sdk.waiting import logged_wait
from i2s_wire.documents.description import DocumentsDescription
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.render.description import RendererDescription


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
ALL = tuple(service.name for service in SERVICES)

_LOOK_EVERY = 0.05
_END_SECONDS = 60.0  # for a supervisor to end its services: each has ten
_LOG = ".log"


class StoppedServices(enum.Enum):
    """The services that ``down`` has ended."""

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
    on_progress: Callable[[str], None] | None = None,
) -> Up:
    """Have services serve until ``down``; if some are up already, return those, and add a wanted gateway.

    Args:
        names: Names of services; empty for all that are installed.
        docker: Whether they run as containers of the local Docker Engine instead of child processes.
        http: Address, on the loopback, of an HTTP gateway in front of them; empty for none.
        settings: How long a service may take until it serves.
        on_wait: Called if another ``up`` is starting services, before its end is waited for.
        on_progress: Called with a line that says how far a service is that takes long to start.

    Raises:
        StackError: A service is not installed, or none can be started; what was started is ended. Or ``down``
            was called meanwhile, or containers are up, to which no gateway is added.
        SettingsError: The address of the gateway or of a service cannot be listened on.
        UnknownNameError: There is no service of that name.
    """
    known = service_names()
    for name in names:
        if name not in known:
            raise UnknownNameError("service", name, known)
    folder = stack_folder()
    with starting(folder, on_wait or _wait_quietly) as lock:
        running = read_record()
        if running is not None and serves(running):
            if http and running.address(GATEWAY) is None:
                return _add_gateway(running, folder, http)
            return running
        if http:
            check_free(http, "--http-listen")
        # Whether a container of another package has an image here, only its name in the command says.
        wanted = names or (ALL if docker else known)
        chosen = tuple(name for name in known if name in wanted)
        settings = settings or Settings.load()
        listening = [name for name in chosen if names or docker or is_installed(name)]
        check_ports(listening, settings.up_ports)
        forget(folder)  # what a killed supervisor has left names addresses at which nothing serves
        for path in folder.iterdir():  # logs of an earlier stack
            if _is_log(path):
                path.unlink(missing_ok=True)
        if docker:
            from i2s_sdk.stack.containers import start_containers

            return start_containers(chosen, folder, settings.start_seconds, settings.up_ports)
        which = "all" if names else "installed"
        return _start_supervisor(chosen, which, settings, lock, http, on_progress or _show_nothing)


def check_ports(names: Collection[str], ports: str) -> None:
    """Check that the ports of services are free, and that no two have the same.

    Args:
        names: Names of the services.
        ports: The setting ``up_ports``.

    Raises:
        SettingsError: One is taken, or two services have the same; names the setting.
    """
    listening: dict[str, str] = {}
    for name in names:
        address = up_listen(name, ports)
        if not address.endswith(":0") and (other := listening.setdefault(address, name)) != name:
            raise SettingsError(
                f"{other} and {name} both listen on {address}: --ports {FREE_PORTS} (I2S_UP_PORTS="
                f"{FREE_PORTS}) lets the system choose; or name the services without one of them"
            )
        try:
            check_free(address)
        except SettingsError as error:
            raise SettingsError(
                f"{name}: {error.message.removeprefix('--listen ')}: --ports N (I2S_UP_PORTS=N) adds N to "
                f"the port of each service, --ports {FREE_PORTS} lets the system choose; or end what listens "
                "there"
            ) from None


def _add_gateway(running: Up, folder: Path, http: str) -> Up:
    """Have the supervisor start an HTTP gateway in front of what is up, and return all that is up then.

    Raises:
        StackError: It cannot be started, or ``down`` was called meanwhile; or containers are up.
        SettingsError: Its address cannot be listened on.
    """
    if running.kind is StackKind.DOCKER:
        raise StackError("containers are up: start `i2s-sdk http` beside them, which finds them")
    check_free(http, "--http-listen")
    missing = {name: reason for name, reason in running.missing.items() if name != GATEWAY}
    write_record(replace(running, missing=missing), folder)
    request_gateway(folder, http)
    while (now := read_record()) is not None:
        if now.address(GATEWAY) is not None:
            return now
        if GATEWAY in now.missing:
            raise ServiceStartError(f"the HTTP gateway was not brought up: {now.missing[GATEWAY]}")
        time.sleep(_LOOK_EVERY)
    raise StackError(ENDED_BY_DOWN)


def down() -> StoppedServices:
    """End what ``up`` has started, or is starting, and remove all of it but the logs; the next one does that.

    What services that were killed have left in the temporary folder is removed as well.

    Raises:
        StackError: Containers cannot be removed.
    """
    folder = stack_folder()
    with logged_wait("the services are ending"):
        ended = _end(folder) if folder.is_dir() else StoppedServices.NOTHING
        remove_left_folders(sandboxed_services())
    return ended


def _end(folder: Path) -> StoppedServices:
    with ending(folder) as interrupted:
        ended = _end_supervisor(folder)
        record = folder / "stack.json"
        if record.exists() and f'"{StackKind.DOCKER}"' in record.read_text():
            from i2s_sdk.stack.containers import remove_containers

            ended = remove_containers(folder) or ended
        remove_record(folder)
        _remove_all_but_logs(folder)
    if interrupted:
        return StoppedServices.START
    return StoppedServices.SERVICES if ended else StoppedServices.NOTHING


def _remove_all_but_logs(folder: Path) -> None:
    """Remove what a stack has left; the folder too if there are no logs in it."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif not _is_log(path):
            path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # the logs are left
        folder.rmdir()


def _is_log(path: Path) -> bool:
    """Return whether a file is a log, or what one held before it began anew."""
    return path.name.endswith((_LOG, log_before(Path(_LOG)).name))


def _wait_quietly() -> None:
    """Print nothing while another start is waited for."""


def _show_nothing(line: str) -> None:
    """Print nothing of a start's progress."""


def _start_supervisor(
    names: Collection[str],
    which: str,
    settings: Settings,
    lock: int,
    http: str,
    on_progress: Callable[[str], None],
) -> Up:
    """Start the supervisor and return what it has brought up.

    Args:
        names: Names of the services.
        which: Whether "all" of them must be installed, or those that are "installed" are started.
        settings: Seconds that each may take until it serves, and where it listens.
        lock: The lock of ``starting``; the supervisor has it too, until all serve.
        http: Address of the HTTP gateway; empty for none.
        on_progress: Called with each line that says how far a service is.
    """
    folder = stack_folder()
    log = folder / SUPERVISOR_LOG
    with open(log, "ab", opener=open_private) as output:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "i2s_sdk.stack.supervise"),
                *(str(settings.start_seconds), which, str(lock), http, settings.up_ports, *names),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # it outlives this command and its terminal
            pass_fds=(lock,),
        )
    try:
        shown = 0
        while (running := read_record()) is None:
            lines = [one for one in log.read_text(errors="replace").splitlines(True) if one.endswith("\n")]
            for line in lines[shown:]:
                if GETTING_READY in line:
                    on_progress(line.rstrip())
            shown = len(lines)
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


_ANSWER_SECONDS = 5.0  # seconds for a service to say how it is
_LOOK_FOR_LINES_EVERY = 0.2
_LONGEST_LINE = 4096  # bytes, on average, of those that are shown


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The state of a service."""

    #: Name, such as "metrics".
    name: str
    #: Where it listens.
    address: str
    #: Whether it answers and says that it serves.
    serves: bool
    #: Its version and isolation, or why it does not serve.
    detail: str


def status() -> tuple[ServiceState, ...]:
    """Ask every service that is up how it is; empty if nothing is up.

    Raises:
        StackError: The record of what is up cannot be read.
    """
    up = read_record()
    if up is None:
        return ()
    asked = run_blocking(
        _ask_all(tuple(service for service in up.services if service.name not in up.failing))
    )
    failing = (
        ServiceState(name, up.address(name) or "", False, f"{reason.partition(';')[0]}; it is tried again")
        for name, reason in up.failing.items()
    )
    return (*asked, *failing)


def last_words() -> str:
    """Return what the supervisor of the last stack said last; empty for nothing."""
    return next(reversed(last_lines(stack_folder() / SUPERVISOR_LOG, 1)), "")


def log_names() -> tuple[str, ...]:
    """Return the names of services that have a log: of those that are up, else of the last stack."""
    up = read_record()
    if up is not None and up.kind is StackKind.DOCKER:
        return tuple(service.name for service in up.services)
    return tuple(sorted(path.stem for path in stack_folder().glob(f"*{_LOG}")))


def service_log(name: str, lines: int, *, follow: bool = False) -> Iterator[bytes]:
    """Yield the end of a log, and with ``follow`` what comes after, for ever.

    Args:
        name: A service that is up, or was in the last stack; "supervisor" for what restarts them.
        lines: Number of lines.
        follow: Whether to go on.

    Raises:
        StackError: Nothing is up, and there is no log of an earlier stack.
        UnknownNameError: There is no log of that name.
    """
    names = log_names()
    if not names:
        raise StackError("nothing is up; `i2s-sdk up` starts the services")
    if name not in names:
        raise UnknownNameError("service that has a log", name, names)
    up = read_record()
    service = (
        next((up_service for up_service in up.services if up_service.name == name), None)
        if up is not None
        else None
    )
    if up is not None and up.kind is StackKind.DOCKER and service is not None:
        from i2s_sdk.stack.containers import container_log

        return container_log(service.runs_as, lines, follow=follow)
    return _file_log(stack_folder() / f"{name}{_LOG}", lines, follow=follow)


def _file_log(log: Path, lines: int, *, follow: bool) -> Iterator[bytes]:
    most_bytes = lines * _LONGEST_LINE
    shown = last_lines(log, lines, most_bytes)
    if len(shown) < lines and log.stat().st_size <= most_bytes:
        shown = [*last_lines(log_before(log), lines - len(shown), most_bytes), *shown]
    yield "".join(f"{line}\n" for line in shown).encode()
    if not follow:
        return
    with log.open("rb") as file:
        file.seek(0, 2)
        while True:
            if file.tell() > os.fstat(file.fileno()).st_size:  # it began anew
                file.seek(0)
            if piece := file.read():
                yield piece
            else:
                time.sleep(_LOOK_FOR_LINES_EVERY)


async def _ask_all(services: tuple[UpService, ...]) -> tuple[ServiceState, ...]:
    return tuple(await asyncio.gather(*(_ask(service) for service in services)))


async def _ask(service: UpService) -> ServiceState:
    once = RetryPolicy(total_seconds=_ANSWER_SECONDS)
    try:
        if service.name == GATEWAY:
            return await asyncio.to_thread(_ask_gateway, service)
        async with client_kind(service.name)(service.address, deadline=_ANSWER_SECONDS, retry=once) as client:
            await client.wait_ready(_ANSWER_SECONDS)
            about = await client.describe()
    except I2SError as error:
        return ServiceState(service.name, service.address, False, error.message)
    return ServiceState(service.name, service.address, True, _detail(about))


def _detail(about: MetricsDescription | DocumentsDescription | RendererDescription) -> str:
    match about:
        case MetricsDescription():
            return about.device
        case DocumentsDescription():
            engines = ", ".join(f"{engine.name} {engine.version}" for engine in about.engines)
        case RendererDescription():
            engines = f"{about.engine.name} {about.engine.version}"
    degraded = about.isolation.degraded
    warning = f", DEGRADED: {', '.join(degraded)}" if degraded else ""
    return f"{engines}, tier {about.isolation.tier.name.lower()}{warning}"


def _ask_gateway(service: UpService) -> ServiceState:
    """Ask the HTTP gateway. It serves if it answers; each service behind it is asked for itself."""
    connection = http.client.HTTPConnection(service.address, timeout=_ANSWER_SECONDS)
    try:
        connection.request("GET", "/v1/live")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException) as error:
        return ServiceState(service.name, service.address, False, str(error) or type(error).__name__)
    finally:
        connection.close()
    return ServiceState(service.name, service.address, True, f"http://{service.address}")
