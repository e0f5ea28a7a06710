"""Confines a worker process of a service: one that runs the service's own code over hostile data.

A worker is not run in a cell. It is forked with its libraries loaded, answers over one descriptor, stays
for many requests and keeps the user of the service. Before it reads the first request it gives up what
computing does not need, for good.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass

from i2s_chassis.jail import landlock, seccomp, syscalls
from i2s_chassis.jail.landlock import Substitute
from i2s_chassis.jail.syscalls import close_all_but

#: Where shared libraries lie, and what their loader reads.
_SHARED_LIBRARIES = (
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    # Which the C library reads before it asks for huge pages.
    "/sys/kernel/mm/transparent_hugepage",
)
_STANDARD_ERROR = 2
_STANDARD_STREAMS = (0, 1, _STANDARD_ERROR)
_NOT_IMPORTED = ("__main__", "__mp_main__")


class ConfinementError(Exception):
    """The process cannot be confined; the message says why."""


@dataclass(frozen=True, slots=True)
class WorkerNeeds:
    """The needs of a worker beside the interpreter, its packages and shared libraries."""

    #: Files and folders that it reads. Missing ones are passed over.
    readable: tuple[str, ...] = ()
    #: Device files that it reads and writes. The filter cannot distinguish them from other files: with them,
    #: or with drivers, it permits what changes files, and Landlock alone prevents that.
    devices: tuple[str, ...] = ()
    #: Device files that it computes with: it reads, writes and maps them and calls their drivers. With them
    #: the filter permits every ioctl, which Landlock then permits for these files alone (from ABI 5 on).
    drivers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Confinement:
    """The confinement of a worker."""

    #: Version of Landlock's interface in force, 0 for none.
    landlock_abi: int
    #: Whether the system call filter permits what changes files.
    changes_files: bool = False
    #: Device files whose drivers it may call.
    drivers: tuple[str, ...] = ()

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms of the confinement on this machine, for people to read."""
        accesses = "read and changed" if self.changes_files else "read"
        files = f"no landlock: files can be {accesses}"
        if self.landlock_abi:
            files = f"landlock abi {self.landlock_abi}"
        own = ("no capabilities", "no new privileges", "seccomp")
        return (*own, files, *(f"driver {driver}" for driver in self.drivers))


def hide() -> None:
    """Close the memory and the environment of the calling process to other processes of its user.

    What it forks is hidden too. It leaves no core dump.
    """
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)


def confine(needs: WorkerNeeds, descriptors: Iterable[int], keep_errors: bool = False) -> Confinement:
    """Confine the calling process for good.

    It keeps the descriptors given. Standard input and output become /dev/null, and so does standard error,
    unless ``keep_errors`` is set: a worker must not write to the service's log itself.

    Args:
        needs: What the process still needs, which stays permitted.
        descriptors: What it reads requests from and answers to.
        keep_errors: Whether standard error stays what it is.

    Raises:
        ConfinementError: The kernel refused, or the process has threads already, which would stay free.
    """
    if not seccomp.supported():
        raise ConfinementError(f"there is no system call filter for {syscalls.MACHINE}")
    if (threads := len(os.listdir("/proc/self/task"))) > 1:
        raise ConfinementError(f"the process has {threads} threads already")
    try:
        return _confine(needs, {*descriptors, *_STANDARD_STREAMS}, keep_errors)
    except OSError as error:
        raise ConfinementError(f"the kernel refused: {error}") from error


def _confine(needs: WorkerNeeds, kept: set[int], keep_errors: bool) -> Confinement:
    os.setsid()  # its process group is what it may signal
    null = os.open("/dev/null", os.O_RDWR)
    for stream in _STANDARD_STREAMS:
        if stream != _STANDARD_ERROR or not keep_errors:
            os.dup2(null, stream)
    close_all_but(kept)
    hide()
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    changes_files = bool(needs.devices or needs.drivers)
    abi = syscalls.landlock_abi()
    if abi:
        readable = filter(os.path.exists, (*_SHARED_LIBRARIES, *_import_folders(), *needs.readable))
        landlock.restrict(abi, readable, devices=needs.devices, drivers=needs.drivers, programs=False)
    syscalls.drop_capabilities()
    seccomp.restrict(
        our_user=True,
        substitutes=tuple(
            substitute for substitute in Substitute if not needs.drivers or substitute is not Substitute.IOCTL
        ),
        starts_processes=False,
        changes_files=changes_files,
        engine=True,
    )
    # Libraries ask for the name while they are imported, and Python would look for a folder to write to.
    tempfile.tempdir = "/nonexistent"
    return Confinement(abi, changes_files, needs.drivers)


def _import_folders() -> list[str]:
    """Return the folders of the standard library and of packages, and those that modules were found in.

    Not the search path itself: it begins with the working directory or the folder of the program.
    """
    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    for name, module in sys.modules.copy().items():
        spec = getattr(module, "__spec__", None)
        if spec is None or "." in name or name in _NOT_IMPORTED:
            continue
        locations = spec.submodule_search_locations
        if locations is None and spec.has_location and spec.origin:
            locations = (spec.origin,)
        folders.update(os.path.dirname(location) for location in locations or ())
    return sorted(folders)
