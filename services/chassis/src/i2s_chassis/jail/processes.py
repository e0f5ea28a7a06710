"""The descendants of a process and their use of resources, read from /proc."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from i2s_chassis.jail.model import ProcessIsolation

_MOST_BYTES_AT_ONCE = 65536  # of one call; nearly every file has fewer


def read_kernel_file(path: str) -> bytes:
    """Return all that a file has which the kernel makes when it is read: one of /proc or of a control group.

    A supervisor reads a hundred of them at each look at a browser. Without the buffers and the decoder of
    ``open`` that takes half the time.

    Raises:
        OSError: It cannot be read; ProcessLookupError if it is of a process that has ended meanwhile.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        part = os.read(fd, _MOST_BYTES_AT_ONCE)
        while more := os.read(fd, _MOST_BYTES_AT_ONCE):
            part += more
        return part
    finally:
        os.close(fd)


_MOST_COMMAND = 4096
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    """One process, alive or a zombie."""

    #: Its number.
    pid: int
    #: How many live; 0 in a zombie.
    threads: int
    #: Memory; 0 in a zombie.
    resident_bytes: int
    #: CPU seconds that it has used itself, so far.
    cpu_seconds: float
    #: CPU seconds of the children that it has waited for, and of theirs.
    reaped_seconds: float

    @property
    def alive(self) -> bool:
        """Whether any of its threads still runs."""
        return self.threads > 0


def descendants(pid: int) -> list[int]:
    """Return the pids of everything below ``pid``, parents before children."""
    pids: list[int] = []
    queue = [pid]
    while queue:
        below = children(queue.pop())
        pids += below
        queue += below
    return pids


def children(pid: int) -> list[int]:
    """Return the pids of what ``pid`` has started; none if the kernel does not report them (gVisor)."""
    pids: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            pids += map(int, read_kernel_file(f"/proc/{pid}/task/{thread}/children").split())
    except (FileNotFoundError, ProcessLookupError):
        pass  # it ended while we looked
    return pids


def look_at(pid: int) -> Process | None:
    """Return what ``pid`` uses now, None when it is gone."""
    fields = _stat(f"/proc/{pid}/stat")
    if fields is None:
        return None
    state, threads, resident = fields[0], int(fields[17]), int(fields[21])
    own, reaped = (int(fields[11]) + int(fields[12])) / _TICKS, (int(fields[13]) + int(fields[14])) / _TICKS
    if state in b"ZX":
        # The first thread may have ended alone; the process lives as long as any other does.
        living = _resident_of_living_thread(pid) if threads > 1 else None
        return Process(pid, threads if living is not None else 0, living or 0, own, reaped)
    return Process(pid, threads, resident * _PAGE, own, reaped)


def isolation_of(pid: int) -> ProcessIsolation | None:
    """Return how isolated ``pid``, None when it is gone."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            lines = dict(line.split(b":", 1) for line in file.read().splitlines() if b":" in line)
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            command = file.read(_MOST_COMMAND).replace(b"\0", b" ").decode(errors="replace").strip()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return ProcessIsolation(
        pid, command, len(lines.get(b"NSpid", b"").split()), int(lines.get(b"Seccomp_filters", b"0"))
    )


def private_bytes(pid: int) -> int:
    """Return the resident memory of ``pid`` that no file or other process can share with it."""
    try:
        _, resident, shared = map(int, read_kernel_file(f"/proc/{pid}/statm").split()[:3])
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return (resident - shared) * _PAGE


def proportional_bytes(process: Process) -> int | None:
    """Return the resident memory of a process, where each page that others share counts in equal parts.

    The kernel walks through all of its pages, a millisecond for 100 MB. None for who may not look into the
    process, as an ordinary user may not if it has closed itself.
    """
    try:
        with open(f"/proc/{process.pid}/smaps_rollup", "rb") as file:
            lines = file.read().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except OSError:
        return None
    sizes = (int(line.split()[1]) for line in lines if line.startswith(b"Pss:"))
    return next(sizes, 0) * 1024


def living_threads(process: Process) -> int:
    """Return how many threads live; the number in stat has those too that a tracer has not reaped yet."""
    if process.threads == 1:
        return 1
    states = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in os.listdir(f"/proc/{process.pid}/task"):
            fields = _stat(f"/proc/{process.pid}/task/{thread}/stat")
            states += fields[:1] if fields is not None else []
    return sum(state not in b"ZX" for state in states)


def is_alive(pid: int) -> bool:
    """Whether ``pid`` is there and no zombie."""
    process = look_at(pid)
    return process is not None and process.alive


def state(path: str) -> bytes:
    """Return the state of a process or thread, such as b"R", by its folder in /proc; empty if it is gone."""
    fields = _stat(f"{path}/stat")
    return fields[0] if fields else b""


def _stat(path: str) -> list[bytes] | None:
    """Return the fields of a stat file from the state on."""
    try:
        text = read_kernel_file(path)
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text[text.rindex(b")") + 2 :].split()  # the name before may hold anything


def _resident_of_living_thread(pid: int) -> int | None:
    """Return the memory of a process whose first thread has ended, None if all have."""
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            fields = _stat(f"/proc/{pid}/task/{thread}/stat")
            if fields is not None and fields[0] not in b"ZX":
                return int(fields[21]) * _PAGE
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
            # The owner of the folder is not a help: it is root for what may not be dumped.
            with open(f"/proc/{name}/status", "rb") as file:
                if wanted in file.read():
                    total += len(os.listdir(f"/proc/{name}/task"))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return total


def reap(pid: int) -> None:
    """Reap a process that has ended, if it is a child of ours."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
