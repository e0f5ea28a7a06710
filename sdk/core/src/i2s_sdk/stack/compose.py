"""What deploy/compose/compose.yaml says of containers, as docker's Python package takes it.

``docker compose`` and ``i2s-sdk up --docker`` start the services from this one file. The extra ``docker`` is
needed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_wire.installation import checkout_folder

#: Where sdk/core/bundle_data.py puts the files when a wheel is built.
_PACKAGED = Path(__file__).resolve().parents[1] / "deploy"
_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")
_SECCOMP = "seccomp:"
_NANO = 1_000_000_000


@cache
def _file() -> Path:
    """Return the file: that of the checkout, or the copy in the installed package."""
    checkout = checkout_folder()
    return (_PACKAGED if checkout is None else checkout / "deploy") / "compose" / "compose.yaml"


@cache
def _document() -> Mapping[str, Any]:
    import yaml

    document: Mapping[str, Any] = yaml.safe_load(_file().read_text("utf-8"))
    return document


def _resolved(value: object) -> str:
    """Return a value with its variables replaced, as Compose does it: by the environment or their default."""
    return _VARIABLE.sub(lambda found: os.environ.get(found[1]) or found[2], str(value))


def image_of(name: str) -> str:
    """Return the image of a service, of the proxy or of the SDK."""
    return _resolved(_document()["services"][name]["image"])


def network_options(name: str) -> dict[str, Any]:
    """Return the arguments of docker's ``networks.create`` for the network of a service."""
    one = _document()["networks"][name]
    return {"internal": one.get("internal", False), "options": one.get("driver_opts", {})}


def stop_seconds(name: str) -> int:
    """Return how long a container may take to end before it is killed."""
    return int(_document()["services"][name]["stop_grace_period"].removesuffix("s"))


def container_options(name: str) -> dict[str, Any]:
    """Return the arguments of docker's ``containers.create`` for a service or the proxy.

    Networks, ports and the command of the proxy are left out: they depend on the stack.

    Raises:
        KeyError: The file has an option that is unknown here.
    """
    service = _document()["services"][name]
    found: dict[str, Any] = {"privileged": False}
    for key, value in service.items():
        if key not in _OF_THE_STACK:
            found.update(_OPTIONS[key](value))
    return found


def _security(options: list[str]) -> dict[str, Any]:
    return {"security_opt": [_with_profile(one) for one in options]}


def _with_profile(option: str) -> str:
    """Return a security option; one that names a seccomp profile has its content, as the engine wants it."""
    if not option.startswith(_SECCOMP):
        return option
    profile = (_file().parent / option.removeprefix(_SECCOMP)).read_text("utf-8")
    return f"seccomp={json.dumps(read_json(profile))}"


def _processors(value: object) -> dict[str, Any]:
    most = os.cpu_count() or 1  # the engine refuses more than there are
    return {"nano_cpus": int(min(float(_resolved(value)), most) * _NANO)}


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
    "cpus": _processors,
    "logging": _logging,
    "restart": lambda value: {"restart_policy": {"Name": value}},
    "security_opt": _security,
    "tmpfs": lambda mounts: {"tmpfs": dict(one.split(":", 1) for one in mounts)},
    "ulimits": _limits,
}
