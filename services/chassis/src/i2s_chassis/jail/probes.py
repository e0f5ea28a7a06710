"""Attempts to escape, run inside the walls before a tier is trusted, and in its tests.

A probe is called after the process has given up everything, in the place of a program. It
returns 0 if it was held, 1 if it escaped, and says on standard output how.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from collections.abc import Callable

HELD, ESCAPED = 0, 1

Probe = Callable[[tuple[str, ...]], int]


def _escaped(how: str) -> int:
    os.write(1, how.encode())
    return ESCAPED


def read_files(paths: tuple[str, ...]) -> int:
    """Read any of the files."""
    for path in paths:
        try:
            with open(path, "rb") as file:
                file.read(1)
        except OSError:
            continue
        return _escaped(f"read {path}")
    return HELD


def write_files(paths: tuple[str, ...]) -> int:
    """Make any of the files."""
    for path in paths:
        try:
            with open(path, "wb") as file:
                file.write(b"escaped")
        except OSError:
            continue
        return _escaped(f"wrote {path}")
    return HELD


def connect(ports: tuple[str, ...]) -> int:
    """Reach a listening TCP port of the machine's loopback."""
    for port in ports:
        try:
            with socket.socket() as client:
                client.settimeout(1)
                client.connect(("127.0.0.1", int(port)))
                return _escaped(f"connected to 127.0.0.1:{port}")
        except OSError:
            continue
    return HELD


def signal_processes(pids: tuple[str, ...]) -> int:
    """Signal any of the processes, which are outside."""
    for pid in pids:
        try:
            os.kill(int(pid), 0)
        except OSError:
            continue
        return _escaped(f"may signal process {pid}")
    return HELD


def read_environments(pids: tuple[str, ...]) -> int:
    """Read the environment or the memory map of any of the processes, which are outside."""
    return read_files(tuple(f"/proc/{pid}/{name}" for pid in pids for name in ("environ", "maps")))


def open_memories(pids: tuple[str, ...]) -> int:
    """Open the memory of any of the processes, which are outside."""
    for pid in pids:
        try:
            os.close(os.open(f"/proc/{pid}/mem", os.O_RDONLY))
        except OSError:
            continue
        return _escaped(f"opened the memory of process {pid}")
    return HELD


def leave_behind(_: tuple[str, ...]) -> int:
    """Start a process that is nobody's child and in no session of ours, and end before it."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.pause()
        os._exit(0)
    os.wait()
    return HELD


def meet_others(_: tuple[str, ...]) -> int:
    """Find another living process of our user, which nobody but this job has."""
    ours = f"Uid:\t{os.getuid()}\t"
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/status") as file:
                status = file.read()
        except OSError:
            continue
        if ours in status and int(pid) != os.getpid() and "State:\tZ" not in status:
            return _escaped(f"process {pid} has outlived its run")
    return HELD


def new_namespaces(_: tuple[str, ...]) -> int:
    """Make a user namespace, the first step of most ways out."""
    new_user = 0x10000000
    if ctypes.CDLL(None, use_errno=True).unshare(new_user) == 0:
        return _escaped("made a user namespace")
    return HELD


def fork_past(limits: tuple[str, ...]) -> int:
    """Have more processes at the same time than the limit."""
    limit = int(limits[0])
    children: list[int] = []
    try:
        while len(children) < limit + 8:
            child = os.fork()
            if child == 0:
                signal.pause()
                os._exit(0)
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if len(children) + 1 > limit + 4:
        return _escaped(f"had {len(children) + 1} processes with a limit of {limit}")
    return HELD


def fill_disk(limits: tuple[str, ...]) -> int:
    """Write more bytes, and make more files, than the limits."""
    max_bytes, max_files = map(int, limits)
    chunk, written = b"x" * 65536, 0
    try:
        for number in range(64):
            with open(f"fill-{number}", "wb") as file:
                while file.tell() < max_bytes:
                    written += file.write(chunk)
                    if written > 4 * max_bytes:
                        return _escaped(f"wrote {written} bytes with a limit of {max_bytes}")
    except OSError:
        pass
    made = 0
    try:
        for made in range(4 * max_files):
            os.close(os.open(f"file-{made}", os.O_CREAT | os.O_WRONLY))
    except OSError:
        return HELD
    return _escaped(f"made {made} files with a limit of {max_files}")


PROBES: dict[str, Probe] = {
    "read_files": read_files,
    "write_files": write_files,
    "connect": connect,
    "signal_processes": signal_processes,
    "read_environments": read_environments,
    "open_memories": open_memories,
    "leave_behind": leave_behind,
    "meet_others": meet_others,
    "new_namespaces": new_namespaces,
    "fork_past": fork_past,
    "fill_disk": fill_disk,
}
