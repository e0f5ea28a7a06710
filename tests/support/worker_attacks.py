"""Attacks by code that runs inside a worker process of the metric service, after the worker confined itself.

The interpreter that calls ``main`` plays the service: it hides itself as the service does and starts the
worker as the service does, with an attack in the place of the comparisons.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import fcntl
import json
import os
import resource
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.jail import escape, own_process, syscalls
from i2s_metrics import confinement
from i2s_metrics.frames import LENGTH, framed
from i2s_metrics.networks.messages import HostSettings
from i2s_metrics.processes import start

_OTHER_USER = 12345
_MOST_DESCRIPTORS = 65536
_OF_A_PROCESS = ("environ", "mem", "maps", "fd/0", "root/etc/passwd", "cwd/x")
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Targets:
    """What is aimed at; all of it is outside of the worker.

    Attributes:
        key: Private key of the service, readable to its user alone.
        of_another: File of another user, closed to others.
        changeable: File that the user of the service may read and write.
        tcp_port: Listening on the loopback.
        local: Listening Unix socket, by path.
        abstract: Listening Unix socket, by name.
        service: Process that plays the service.
        victim: Process of the same user that knows whether it was signalled.
    """

    key: str
    of_another: str
    changeable: str
    tcp_port: int
    local: str
    abstract: str
    service: int
    victim: int

    @property
    def folder(self) -> str:
        """Folder that the user of the service may write to."""
        return os.path.dirname(self.changeable)


Attack = Callable[[Targets], object]


def _read(path: str) -> None:
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))  # of a pipe or terminal a byte may never come


def _must_change(path: str, change: Callable[[], None]) -> None:
    """Raise where a change that was said to have been made was not."""
    before = os.stat(path)
    change()
    after = os.stat(path)
    if (before.st_mode, before.st_mtime) == (after.st_mode, after.st_mtime):
        raise OSError(errno.EPERM, "nothing changed")


def _write(path: str) -> object:
    with open(path, "wb") as file:
        return file.write(b"escaped")


def _called(result: int) -> None:
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")


def _connect(family: int, kind: int, address: object) -> None:
    with socket.socket(family, kind) as client:
        client.connect(address)  # type: ignore[arg-type]


def _send(family: int, address: object) -> None:
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.sendto(b"escaped", address)  # type: ignore[call-overload]


def _fork(_: Targets) -> None:
    if os.fork() == 0:
        os._exit(0)


def _start_program(_: Targets) -> None:
    os.posix_spawn("/bin/sh", ["sh", "-c", "true"], {})


def _own_descriptors(connection: int) -> None:
    """Find a descriptor that the worker was not meant to have."""
    for number in range(_MOST_DESCRIPTORS):
        if number in (0, 1, 2, connection):
            continue
        with contextlib.suppress(OSError):
            fcntl.fcntl(number, fcntl.F_GETFD)
            return
    raise OSError(errno.EBADF, "none")


def _speak_in_the_log(_: Targets) -> None:
    # Standard output is a device without effect; standard error is a socket that the service reads itself.
    for number, is_harmless in ((1, stat.S_ISCHR), (2, stat.S_ISSOCK)):
        os.write(number, b"escaped")
        if not is_harmless(os.fstat(number).st_mode):
            return
    raise OSError(errno.ENXIO, "neither is the log")


def _raise_capabilities(_: Targets) -> None:
    header = struct.pack("Ii", 0x20080522, 0)
    everything = struct.pack("6I", *(0xFFFFFFFF,) * 6)
    _called(_libc.capset(header, everything))


def _trace(pid: int) -> None:
    attach = 16
    _called(_libc.ptrace(attach, pid, None, None))


def _read_memory(pid: int) -> None:
    piece = ctypes.create_string_buffer(8)
    vector = struct.pack("QQ", ctypes.addressof(piece), 8)
    _called(_libc.process_vm_readv(pid, vector, 1, vector, 1, 0))


def _have_the_kernel_signal(pid: int) -> None:
    """Make a process the owner of a pipe whose readiness is told by a signal."""
    reading, writing = os.pipe()
    own, set_signal, usr1 = 8, 10, 10
    fcntl.fcntl(reading, own, pid)
    fcntl.fcntl(reading, set_signal, usr1)
    fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writing, b".")


def _of_processes() -> Iterator[tuple[str, Attack]]:
    aims: dict[str, Callable[[Targets], int]] = {
        "service": lambda aim: aim.service,
        "parent": lambda _: os.getppid(),
        "neighbour": lambda aim: aim.victim,
    }
    for name, pid in aims.items():
        if name != "neighbour":  # which does not hide itself, unlike processes of the service
            yield from _of_its_folder(name, pid)
        yield f"signal the {name}", lambda aim, pid=pid: os.kill(pid(aim), 10)
        yield f"signal the group of the {name}", lambda aim, pid=pid: os.killpg(os.getpgid(pid(aim)), 10)
        yield f"have the {name} signalled", lambda aim, pid=pid: _have_the_kernel_signal(pid(aim))
        yield f"trace the {name}", lambda aim, pid=pid: _trace(pid(aim))
        yield f"read the memory of the {name}", lambda aim, pid=pid: _read_memory(pid(aim))
        yield (
            f"limit the {name}",
            lambda aim, pid=pid: resource.prlimit(pid(aim), resource.RLIMIT_CPU, (1, 1)),
        )


def _of_its_folder(name: str, pid: Callable[[Targets], int]) -> Iterator[tuple[str, Attack]]:
    for file in _OF_A_PROCESS:
        yield f"read {file} of the {name}", lambda aim, file=file: _read(f"/proc/{pid(aim)}/{file}")


def _of_files() -> Iterator[tuple[str, Attack]]:
    cache = confinement.FOLDER or Path("/nowhere")
    package = Path(confinement.__file__)
    folders = {folder: folder for folder in ("/", "/tmp", "/var/tmp", "/dev/shm", "/etc")}
    folders |= {"its cache": str(cache), "its package": str(package.parent), "the working directory": "."}
    for name, folder in folders.items():
        yield f"write to {name}", lambda _, folder=folder: _write(f"{folder}/i2s-escaped")
        yield f"make a folder in {name}", lambda _, folder=folder: os.mkdir(f"{folder}/i2s-escaped-folder")
    yield "write to a folder of the service", lambda aim: _write(f"{aim.folder}/escaped")
    yield "make an unnamed file", lambda aim: os.open(aim.folder, os.O_TMPFILE | os.O_RDWR)
    yield "overwrite a file", lambda aim: _write(aim.changeable)
    yield "open its own code for writing", lambda _: package.open("ab")
    yield "empty a file by opening it", lambda aim: os.open(aim.changeable, os.O_RDONLY | os.O_TRUNC)
    yield "truncate a file", lambda aim: os.truncate(aim.changeable, 0)
    yield "remove a file", lambda aim: os.unlink(aim.changeable)
    yield "rename a file", lambda aim: os.rename(aim.changeable, f"{aim.changeable}-escaped")
    yield "link a file", lambda aim: os.link(aim.changeable, f"{aim.changeable}-escaped")
    yield "make a symbolic link", lambda aim: os.symlink("x", f"{aim.changeable}-escaped")
    yield "give a file away", lambda aim: os.chown(aim.changeable, 1, 1)
    yield "give a file an attribute", lambda aim: os.setxattr(aim.changeable, "user.i2s", b"x")
    # The filter says that these succeeded, and does not make them.
    yield (
        "change the mode of a file",
        lambda aim: _must_change(aim.changeable, lambda: os.chmod(aim.changeable, 0o644)),
    )
    yield (
        "change the times of a file",
        lambda aim: _must_change(aim.changeable, lambda: os.utime(aim.changeable, (0, 0))),
    )


def _of_the_kernel() -> Iterator[tuple[str, Attack]]:
    yield "connect to the loopback", lambda aim: _connect(socket.AF_INET, 1, ("127.0.0.1", aim.tcp_port))
    yield "send to the loopback", lambda aim: _send(socket.AF_INET, ("127.0.0.1", aim.tcp_port))
    yield "connect to a Unix socket", lambda aim: _connect(socket.AF_UNIX, 1, aim.local)
    yield "connect to an abstract socket", lambda aim: _connect(socket.AF_UNIX, 1, f"\0{aim.abstract}")
    yield "make a pair of sockets", lambda _: socket.socketpair()
    yield "ask the kernel by netlink", lambda _: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
    yield "become a shell", lambda _: os.execv("/bin/sh", ["sh"])
    yield "run a shell", lambda _: subprocess.run(["/bin/sh", "-c", "true"], check=True)
    yield "start a shell", _start_program
    yield "fork", _fork
    yield "become another user", lambda _: os.setuid(_OTHER_USER if os.getuid() == 0 else 0)
    yield "raise its capabilities", _raise_capabilities
    yield "make a user namespace", lambda _: syscalls.unshare(syscalls.CLONE_NEWUSER)
    yield "make a mount namespace", lambda _: syscalls.unshare(syscalls.CLONE_NEWNS)
    yield "mount", lambda aim: syscalls.mount("none", aim.folder, "tmpfs", 0)
    yield "change its root", lambda aim: os.chroot(aim.folder)
    yield "read the log of the kernel", lambda _: syscalls.kernel_log()
    yield "raise its priority", lambda _: os.setpriority(os.PRIO_PROCESS, 0, -5)
    yield "speak in the log of the service", _speak_in_the_log


#: Read what Landlock alone keeps from a process of the same user.
READS: dict[str, Attack] = {
    "read the key": lambda aim: _read(aim.key),
    "read /etc/passwd": lambda _: _read("/etc/passwd"),
    "read /etc/shadow": lambda _: _read("/etc/shadow"),
    "read a shell": lambda _: _read("/bin/sh"),
    "read the status of process 1": lambda _: _read("/proc/1/status"),
    "read its own descriptors": lambda _: os.listdir("/proc/self/fd"),
    "list /": lambda _: os.listdir("/"),
    "list /root": lambda _: os.listdir("/root"),
    "list /home": lambda _: os.listdir("/home"),
    "list /proc": lambda _: os.listdir("/proc"),
    "list /tmp": lambda _: os.listdir("/tmp"),
    "list the working directory": lambda _: os.listdir("."),
    **dict(_of_its_folder("neighbour", lambda aim: aim.victim)),
}

OTHERS: dict[str, Attack] = {
    "read a file of another user": lambda aim: _read(aim.of_another),
    **dict(_of_files()),
    **dict(_of_the_kernel()),
    **dict(_of_processes()),
}


def attack(connection: socket.socket, aim: Targets) -> None:
    """Try everything, in the place of the comparisons of a worker; answer what was done and what denied."""
    held: dict[str, str] = {}
    done: list[str] = []
    attacks: dict[str, Attack] = {
        # First: some of the others leave descriptors open.
        "find a descriptor of the service": lambda _: _own_descriptors(connection.fileno()),
        **READS,
        **OTHERS,
        # Threads are what numerical libraries start; they must not be free of what holds the first.
        "read the key from a thread": lambda aim: _from_a_thread(READS["read the key"], aim),
        "fork from a thread": lambda aim: _from_a_thread(_fork, aim),
    }
    for name, act in attacks.items():
        try:
            act(aim)
        except (OSError, subprocess.SubprocessError) as error:
            held[name] = str(error)
        else:
            done.append(name)
    with connection:
        connection.sendall(framed(json.dumps({"done": done, "held": held}).encode()))


def call_drivers(connection: socket.socket, paths: tuple[str, ...]) -> None:
    """Answer of which device files the driver can be called."""
    bytes_of_entropy = 0x80045200  # RNDGETENTCNT of random(4), which anybody may ask
    called = []
    for path in paths:
        with contextlib.suppress(OSError), open(path, "rb+", buffering=0) as device:
            fcntl.ioctl(device, bytes_of_entropy, bytes(4))
            called.append(path)
    with connection:
        connection.sendall(framed(json.dumps(called).encode()))


def _from_a_thread(act: Attack, aim: Targets) -> None:
    errors: list[OSError] = []

    def run() -> None:
        try:
            act(aim)
        except OSError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


@contextlib.contextmanager
def _targets() -> Iterator[Targets]:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="i2s-attacked-")))
        key, changeable, of_another = folder / "key.pem", folder / "changeable", folder / "of-another"
        for path in (key, changeable, of_another):
            path.write_text("as it was")
            path.chmod(0o600)
        if os.geteuid() == 0:
            os.chown(of_another, _OTHER_USER, _OTHER_USER)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        local, abstract = folder / "socket", f"i2s-attacked-{os.getpid()}"
        for address in (str(local), f"\0{abstract}"):
            listener = stack.enter_context(contextlib.closing(socket.socket(socket.AF_UNIX)))
            listener.bind(address)
            listener.listen()
        aimed_at = stack.enter_context(escape.started_victim())
        yield Targets(
            str(key),
            str(of_another) if os.geteuid() == 0 else "/etc/shadow",
            str(changeable),
            tcp.getsockname()[1],
            str(local),
            abstract,
            os.getpid(),
            aimed_at.pid,
        )
        if aimed_at.was_signalled():
            raise AssertionError("a signal arrived at a process outside")
        if {path.read_text() for path in (key, changeable, of_another)} != {"as it was"}:
            raise AssertionError("a file outside was changed")
        if len(list(folder.iterdir())) != len((key, changeable, of_another, local)):
            raise AssertionError("a file was made or removed outside")


def _take_landlock_away() -> None:
    """Have the kernel answer this process, and all that it starts, as one without Landlock does."""
    load, equal, leave = 0x20, 0x15, 0x06
    landlock_create_ruleset, allow, fail = 444, 0x7FFF0000, 0x00050000
    code = [
        (load, 0, 0, 0),
        (equal, 0, 1, landlock_create_ruleset),
        (leave, 0, 0, fail | errno.ENOSYS),
        (leave, 0, 0, allow),
    ]
    if os.geteuid() != 0:
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    syscalls.load_seccomp_filter(b"".join(struct.pack("=HBBI", *instruction) for instruction in code))


async def _attacked(needs: own_process.WorkerNeeds) -> dict[str, object]:
    with _targets() as targets:
        child = await start(attack, targets, needs)
        try:
            (length,) = LENGTH.unpack(await child.reader.readexactly(LENGTH.size))
            answer = json.loads(await child.reader.readexactly(length))
        finally:
            await child.end()
    assert child.confinement is not None
    return {**answer, "mechanisms": child.confinement.mechanisms}


def main() -> None:
    """Print as JSON what was done, what was held and what the worker said that it is confined by."""
    if "--without-landlock" in sys.argv:
        _take_landlock_away()
    own_process.hide()
    needs = confinement.worker_needs()
    if "--networks" in sys.argv:
        needs = confinement.network_needs(HostSettings(weights={}, device="cpu"))
    print(json.dumps(asyncio.run(_attacked(needs))))
