"""What the kernel says of a process."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path


def statuses(pid: int) -> list[dict[str, str]]:
    """Return what the kernel says of each thread of a process: the fields of /proc/PID/task/TID/status.

    Threads that end meanwhile are left out.

    Raises:
        OSError: The process has ended.
    """
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            lines = [line.partition(":") for line in (task / "status").read_text().splitlines()]
            found.append({name: value.strip() for name, _, value in lines})
    return found


def privileges_of(pid: int) -> list[str]:
    """Return what a process could still do as one that is privileged; empty for nothing, or if it ended."""
    try:
        found = statuses(pid)
    except OSError:
        return []
    wrong = []
    for status in found:
        who = f"{status['Name']} {status['Pid']}"
        if "0" in status["Uid"].split() or "0" in status["Gid"].split():
            wrong.append(f"{who}: uid {status['Uid']}, gid {status['Gid']}")
        wrong += restrictions_missing_of(status, who)
    return wrong


def restrictions_missing_of(status: Mapping[str, str], who: str) -> list[str]:
    """Return which capabilities a thread has, and which restrictions it lacks."""
    wrong = [f"{who}: {name} {status[name]}" for name in _CAPABILITIES if int(status[name], 16) != 0]
    if status["NoNewPrivs"] != "1":
        wrong.append(f"{who}: may gain privileges by executing programs")
    if status["Seccomp"] != "2":
        wrong.append(f"{who}: is under no system call filter")
    return wrong


_CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
