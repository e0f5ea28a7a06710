"""Services as containers of the local Docker Engine, for ``up --docker``. Needs the extra ``docker``.

``docker compose`` and ``i2s-sdk up --docker`` start the services from one template, that of
deploy/compose/compose.yaml.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import socket
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc.aio

from i2s_client.connection import channel_options, wait_until_serving
from i2s_client.service_table import service_row, wire_name
from i2s_sdk.errors import ServiceStartError, ServiceUnavailableError, StackError
from i2s_sdk.json_text import read_json
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.deployment import compose_text, deploy_folder
from i2s_sdk.stack.services import up_listen
from i2s_sdk.stack.state import ENDED_BY_DOWN, StackKind, Up, UpService, end_requested, write_record
from i2s_wire.installation import checkout_command, install_command

if TYPE_CHECKING:
    from docker import DockerClient  # type: ignore[import-untyped,unused-ignore]
    from docker.models.containers import Container  # type: ignore[import-untyped,unused-ignore]


_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")
_SECCOMP = "seccomp:"
_NANO = 1_000_000_000


@cache
def _document() -> Mapping[str, Any]:
    import yaml

    document: Mapping[str, Any] = yaml.safe_load(compose_text())
    return document


def _resolved(value: object) -> str:
    """Return a value with its variables replaced, as Compose does it: by the environment or their default."""
    return _VARIABLE.sub(lambda found: os.environ.get(found[1]) or found[2], str(value))


def image_of(name: str) -> str:
    """Return the image of a service, of the proxy or of the SDK."""
    return _resolved(_document()["services"][name]["image"])


def network_options(name: str) -> dict[str, Any]:
    """Return the arguments of docker's ``networks.create`` for the network of a service."""
    network = _document()["networks"][name]
    return {"internal": network.get("internal", False), "options": network.get("driver_opts", {})}


def stop_seconds(name: str) -> int:
    """Return how long a container may take to end before it is killed."""
    return int(_document()["services"][name]["stop_grace_period"].removesuffix("s"))


def container_options(name: str, processors: int) -> dict[str, Any]:
    """Return the arguments of docker's ``containers.create`` for a service or the proxy.

    Networks, ports and the command of the proxy are left out: they depend on the stack.

    Args:
        name: Name of the service.
        processors: Processors of the engine, which refuses a container with more; on a Mac it has a machine
            of its own.

    Raises:
        KeyError: The file has an option that is unknown here.
    """
    service = _document()["services"][name]
    options: dict[str, Any] = {"privileged": False}
    for key, value in service.items():
        if key == "cpus":
            options["nano_cpus"] = int(min(float(_resolved(value)), processors) * _NANO)
        elif key not in _OF_THE_STACK:
            options.update(_OPTIONS[key](value))
    return options


def _security(options: list[str]) -> dict[str, Any]:
    return {"security_opt": [_with_profile(option) for option in options]}


def _with_profile(option: str) -> str:
    """Return a security option; one that names a seccomp profile has its content, as the engine wants it."""
    if not option.startswith(_SECCOMP):
        return option
    profile = (deploy_folder() / "compose" / option.removeprefix(_SECCOMP)).read_text("utf-8")
    return f"seccomp={json.dumps(read_json(profile))}"


def _limits(limits: Mapping[str, int]) -> dict[str, Any]:
    from docker.types import Ulimit  # type: ignore[import-untyped,unused-ignore]

    return {"ulimits": [Ulimit(name=name, soft=most, hard=most) for name, most in limits.items()]}


def _logging(value: Mapping[str, Any]) -> dict[str, Any]:
    from docker.types import LogConfig

    return {"log_config": LogConfig(type=value["driver"], config=dict(value["options"]))}


def _same(key: str) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {key: value}


#: What the stack decides by itself.
_OF_THE_STACK = frozenset({"image", "networks", "ports", "command", "stop_grace_period"})
_OPTIONS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    **{
        key: _same(key)
        for key in (
            "cap_drop",
            "dns",
            "entrypoint",
            "environment",
            "init",
            "mem_limit",
            "memswap_limit",
            "pids_limit",
            "read_only",
            "user",
        )
    },
    "logging": _logging,
    "restart": lambda value: {"restart_policy": {"Name": value}},
    "security_opt": _security,
    "tmpfs": lambda mounts: {"tmpfs": dict(mount.split(":", 1) for mount in mounts)},
    "ulimits": _limits,
}


_LABEL = "org.image2struct.stack"
_LAST_LINES = 20
_LOOK_EVERY = 0.05
#: What forwards connections from this machine to the services, see `i2s_sdk.stack.tcp_proxy`.
_PROXY = "proxy"
_BUILD = "deploy/images/build"


def start_containers(names: Sequence[str], folder: Path, seconds: float, ports: str) -> Up:
    """Start containers of services, walled in, and return once they serve.

    Args:
        names: Names of the services.
        folder: Folder of the stack; the record is written there.
        seconds: Seconds that they may take until they serve.
        ports: The setting ``up_ports``.

    Raises:
        StackError: There is no engine, an image is missing, a service did not serve, or ``down`` was called
            meanwhile; all is removed again.
    """
    with _engine() as engine:
        _check_images(engine, names)
        try:
            up = _start(engine, names, folder, ports)
            run_blocking(_until_serving(up, seconds, folder))
        except ServiceUnavailableError as error:
            logs = "\n".join(_ends_of_logs(engine, folder))
            _remove(engine, folder)
            raise ServiceStartError(f"{error.message}\n{logs}") from None
        except BaseException:
            _remove(engine, folder)
            raise
    write_record(up, folder)
    return up


def remove_containers(folder: Path) -> bool:
    """Drain, end and remove all containers and networks of a stack; returns whether there were any.

    Raises:
        StackError: There is no engine, or it refuses.
    """
    with _engine() as engine:
        return _remove(engine, folder)


def container_log(name: str, lines: int, *, follow: bool) -> Iterator[bytes]:
    """Yield the end of a container's log, and with ``follow`` what comes after.

    Raises:
        StackError: There is no engine, or no such container.
    """
    with _engine() as engine:
        container = engine.containers.get(name)
        logs = container.logs(stream=follow, follow=follow, tail=lines)
        yield from logs if follow else (logs,)


@contextmanager
def _engine() -> Iterator[DockerClient]:
    """Yield a client of the engine that DOCKER_HOST names, else the local one."""
    try:
        import docker
        import yaml  # noqa: F401 - of the same extra
        from docker.errors import DockerException  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise StackError(f"--docker needs the package docker: {install_command('i2s-sdk[docker]')}") from None
    try:
        engine = docker.from_env()
        engine.ping()
    except DockerException as error:
        raise StackError(
            f"no Docker Engine answers ({error}); {_how_to_start()}, or name its socket in DOCKER_HOST"
        ) from None
    try:
        yield engine
    except DockerException as error:
        raise StackError(f"the Docker Engine refused: {error}") from None
    finally:
        engine.close()


def _how_to_start() -> str:
    """Return how an engine is started on this machine."""
    if sys.platform == "darwin":
        return "start Docker Desktop, or another engine that runs on a Mac"
    if Path("/run/systemd/system").is_dir():
        return "start one with: systemctl start docker"
    if shutil.which("dockerd"):
        return "start one as root with: dockerd"
    return f"install one with: {checkout_command('scripts/bootstrap containers')}"


def _check_images(engine: DockerClient, names: Collection[str]) -> None:
    there = {tag for image in engine.images.list() for tag in image.tags}
    missing = [image_of(name) for name in (*names, _PROXY) if image_of(name) not in there]
    if missing:
        raise StackError(
            f"there is no image {', '.join(missing)}; build them with {checkout_command(_BUILD)}"
        )


def _mark(folder: Path) -> str:
    """Return what marks the containers and networks of a stack: the same for the same folder."""
    return hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:10]


def _start(engine: DockerClient, names: Sequence[str], folder: Path, wanted: str) -> Up:
    _remove(engine, folder)  # what a killed command has left
    mark = _mark(folder)
    processors = int(engine.info()["NCPU"])
    labels = {_LABEL: mark}
    inside = {name: service_row(name).port for name in names}
    ports = dict(zip(names, _free_ports(len(names)), strict=True))
    ports |= {name: port for name in names if (port := int(up_listen(name, wanted).rpartition(":")[2]))}
    front = engine.networks.create(f"i2s-{mark}-front", labels=labels)
    for name in names:
        network = engine.networks.create(f"i2s-{mark}-{name}", labels=labels, **network_options(name))
        container = engine.containers.create(
            image_of(name),
            name=f"i2s-{mark}-{name}",
            network=network.name,
            labels=labels,
            **container_options(name, processors),
        )
        container.start()
    proxy = engine.containers.create(
        image_of(_PROXY),
        [f"{inside[name]}=i2s-{mark}-{name}:{inside[name]}" for name in names],
        name=f"i2s-{mark}-{_PROXY}",
        network=front.name,
        ports={f"{inside[name]}/tcp": ("127.0.0.1", ports[name]) for name in names},
        labels=labels,
        **container_options(_PROXY, processors),
    )
    for name in names:
        engine.networks.get(f"i2s-{mark}-{name}").connect(proxy)
    proxy.start()
    services = (UpService(name, f"127.0.0.1:{ports[name]}", f"i2s-{mark}-{name}") for name in names)
    return Up(StackKind.DOCKER, tuple(services))


def _free_ports(count: int) -> list[int]:
    """Return ports of the loopback that nobody has. They stay the same when the proxy is restarted."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for listener in held:
        listener.close()
    return ports


async def _until_serving(up: Up, seconds: float, folder: Path) -> None:
    """Return once all services serve.

    Raises:
        ServiceUnavailableError: One did not in time.
        StackError: ``down`` was called meanwhile.
    """
    serving = asyncio.create_task(_all_serve(up, seconds))
    try:
        while not serving.done() and not end_requested(folder):
            await asyncio.wait({serving}, timeout=_LOOK_EVERY)
        if end_requested(folder):
            raise StackError(ENDED_BY_DOWN)
        await serving
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def _all_serve(up: Up, seconds: float) -> None:
    end = time.monotonic() + seconds

    async def one(service: UpService) -> None:
        async with grpc.aio.insecure_channel(service.address, channel_options(service.address)) as channel:
            await wait_until_serving(
                channel, service.address, wire_name(service.name), end - time.monotonic()
            )

    await asyncio.gather(*(one(service) for service in up.services))


def _ours(engine: DockerClient, folder: Path) -> list[Container]:
    containers: list[Container] = engine.containers.list(
        all=True, filters={"label": f"{_LABEL}={_mark(folder)}"}
    )
    return containers


def _ends_of_logs(engine: DockerClient, folder: Path) -> Iterator[str]:
    for container in _ours(engine, folder):
        text = container.logs(tail=_LAST_LINES).decode("utf-8", "replace")
        yield f"{container.name}:\n{text}"


def _remove(engine: DockerClient, folder: Path) -> bool:
    containers = _ours(engine, folder)
    for container in containers:
        if container.status == "running":  # all drain at the same time
            container.kill("SIGTERM")
    for container in containers:
        container.stop(timeout=stop_seconds(_PROXY))
        container.remove(force=True, v=True)
    networks = engine.networks.list(filters={"label": f"{_LABEL}={_mark(folder)}"})
    for network in networks:
        network.remove()
    return bool(containers or networks)
