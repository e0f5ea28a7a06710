"""System calls that Python does not offer, by ctypes: namespaces, mounts, Landlock, prctl.

Every function raises OSError with the errno of the call.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
from collections.abc import Collection
from collections.abc import Set as AbstractSet

_libc = ctypes.CDLL(None, use_errno=True)

MACHINE = platform.machine()

# The same on every architecture that got them after the numbering was unified.
_SYS_OPENAT2 = 437
_SYS_LANDLOCK_CREATE_RULESET = 444
_SYS_LANDLOCK_ADD_RULE = 445
_SYS_LANDLOCK_RESTRICT_SELF = 446
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}

PR_SET_PDEATHSIG = 1
PR_GET_PDEATHSIG = 2
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

RESOLVE_NO_XDEV = 0x01
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08


def _check(result: int, what: str) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, arg2: int = 0, arg3: int = 0) -> int:
    """Set an attribute of the calling process: prctl(2)."""
    return _check(
        _libc.prctl(option, ctypes.c_ulong(arg2), ctypes.c_ulong(arg3), 0, 0),
        f"prctl({option})",
    )


def kernel_log() -> bytes:
    """Return what the kernel has logged, its last part if that is long: syslog(2)."""
    read_all = 3
    buffer = ctypes.create_string_buffer(64 * 1024)
    length = _check(_libc.klogctl(read_all, buffer, len(buffer)), "klogctl")
    return buffer.raw[:length]


def _ptrace(request: int, pid: int, data: int) -> None:
    _check(_libc.ptrace(request, pid, None, ctypes.c_void_p(data)), f"ptrace({request})")


def trace(pid: int, options: int) -> None:
    """Trace a process from now on, without stopping it: PTRACE_SEIZE of ptrace(2)."""
    _ptrace(0x4206, pid, options)


def born(pid: int) -> int:
    """Return what a traced process has started and is stopped for, 0 if it is gone: PTRACE_GETEVENTMSG."""
    value = ctypes.c_ulong(0)
    with contextlib.suppress(ProcessLookupError):  # it was killed meanwhile
        _ptrace(0x4201, pid, ctypes.addressof(value))
    return value.value


def let_go_on(pid: int, by_signal: int) -> None:
    """Let a traced process that is stopped go on with a signal, 0 for none: PTRACE_CONT."""
    with contextlib.suppress(ProcessLookupError):  # it was killed meanwhile
        _ptrace(7, pid, by_signal)


def let_stop(pid: int) -> None:
    """Let a signal that has stopped a traced process have its effect: PTRACE_LISTEN."""
    with contextlib.suppress(ProcessLookupError):
        _ptrace(0x4208, pid, 0)


def unshare(flags: int) -> None:
    """Move the calling process into new namespaces: unshare(2)."""
    _check(_libc.unshare(flags), "unshare")


def setns(fd: int, kind: int = 0) -> None:
    """Move the calling process into the namespace of ``fd``: setns(2)."""
    _check(_libc.setns(fd, kind), "setns")


def mount(source: str, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mount a file system: mount(2). ``kind`` None changes an existing mount."""
    _check(
        _libc.mount(
            source.encode(),
            os.fsencode(target),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            data.encode() or None,
        ),
        f"mount {target}",
    )


def umount(target: str) -> None:
    """Unmount at once, whoever still uses it: umount2(2) with MNT_DETACH."""
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def openat2(dir_fd: int, path: str, flags: int, resolve: int, mode: int = 0) -> int:
    """Open a file below ``dir_fd``: openat2(2); returns the new file descriptor."""
    how = _OpenHow(flags | os.O_CLOEXEC, mode, resolve)
    return _check(
        _libc.syscall(_SYS_OPENAT2, dir_fd, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how)),
        f"openat2 {path}",
    )


class _SockFprog(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def load_seccomp_filter(program: bytes) -> None:
    """Install a classic BPF seccomp filter (an array of struct sock_filter)."""
    fprog = _SockFprog(len(program) // 8, program)
    mode_filter = 2
    _check(_libc.prctl(PR_SET_SECCOMP, mode_filter, ctypes.byref(fprog), 0, 0), "prctl(PR_SET_SECCOMP)")


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def landlock_version() -> int:
    """Return the version of Landlock that the kernel offers; raises if it offers none."""
    version_flag = 1
    version = _libc.syscall(_SYS_LANDLOCK_CREATE_RULESET, None, 0, version_flag)
    return _check(int(version), "landlock_create_ruleset")


def landlock_abi() -> int:
    """Return the version of Landlock that the kernel offers, 0 for none."""
    try:
        return landlock_version()
    except OSError:
        return 0


def landlock_create_ruleset(fs: int, net: int, scoped: int) -> int:
    """Create a ruleset that handles these accesses; returns its file descriptor."""
    attr = _RulesetAttr(fs, net, scoped)
    # An older kernel knows a shorter struct, and accepts the longer one only with zeros at its end.
    return _check(
        _libc.syscall(_SYS_LANDLOCK_CREATE_RULESET, ctypes.byref(attr), ctypes.sizeof(attr), 0),
        "landlock_create_ruleset",
    )


def landlock_allow_path(ruleset_fd: int, path_fd: int, allowed: int) -> None:
    """Allow accesses at and below the file that ``path_fd`` stands for."""
    attr = _PathBeneathAttr(allowed, path_fd)
    rule_path_beneath = 1
    _check(
        _libc.syscall(_SYS_LANDLOCK_ADD_RULE, ruleset_fd, rule_path_beneath, ctypes.byref(attr), 0),
        "landlock_add_rule",
    )


def landlock_restrict_self(ruleset_fd: int) -> None:
    """Put the calling process under the ruleset for good."""
    _check(_libc.syscall(_SYS_LANDLOCK_RESTRICT_SELF, ruleset_fd, 0), "landlock_restrict_self")


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapData(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def drop_capabilities(kept: Collection[int] = ()) -> None:
    """Empty the bounding set and all capability sets of the calling process.

    Args:
        kept: Numbers of capabilities that stay in force if they are permitted. No program that
            this process becomes has them.
    """
    drop_bounding_set()
    version_3 = 0x20080522
    header = _CapHeader(version_3, 0)
    data = (_CapData * 2)()
    for capability in kept:
        word, bit = divmod(capability, 32)
        data[word].effective |= 1 << bit
        data[word].permitted |= 1 << bit
    _check(_libc.syscall(_SYS_CAPSET[MACHINE], ctypes.byref(header), ctypes.byref(data)), "capset")


def drop_bounding_set() -> None:
    """Empty the bounding set of the calling process: no program that it becomes has any capability."""
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # EINVAL: past the last one; EPERM: had no right, so cannot gain any either
            break


def parent_death_signal() -> int:
    """Return the signal that this process gets when its parent ends, 0 for none: PR_GET_PDEATHSIG."""
    value = ctypes.c_int(0)
    prctl(PR_GET_PDEATHSIG, ctypes.addressof(value))
    return value.value


def close_all_but(kept: AbstractSet[int]) -> None:
    """Close every descriptor of the calling process that is not among these."""
    last = -1
    for fd in sorted(kept):
        if fd > last + 1:  # os.closerange(0, 0) closes everything
            os.closerange(last + 1, fd)
        last = fd
    os.closerange(last + 1, 1 << 20)
