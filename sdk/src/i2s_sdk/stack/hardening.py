"""How containers of ``up --docker`` are restricted: as those of deploy/compose/compose.yaml."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_sdk.service_table import ContainerSpec

#: What forwards connections from this machine to the services, see `i2s_sdk.stack.tcp_proxy`.
PROXY = ContainerSpec(
    user=10_015,
    memory_bytes=256 * 1024**2,
    processes=32,
    tmpfs="size=16m,nr_inodes=1k,noexec,nosuid,nodev,mode=1777",
)

#: Of a network that leads nowhere, and in which this machine has no address.
CLOSED = {"com.docker.network.bridge.inhibit_ipv4": "true"}


def container_options(spec: ContainerSpec, processors: float) -> dict[str, Any]:
    """Return the arguments of docker's ``containers.create`` that restrict a container.

    Args:
        spec: What it may do.
        processors: How many it may use.
    """
    security = ["no-new-privileges"]
    if spec.namespaces:
        profile = files("i2s_sdk.stack").joinpath("i2s-namespace.json").read_text("utf-8")
        security.append(f"seccomp={json.dumps(read_json(profile))}")
    return {
        "user": f"{spec.user}:{spec.user}",
        "init": True,
        "read_only": True,
        "privileged": False,
        "cap_drop": ["ALL"],
        "security_opt": security,
        "tmpfs": {"/tmp": spec.tmpfs},  # noqa: S108 - of the container
        "mem_limit": spec.memory_bytes,
        "memswap_limit": spec.memory_bytes,
        "nano_cpus": int(processors * 1e9),
        "pids_limit": spec.processes,
        "environment": dict(spec.environment),
        "restart_policy": {"Name": "unless-stopped"},
    }
