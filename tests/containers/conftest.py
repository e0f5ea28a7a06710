"""An engine, the images, and the system brought up by Compose: each once for all tests."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

import docker_engine
from docker_engine import ROOT, Engine, NoEngineError
from i2s_client.service_table import SERVICES as TABLE
from i2s_sdk.settings import Settings

UP_SECONDS = 300
TEST_SECONDS = 900
COMPOSE = ROOT / "deploy/compose"
SERVICES = tuple(one.name for one in TABLE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.containers)
            # What fixtures start has limits of its own.
            item.add_marker(pytest.mark.timeout(TEST_SECONDS, func_only=True))


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    # Fixtures end in order at an interrupt; what ends a job of CI shall be one too.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with docker_engine.engine() as one:
            one.compose_command()
            yield one
    except NoEngineError as reason:
        docker_engine.lacks(reason)
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="session")
def images(engine: Engine) -> dict[str, str]:
    """All images, built where anything has changed; their names by that of the service."""
    docker_engine.build_images(engine)
    return {name: f"i2s-{name}:latest" for name in (*SERVICES, "sdk", "gateway")}


@dataclass
class System:
    """The system as Compose runs it."""

    engine: Engine
    project: str
    environment: dict[str, str]
    ports: dict[str, int]
    http: int

    def compose_command(self, *arguments: str) -> list[str]:
        return [*self.engine.compose_command(), "--project-name", self.project, *arguments]

    def compose(self, *arguments: str, check: bool = True, seconds: float = UP_SECONDS) -> str:
        command = self.compose_command(*arguments)
        return docker_engine.run(command, self.environment, check=check, seconds=seconds, folder=COMPOSE)

    def containers(self, service: str) -> list[str]:
        """Ids of the running containers of a service."""
        return self.engine.docker(
            "ps", "--quiet", "--no-trunc",
            "--filter", f"label=com.docker.compose.project={self.project}",
            "--filter", f"label=com.docker.compose.service={service}",
        ).split()  # fmt: skip

    def container(self, service: str) -> str:
        return self.containers(service)[0]

    def python(self, service: str, code: str, *arguments: str) -> str:
        """Run Python code inside of a service's container, as its user; returns what it prints."""
        return self.engine.docker(
            "exec", "--interactive", self.container(service), "python", "-I", "-", *arguments, stdin=code
        )

    def inspect(self, service: str) -> dict:
        return json.loads(self.engine.docker("inspect", self.container(service)))[0]

    @property
    def settings(self) -> Settings:
        at = {name: f"127.0.0.1:{port}" for name, port in self.ports.items()}
        return settings_at(at, retry_seconds=120, start_seconds=UP_SECONDS)


def settings_at(addresses: Mapping[str, str], **others: Any) -> Settings:
    """Return settings with the addresses of services, by their names."""
    at = {name.replace("-", "_"): address for name, address in addresses.items()}
    typed = {field.name for field in fields(Settings)}
    of_others = {name: address for name, address in at.items() if name not in typed}
    own = {name: address for name, address in at.items() if name in typed}
    return Settings(**own, services=of_others, **others)


@pytest.fixture(scope="session")
def system(engine: Engine, images: dict[str, str]) -> Iterator[System]:
    ports = {name: _free_port() for name in SERVICES}
    http = _free_port()
    variables = {f"I2S_{name.upper().replace('-', '_')}_PORT": str(port) for name, port in ports.items()}
    variables |= {"COMPOSE_PROFILES": "http", "I2S_HTTP_PORT": str(http)}
    project = f"{docker_engine.PREFIX}{secrets.token_hex(3)}"
    one = System(engine, project, {**engine.environment, **variables}, ports, http)
    down = one.compose_command("down", "--volumes", "--timeout", "1")
    engine.undo(*down, folder=COMPOSE, **variables)
    try:
        one.compose("up", "--detach")
        yield one
    finally:
        shown = one.compose("logs", "--tail", "20", check=False)
        print(shown[-8000:])
        one.compose("down", "--volumes", "--timeout", "40", check=False)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture(scope="session")
def local(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The same services as child processes, brought up by the command."""
    state = tmp_path_factory.mktemp("state")
    command = shutil.which("i2s-sdk", path=str(ROOT / ".venv/bin")) or "i2s-sdk"
    environment = {**os.environ, "XDG_STATE_HOME": str(state), "I2S_UP_PORTS": "free"}
    engine.undo(command, "down", XDG_STATE_HOME=str(state))
    try:
        told = json.loads(docker_engine.run([command, "up", "--json"], environment, seconds=600, apart=True))
        yield settings_at({service["name"]: service["address"] for service in told["services"]})
    finally:
        docker_engine.run([command, "down"], environment)
