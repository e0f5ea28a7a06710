"""Makes this Python, and each that it starts, one as on a Mac: PYTHONPATH names this folder.

The platform is darwin; what the standard library has on Linux alone is gone; /proc and prctl are not there;
a limit on address space is refused, as macOS refuses it; and sizes are counted in its units. What is the same
on all Unix systems (files, processes, TCP) is that of this machine.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import resource
import select
import signal
import sys
import time
import types
from collections.abc import Callable
from typing import Any

# Before selectors is imported, by socket, which takes it where it is.
for _name in [name for name in vars(select) if name.lower().startswith("epoll")]:
    del vars(select)[_name]

import socket  # noqa: E402

_NAME = "darwin"

#: What typeshed's stubs and the documentation of Python have for Linux and not for macOS, by module.
_ABSENT: dict[types.ModuleType, str] = {
    os: (
        "sched_getaffinity sched_setaffinity sched_getparam sched_setparam sched_getscheduler "
        "sched_setscheduler sched_rr_get_interval memfd_create eventfd eventfd_read eventfd_write pidfd_open "
        "posix_fadvise posix_fallocate copy_file_range splice getrandom getxattr setxattr listxattr "
        "removexattr setresuid setresgid getresuid getresgid fdatasync pipe2 unshare setns timerfd_create "
        "O_TMPFILE O_PATH O_DIRECT O_LARGEFILE O_NOATIME O_RSYNC SCHED_BATCH SCHED_IDLE P_PIDFD"
    ),
    time: "CLOCK_BOOTTIME CLOCK_TAI pthread_getcpuclockid",
    signal: "SIGRTMIN SIGRTMAX SIGPOLL SIGPWR SIGSTKFLT SIGCLD sigtimedwait sigwaitinfo pidfd_send_signal",
    socket: (
        "AF_NETLINK AF_PACKET AF_ALG AF_VSOCK SOCK_CLOEXEC SOCK_NONBLOCK SO_PEERCRED SO_DOMAIN SO_PROTOCOL "
        "SO_BINDTODEVICE SO_MARK TCP_USER_TIMEOUT TCP_KEEPIDLE TCP_QUICKACK TCP_CORK"
    ),
    resource: "prlimit RLIMIT_MSGQUEUE RLIMIT_NICE RLIMIT_RTPRIO RLIMIT_RTTIME RLIMIT_SIGPENDING",
    fcntl: "F_ADD_SEALS F_GET_SEALS F_GETPIPE_SZ F_SETPIPE_SZ F_NOTIFY F_SETSIG F_GETSIG F_GETLEASE",
    mmap: "MAP_POPULATE MAP_STACK MADV_HUGEPAGE MADV_DONTFORK MADV_REMOVE",
    errno: (
        "EREMCHG EREMOTEIO EBADFD ECHRNG ECOMM EDOTDOT EISNAM EKEYEXPIRED ELIBACC EMEDIUMTYPE ENAVAIL ENOKEY "
        "ENOMEDIUM ENONET ENOTNAM ENOTUNIQ ERESTART ERFKILL ESRMNT ESTRPIPE EUCLEAN EUNATCH EXFULL"
    ),
}


def _remove_what_is_not_there() -> None:
    for module, names in _ABSENT.items():
        for name in names.split():
            vars(module).pop(name, None)
    for name in ("spwd", "ossaudiodev"):
        sys.modules[name] = None  # type: ignore[assignment]  # an import of it fails
    proxies: Any = types.ModuleType("_scproxy")  # urllib asks the system of a Mac for its proxies
    proxies._get_proxy_settings = lambda: {"exclude_simple": False}
    proxies._get_proxies = dict
    sys.modules["_scproxy"] = proxies


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "ctypes.dlsym" and arguments[1] in {"prctl", "unshare", "setns", "syscall", "gettid"}:
        raise AttributeError(f"symbol not found: {arguments[1]}")
    if event in {"open", "os.listdir", "os.scandir"} and str(arguments[0]).startswith("/proc"):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), arguments[0])


def _without_proc(call: Callable[..., Any]) -> Callable[..., Any]:
    def called(path: Any, *words: Any, **options: Any) -> Any:
        if isinstance(path, str | os.PathLike) and os.fspath(path).startswith("/proc"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return call(path, *words, **options)

    return called


def _limits_of_address_space_are_refused(set_limit: Callable[..., None]) -> Callable[..., None]:
    def called(kind: int, limits: tuple[int, int]) -> None:
        if kind == resource.RLIMIT_AS:
            raise ValueError("current limit exceeds maximum limit")
        set_limit(kind, limits)

    return called


def _usage_in_bytes(
    usage: Callable[[int], resource.struct_rusage],
) -> Callable[[int], resource.struct_rusage]:
    def called(who: int) -> resource.struct_rusage:
        fields = list(usage(who))
        fields[2] *= 1024  # ru_maxrss
        return resource.struct_rusage(fields)

    return called


sys.platform = _NAME
_remove_what_is_not_there()
for _name in ("stat", "lstat", "readlink", "access"):
    setattr(os, _name, _without_proc(getattr(os, _name)))
resource.setrlimit = _limits_of_address_space_are_refused(resource.setrlimit)
resource.getrusage = _usage_in_bytes(resource.getrusage)
os.uname = lambda: os.uname_result((_NAME.capitalize(), "mac", "24.0.0", "Darwin Kernel Version 24", "arm64"))
sys.addaudithook(_refuse)
