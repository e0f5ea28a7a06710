"""What the descendants of a process are and use, read from /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    """One living process: its threads, resident bytes and CPU seconds so far."""

    pid: int
    threads: int
    resident_bytes: int
    cpu_seconds: float


def descendants(pid: int) -> list[int]:
    """Return the pids of everything below ``pid``, parents before children."""
    found: list[int] = []
    queue = [pid]
    while queue:
        children = _children(queue.pop())
        found += children
        queue += children
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                children += map(int, file.read().split())
    except (FileNotFoundError, ProcessLookupError):
        pass  # it ended while we looked
    return children


def look_at(pid: int) -> Process | None:
    """Return what ``pid`` uses now, None when it is gone or a zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text[text.rindex(b")") + 2 :].split()  # the name before may hold anything
    state, user, system, threads, resident = fields[0], fields[11], fields[12], fields[17], fields[21]
    if state in b"ZX":
        # The first thread may have ended alone; the process lives as long as any other does.
        return _of_living_thread(pid, int(threads), (int(user) + int(system)) / _TICKS)
    return Process(pid, int(threads), int(resident) * _PAGE, (int(user) + int(system)) / _TICKS)


def _of_living_thread(pid: int, threads: int, cpu_seconds: float) -> Process | None:
    """Return what a process uses whose first thread has ended, None where all have."""
    if threads <= 1:
        return None
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
                text = file.read()
            fields = text[text.rindex(b")") + 2 :].split()
            if fields[0] not in b"ZX":
                return Process(pid, threads, int(fields[21]) * _PAGE, cpu_seconds)
    except (FileNotFoundError, ProcessLookupError):
        pass  # it ended while we looked
    return None


def count_of_user(uid: int) -> int:
    """Return how many threads the user runs, as RLIMIT_NPROC counts them."""
    wanted = f"Uid:\t{uid}\t".encode()
    total = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            # The owner of the folder is no help: it is root for what may not be dumped.
            with open(f"/proc/{name}/status", "rb") as file:
                if wanted in file.read():
                    total += len(os.listdir(f"/proc/{name}/task"))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return total
