"""The commands of services: how they are started, and what they are asked besides (``clean``, ``host``)."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from i2s_client.service_table import OWN_SERVICES, packaged_renderer, service_names, variable_name
from i2s_sdk.errors import CommandMissingError, PluginError, StackError, UnknownNameError
from i2s_sdk.json_text import read_json
from i2s_wire.installation import install_command, services_command

_KEPT = frozenset({"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "USER", "LOGNAME", "XDG_CACHE_HOME"})
_KEPT_PREFIXES = ("LC_", "OTEL_")
_OUR_NAME = "OTEL_SERVICE_NAME"
_OURS = (
    *("LISTEN", "ANNOUNCE", "TLS_CERT", "TLS_KEY", "TLS_CLIENT_CA", "ACCESS_FILE"),
    *("INSECURE", "INSECURE_MONITORING", "CONFIG"),
)


def program_name(service: str) -> str:
    """Return the command of a service."""
    return f"i2s-{service}"


def chosen_services(names: Collection[str]) -> tuple[str, ...]:
    """Return full names of services, in the order of the table; all of them if none is named.

    Args:
        names: Names of services; "render-" may be left out.

    Raises:
        UnknownNameError: There is no such service.
    """
    every = service_names()
    known = {alias: name for name in every for alias in (name, name.removeprefix("render-"))}
    for name in names:
        if name not in known:
            raise UnknownNameError("service", name, known)
    chosen = {known[name] for name in names}
    return tuple(name for name in every if not names or name in chosen)


@dataclass(frozen=True, slots=True)
class ServiceCommand:
    """A service as it is started here."""

    #: Name, such as "metrics".
    name: str
    #: Full name of its gRPC service, for the health check; None for a service that serves once it has
    #: announced its address.
    wire_name: str | None
    #: Arguments of its command, after those that every service has.
    arguments: tuple[str, ...] = ()
    #: Words of the command; empty for the program of that name, with ``serve``.
    program: tuple[str, ...] = ()
    #: Address that it listens on; with port 0, the system chooses at the first start.
    listen: str = "127.0.0.1:0"
    #: Further variables.
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The command as messages name it."""
        return f"i2s-sdk {self.name}" if self.program else program_name(self.name)

    def words(self) -> tuple[str, ...]:
        """Return the words that start the command.

        Raises:
            CommandMissingError: It is not installed.
        """
        return self.program or (str(find_program(self.name)), "serve")


def find_program(service: str) -> Path:
    """Return the path of the command of a service: beside the running Python, else on the PATH.

    Raises:
        CommandMissingError: It is in neither place.
    """
    name = program_name(service)
    beside = Path(sys.executable).parent / name
    if os.access(beside, os.X_OK):
        return beside
    path = shutil.which(name)
    if path is None:
        remedy = services_command(name) if service in OWN_SERVICES else _remedy(service)
        raise CommandMissingError(
            f"{name} is not installed beside {sys.executable} nor on the PATH; {remedy}, "
            f"or name a running service with {variable_name(service)}=host:port"
        )
    return Path(path)


def _remedy(service: str) -> str:
    """Return what installs a renderer of another package."""
    try:
        spec = packaged_renderer(service)
    except PluginError:
        return f"install it with: {install_command(program_name(service))}"
    return f"install it with: {install_command(spec.requirement)}{spec.hint and f' ({spec.hint})'}"


def child_environment(service: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a service.

    It has what a program needs to find its files, what OpenTelemetry reads (``OTEL_…``) save the name of this
    process, and the settings that are addressed to this service (``I2S_METRICS_…``) save those that the
    stack decides. Keys of model providers and everything else
    stay here.
    """
    own = f"{variable_name(service)}_"
    decided = {own + name for name in _OURS}
    return {
        name: value
        for name, value in environ.items()
        if name in _KEPT
        or (name.startswith(_KEPT_PREFIXES) and name != _OUR_NAME)
        or (name.startswith(own) and name not in decided)
    }


def is_installed(service: str) -> bool:
    """Return whether the command of a service is installed here."""
    try:
        find_program(service)
    except CommandMissingError:
        return False
    return True


_log = logging.getLogger(__name__)

_SECONDS = 60.0


def remove_left_folders(services: Collection[str]) -> tuple[str, ...]:
    """Remove the work folders of killed services, and return their paths; services that run keep theirs.

    The renderers know what they make; each that is installed is asked by its subcommand ``clean``, all at
    the same time, with the settings that it would be started with. One that fails is logged and has no other
    effect.

    Args:
        services: Names of renderers.
    """
    with ThreadPoolExecutor(max_workers=max(1, len(services))) as threads:
        return tuple(path for removed in threads.map(_removed_by, services) for path in removed)


def _removed_by(name: str) -> Sequence[str]:
    """Ask one renderer to remove what is left of it, and return the paths."""
    try:
        program = find_program(name)
    except CommandMissingError:
        return ()
    try:
        cleaned = subprocess.run(
            [program, "clean"],
            env=child_environment(name, os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        _log.warning("%s clean failed: %s", program_name(name), error)
        return ()
    return cleaned.stdout.splitlines()


async def forbidden_here(services: Iterable[str]) -> tuple[str, ...]:
    """Return what the host forbids, a line each with what permits it; empty if it forbids nothing.

    The renderers know what their sandboxes are made of; each is asked by its subcommand ``host``, with the
    settings that it would be started with.

    Args:
        services: Names of renderers that are installed here.

    Raises:
        StackError: A renderer does not answer.
    """
    answers = await asyncio.gather(*(_ask(name) for name in services))
    return tuple(dict.fromkeys(line for answer in answers for line in answer))


async def _ask(service: str) -> tuple[str, ...]:
    process = await asyncio.create_subprocess_exec(
        str(find_program(service)),
        "host",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=child_environment(service, os.environ),
    )
    try:
        output, complaint = await asyncio.wait_for(process.communicate(), _SECONDS)
        return tuple(str(diagnosis["text"]) for diagnosis in read_json(output)["diagnoses"])
    except TimeoutError:
        process.kill()
        await process.wait()
        raise StackError(f"{program_name(service)} host did not answer within {_SECONDS:g} s") from None
    except (ValueError, KeyError, TypeError):
        last = complaint.decode(errors="replace").strip().rpartition("\n")[2] or "nothing that can be read"
        raise StackError(f"{program_name(service)} host answered: {last}") from None
