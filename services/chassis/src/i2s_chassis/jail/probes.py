"""Attempts to escape, run inside the sandbox before a tier is trusted, and in its tests.

A probe is called after the process has given up everything, in the place of a program. It
returns 0 if it was held, 1 if it escaped, and says on standard output how.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
from collections.abc import Callable

from i2s_chassis.jail import syscalls

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


def connect_local(names: tuple[str, ...]) -> int:
    """Reach a listening Unix socket outside, by path or, with a leading @, by abstract name."""
    for name in names:
        address = f"\0{name[1:]}" if name.startswith("@") else name
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(address)
                return _escaped(f"connected to the Unix socket {name}")
        except OSError:
            continue
    return HELD


def truncate_files(paths: tuple[str, ...]) -> int:
    """Empty any of the files, which may be read, without writing to it."""
    neither_right = 3
    flags_of_open = (os.O_RDONLY, neither_right, os.O_WRONLY)
    for path in paths:
        for flags in flags_of_open:
            with contextlib.suppress(OSError):
                os.close(os.open(path, flags | os.O_TRUNC))
                return _escaped(f"emptied {path} by opening it with flags {flags:o}")
            with contextlib.suppress(OSError):
                os.close(syscalls.openat2(-100, path, flags | os.O_TRUNC, 0))
                return _escaped(f"emptied {path} by openat2 with flags {flags:o}")
        with contextlib.suppress(OSError):
            os.truncate(path, 0)
            return _escaped(f"truncated {path}")
    return HELD


def relink_files(paths: tuple[str, ...]) -> int:
    """Bring any of the files, which may be read, into the work folder, where files may be written."""
    for path in paths:
        for way in (os.link, os.rename):
            with contextlib.suppress(OSError):
                way(path, "brought-here")
                return _escaped(f"made a name of its own for {path} by {way.__name__}")
    return HELD


def call_devices(paths: tuple[str, ...]) -> int:
    """Ask a device driver for something that is neither reading nor writing."""
    bytes_of_entropy = 0x80045200  # RNDGETENTCNT of random(4), which anybody may ask
    for path in paths:
        with contextlib.suppress(OSError), open(path, "rb") as device:
            fcntl.ioctl(device, bytes_of_entropy, bytes(4))
            return _escaped(f"called the driver of {path}")
    return HELD


def send_signals(pids: tuple[str, ...]) -> int:
    """Send SIGUSR1 to any of the processes, which are outside, in every way that the kernel has.

    If the kernel sends it for a descriptor, only the process that is aimed at can know whether it came.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for pid in map(int, pids):
        ways: dict[str, Callable[[int], object]] = {
            "kill": lambda pid: os.kill(pid, signal.SIGUSR1),
            "kill of the group": lambda pid: os.kill(-pid, signal.SIGUSR1),
            "pidfd_send_signal": lambda pid: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGUSR1),
            "tgkill": lambda pid: _must(libc.tgkill(pid, pid, signal.SIGUSR1)),
            "sigqueue": lambda pid: _must(libc.sigqueue(pid, signal.SIGUSR1, None)),
        }
        for name, way in ways.items():
            with contextlib.suppress(OSError):
                way(pid)
                return _escaped(f"signalled process {pid} by {name}")
        _have_the_kernel_signal(pid)
    return HELD


def _must(result: int) -> None:
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")


def _have_the_kernel_signal(pid: int) -> None:
    """Make a process the owner of a pipe whose readiness is signalled by SIGUSR1, and make it ready."""
    set_own_ex, set_signal = 15, 10
    one_process = 1
    owner = one_process.to_bytes(4, "little") + pid.to_bytes(4, "little")
    for command, argument in ((fcntl.F_SETOWN, pid), (set_own_ex, owner)):
        reading, writing = os.pipe()
        with contextlib.suppress(OSError):
            fcntl.fcntl(reading, command, argument)
            fcntl.fcntl(reading, set_signal, signal.SIGUSR1)
            fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
            os.write(writing, b".")
        os.close(reading)
        os.close(writing)


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
    reading, writing = os.pipe()  # the children end with it: a job may not be allowed to signal them
    try:
        while len(children) < limit + 8:
            child = os.fork()
            if child == 0:
                os.close(writing)
                os.read(reading, 1)
                os._exit(0)
            children.append(child)
    except OSError:
        pass
    os.close(writing)
    for child in children:
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
    "connect_local": connect_local,
    "truncate_files": truncate_files,
    "relink_files": relink_files,
    "call_devices": call_devices,
    "send_signals": send_signals,
    "signal_processes": signal_processes,
    "read_environments": read_environments,
    "open_memories": open_memories,
    "leave_behind": leave_behind,
    "meet_others": meet_others,
    "new_namespaces": new_namespaces,
    "fork_past": fork_past,
    "fill_disk": fill_disk,
}
