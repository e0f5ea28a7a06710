"""Confine the process of one job: its own folder, no descriptor that is shared, fewer system calls.

Runs inside of a cell of the sandbox, with what the service has decided in ``settings``:

- ``landlock``: the accesses that the kernel controls, as bits of linux/landlock.h, by "files", "network" and
  "scoped"; None if there is no Landlock.
- ``rules``: pairs of a path and the accesses that are allowed there.
- ``own``: the accesses that are allowed in the folder of the job.
- ``filter``: the filter of system calls, for the kernel.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
from typing import Any

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP = 1, 4, 22
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_MODE_FILTER = 2
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on all machines
_RULE_PATH_BENEATH = 1
_DESCRIPTORS = 256

_libc = ctypes.CDLL(None, use_errno=True)


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _must(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _prctl(option: int, value: object, more: object = 0) -> None:
    _must(_libc.prctl(option, value, more, 0, 0))


def be_parent() -> None:
    """Let no child look into the memory of the calling process, and let orphans become its children."""
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def open_result(folder: str) -> int:
    """Make the file for the result of a job, beside its folder; returns a descriptor for writing."""
    return os.open(f"{folder}.result", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)


def confine(
    folder: str, log: str, cpu_seconds: int | None, settings: dict[str, Any], kept: int | None = None
) -> None:
    """Confine the calling process for good.

    Args:
        folder: Absolute path of the job's folder; becomes the current one.
        log: Name of a new file there, which becomes standard output and standard error.
        cpu_seconds: Processor time after which the kernel kills the process; None leaves that as it is.
        settings: See above.
        kept: A descriptor from 3 on that stays open, of no other process.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    os.chdir(folder)
    os.environ.update(HOME=folder, TMPDIR=folder)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    _replace_descriptors(output, kept)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these two
        signal.signal(number, signal.SIG_DFL)
    if cpu_seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    if settings["landlock"] is not None:
        _allow_files(folder, settings)
    if settings["filter"]:
        _filter_calls(settings["filter"])


def _replace_descriptors(output: int, kept: int | None) -> None:
    """Leave no descriptor that another process has too, and no number that is free by accident."""
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for number in range(3, _DESCRIPTORS):
        if number != kept and _is_open(number):
            os.dup2(null, number)


def _is_open(number: int) -> bool:
    try:
        fcntl.fcntl(number, fcntl.F_GETFD)
    except OSError:
        return False
    return True


def _allow_files(folder: str, settings: dict[str, Any]) -> None:
    handled = _Ruleset(**settings["landlock"])
    ruleset = _must(_libc.syscall(_CREATE_RULESET, ctypes.byref(handled), ctypes.sizeof(handled), 0))
    for path, access in (*settings["rules"], (folder, settings["own"])):
        try:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        rule = _Rule(access & handled.files, parent)
        _must(_libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), 0))
        os.close(parent)
    _must(_libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _filter_calls(instructions: bytes) -> None:
    program = _Filter(len(instructions) // 8, instructions)
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program))


def shared_descriptors() -> list[int]:
    """Return the descriptors from 3 on that are anything but /dev/null."""
    null = os.stat("/dev/null")
    found = []
    for number in range(3, _DESCRIPTORS):
        if _is_open(number):
            own = os.fstat(number)
            if (own.st_rdev, own.st_ino) != (null.st_rdev, null.st_ino):
                found.append(number)
    return found
