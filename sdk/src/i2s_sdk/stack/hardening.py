"""How each service is walled in as a container: as by deploy/compose/compose.yaml, for ``up --docker``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_sdk.service_table import (
    DOCUMENTS,
    METRICS,
    RENDER_HTML,
    RENDER_LATEX,
    RENDER_LILYPOND,
    RENDER_PYTHON,
)

_GIB = 1024**3
_TMPFS = "nosuid,nodev,mode=1777"


@dataclass(frozen=True, slots=True)
class Walls:
    """The container of one service.

    Attributes:
        port: That the service listens at inside.
        user: That it runs as. The kernel counts processes by user, so no two services share one.
        memory_bytes: Of everything in it, its tmpfs included.
        processes: Of everything in it, threads included.
        tmpfs: Options of ``/tmp``, the only place that can be written to.
        namespaces: Whether it may make user namespaces, for the tier of that name.
        environment: Settings of the service.
    """

    port: int
    user: int
    memory_bytes: int
    processes: int
    tmpfs: str
    namespaces: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


def _renderer_settings(name: str, memory: str, disk: str) -> dict[str, str]:
    most = {"INSECURE": "true", "MAX_MEMORY_BYTES": memory, "MAX_DISK_BYTES": disk, "MAX_FILE_BYTES": disk}
    return {f"I2S_{name.upper().replace('-', '_')}_{key}": value for key, value in most.items()}


_RENDERER_TMPFS = f"size=1g,nr_inodes=200k,noexec,{_TMPFS}"

#: By name of the service.
WALLS: Mapping[str, Walls] = {
    RENDER_LATEX: Walls(
        port=7710,
        user=10_011,
        memory_bytes=4 * _GIB,
        processes=512,
        tmpfs=_RENDERER_TMPFS,
        environment=_renderer_settings(RENDER_LATEX, "1GiB", "256MiB"),
    ),
    RENDER_HTML: Walls(
        port=7720,
        user=10_012,
        memory_bytes=6 * _GIB,
        processes=2048,
        tmpfs=_RENDERER_TMPFS,
        namespaces=True,
        environment=_renderer_settings(RENDER_HTML, "2GiB", "512MiB"),
    ),
    RENDER_LILYPOND: Walls(
        port=7730,
        user=10_013,
        memory_bytes=4 * _GIB,
        processes=512,
        tmpfs=_RENDERER_TMPFS,
        environment=_renderer_settings(RENDER_LILYPOND, "1GiB", "256MiB"),
    ),
    RENDER_PYTHON: Walls(
        port=7750,
        user=10_018,
        memory_bytes=4 * _GIB,
        processes=512,
        tmpfs=_RENDERER_TMPFS,
        environment=_renderer_settings(RENDER_PYTHON, "1GiB", "256MiB"),
    ),
    DOCUMENTS: Walls(
        port=7760,
        user=10_017,
        memory_bytes=4 * _GIB,
        processes=512,
        tmpfs=_RENDERER_TMPFS,
        environment={
            "I2S_DOCUMENTS_INSECURE": "true",
            "I2S_DOCUMENTS_MAX_MEMORY_BYTES": "1GiB",
            "I2S_DOCUMENTS_MAX_DISK_BYTES": "256MiB",
            "I2S_DOCUMENTS_MAX_PIXELS": "50000000",
        },
    ),
    METRICS: Walls(
        port=7740,
        user=10_014,
        memory_bytes=6 * _GIB,
        processes=512,
        tmpfs=f"size=512m,nr_inodes=50k,exec,{_TMPFS}",
        environment={"I2S_METRICS_INSECURE": "true"},
    ),
}

#: What carries connections from this machine to the services, see `i2s_sdk.stack.door`.
DOOR = Walls(
    port=0,
    user=10_015,
    memory_bytes=_GIB // 4,
    processes=32,
    tmpfs=f"size=16m,nr_inodes=1k,noexec,{_TMPFS}",
)

#: Of a network that leads nowhere, and in which this machine has no address.
CLOSED = {"com.docker.network.bridge.inhibit_ipv4": "true"}


def container_options(walls: Walls, processors: float) -> dict[str, Any]:
    """Return the arguments of docker's ``containers.create`` that wall a container in."""
    security = ["no-new-privileges"]
    if walls.namespaces:
        profile = files("i2s_sdk.stack").joinpath("i2s-namespace.json").read_text("utf-8")
        security.append(f"seccomp={json.dumps(read_json(profile))}")
    return {
        "user": f"{walls.user}:{walls.user}",
        "init": True,
        "read_only": True,
        "privileged": False,
        "cap_drop": ["ALL"],
        "security_opt": security,
        "tmpfs": {"/tmp": walls.tmpfs},  # noqa: S108 - of the container
        "mem_limit": walls.memory_bytes,
        "memswap_limit": walls.memory_bytes,
        "nano_cpus": int(processors * 1e9),
        "pids_limit": walls.processes,
        "environment": dict(walls.environment),
        "restart_policy": {"Name": "unless-stopped"},
    }
