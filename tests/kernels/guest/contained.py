"""Becomes a program as an engine starts it in a container of deploy/compose.

    python contained.py PROGRAM ARGUMENT…

An ordinary user, no capabilities, no new privileges, and the engine's default seccomp profile: that of
deploy/seccomp without what was added to it (see deploy/seccomp/derive). Runs as root.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

PROFILE = Path(__file__).parents[3] / "deploy/seccomp/i2s-namespace.json"
ADDED = "bubblewrap and the sandbox of Chromium, in user namespaces"  # comment of the rule that derive adds
USER = 10011
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}

_PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 24, 38
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM = 1
_COMPARE = {"SCMP_CMP_NE": 1, "SCMP_CMP_LT": 2, "SCMP_CMP_LE": 3, "SCMP_CMP_EQ": 4, "SCMP_CMP_GE": 5,
            "SCMP_CMP_GT": 6, "SCMP_CMP_MASKED_EQ": 7}  # fmt: skip


class _Argument(ctypes.Structure):
    """struct scmp_arg_cmp of libseccomp."""

    _fields_ = [
        ("index", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64),
    ]  # fmt: skip


def applies(rule: dict[str, Any]) -> bool:
    """Whether a rule of a profile is for a container that has no capabilities, on this machine."""
    included, excluded = rule.get("includes", {}), rule.get("excludes", {})
    architecture = ARCHITECTURE[platform.machine()]
    return (
        rule.get("comment") != ADDED
        and not included.get("caps")
        and architecture in included.get("arches", [architecture])
        and architecture not in excluded.get("arches", [])
    )


def filter_calls(profile: dict[str, Any]) -> None:
    """Put the calling process under a profile, as an engine does."""
    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(_ERRNO | _EPERM))
    for rule in filter(applies, profile["syscalls"]):
        allowed = rule["action"] == "SCMP_ACT_ALLOW"
        action = _ALLOW if allowed else _ERRNO | rule.get("errnoRet", _EPERM)
        compared = [
            _Argument(one["index"], _COMPARE[one["op"]], one["value"], one.get("valueTwo", 0))
            for one in rule.get("args", [])
        ]
        arguments = (_Argument * len(compared))(*compared)
        for name in rule["names"]:
            number = library.seccomp_syscall_resolve_name(name.encode())
            if number < 0:  # of another architecture, or newer than the library
                continue
            failed = library.seccomp_rule_add_array(
                context, ctypes.c_uint32(action), number, len(compared), arguments
            )
            if failed:
                raise OSError(-failed, f"seccomp rule for {name}: {os.strerror(-failed)}")
    failed = library.seccomp_load(context)
    if failed:
        raise OSError(-failed, f"seccomp profile: {os.strerror(-failed)}")


def main(command: list[str]) -> None:
    """Give everything up and become the program."""
    library = ctypes.CDLL(None, use_errno=True)
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for capability in range(last + 1):
        if library.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "PR_CAPBSET_DROP")
    if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "PR_SET_NO_NEW_PRIVS")
    os.setgroups(())
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    filter_calls(json.loads(PROFILE.read_text()))
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
