"""A container of one renderer, started as Compose does, and a client of it."""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass

from docker_engine import Engine
from i2s_sdk import RenderClient, RetryPolicy

PORTS = {"render-latex": 7710, "render-html": 7720, "render-lilypond": 7730}
START_SECONDS = 240


@dataclass(frozen=True)
class Renderer:
    """A container with a renderer, and a client of it."""

    engine: Engine
    container: str
    address: str
    client: RenderClient


def start(
    engine: Engine,
    network: str,
    image: str,
    service: str,
    *arguments: str,
    runtime: str = "runc",
    **settings: str,
) -> str:
    """Start a container as Compose does; returns its id.

    Args:
        engine: Docker Engine that runs it.
        network: Network that it is in.
        image: Image of the service.
        service: Name of the service, such as "render-latex".
        arguments: More arguments of `docker run`.
        runtime: Runtime of the engine.
        settings: Settings of the service, by the names of its variables without their prefix.
    """
    prefix = f"I2S_{service.upper().replace('-', '_')}"
    spare = {"WARM_SPARE": "0"} if service == "render-lilypond" else {}  # one warm process serves one slot
    variables = {"INSECURE": "true", "SLOTS": "1", **spare, **settings}
    name = f"{network}-{secrets.token_hex(3)}"
    engine.undo("docker", "rm", "--force", name)
    return engine.docker(
        "run", "--detach", "--name", name, "--runtime", runtime, "--network", network, "--read-only",
        "--cap-drop=ALL", "--security-opt=no-new-privileges", "--tmpfs", "/tmp:size=1g,noexec,nosuid,nodev",
        *arguments, *(f"--env={prefix}_{key}={value}" for key, value in variables.items()), image,
    ).strip()  # fmt: skip


@contextlib.contextmanager
def renderer(
    engine: Engine,
    network: str,
    image: str,
    service: str,
    *arguments: str,
    runtime: str = "runc",
    **settings: str,
) -> Iterator[Renderer]:
    """Start a container as ``start`` does and connect to it; it is removed with the context."""
    container = start(engine, network, image, service, *arguments, runtime=runtime, **settings)
    try:
        networks = json.loads(engine.docker("inspect", container))[0]["NetworkSettings"]["Networks"]
        retry = RetryPolicy(total_seconds=START_SECONDS)
        address = f"{networks[network]['IPAddress']}:{PORTS[service]}"
        with RenderClient(address, retry=retry) as client:
            yield Renderer(engine, container, address, client)
    finally:
        print(engine.docker("logs", "--tail", "20", container, check=False)[-4000:])
        engine.docker("rm", "--force", container, check=False)
