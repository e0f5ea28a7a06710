"""Landlock: which files a process may touch, no TCP, no signals to the outside.

The kernel applies a ruleset to the calling process and all it starts, for good. Landlock grew with the
kernel. A kernel with an older version of its interface (ABI) does not control some accesses, and the system
call filter then denies the calls that lead to them:

- ``ioctl`` (ABI 5, Linux 6.10): only the requests that act on any descriptor pass; others fail with ENOTTY.
- ``signals`` (ABI 6, Linux 6.12): a process may signal itself and its own process group, and nobody else.
  Only for a job that has the user of the service; the kernel keeps other users apart.
- ``sockets`` (TCP: ABI 4, Linux 6.7; names of abstract sockets: ABI 6): no sockets at all. The filter holds
  this on every kernel, so nothing is added.
- ``truncate`` (ABI 3, Linux 6.2): no truncation by path, and none by opening a file without writing to it.

Links and renames from one folder to another (ABI 2, Linux 5.19) need nothing: without it the kernel refuses
all of them, so a program that renames a file into another folder fails with EXDEV and copies it.

See https://docs.kernel.org/userspace-api/landlock.html for the versions of the interface.
"""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from i2s_chassis.jail import syscalls


class Substitute(enum.StrEnum):
    """An access that the filter controls because Landlock does not."""

    IOCTL = "ioctl"
    SIGNALS = "signals"
    SOCKETS = "sockets"
    TRUNCATE = "truncate"


#: The first version of Landlock's interface that controls an access itself.
_CONTROLLED_FROM = {
    Substitute.IOCTL: 5,
    Substitute.SIGNALS: 6,
    Substitute.SOCKETS: 6,
    Substitute.TRUNCATE: 3,
}


def needed_substitutes(landlock_abi: int, *, our_user: bool) -> tuple[Substitute, ...]:
    """Return what the filter must control in the tier ``landlock``, in alphabetical order.

    Args:
        landlock_abi: Version of Landlock's interface in force, from 1.
        our_user: Whether jobs run as the user of the service.
    """
    return tuple(
        substitute
        for substitute, first in _CONTROLLED_FROM.items()
        if landlock_abi < first and (our_user or substitute is not Substitute.SIGNALS)
    )


_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_REMOVE_DIR = 1 << 4
_REMOVE_FILE = 1 << 5
_MAKE_DIR = 1 << 7
_MAKE_REG = 1 << 8
_MAKE_SOCK = 1 << 9
_MAKE_SYM = 1 << 12
_REFER = 1 << 13
_TRUNCATE = 1 << 14
_IOCTL_DEV = 1 << 15

#: All file accesses that a version of the interface knows.
_ALL_FILE_ACCESS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_BIND_AND_CONNECT_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

#: The accesses that there are to what is not a folder.
FILE_ONLY = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_READ = _EXECUTE | _READ_FILE | _READ_DIR
# No links, devices, pipes or sockets: nothing of that kind is ever a result.
_WRITE = _READ | _WRITE_FILE | _TRUNCATE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER
# Nothing is made, removed or executed there.
_OF_KERNEL = _READ_FILE | _READ_DIR | _WRITE_FILE

# Rights to a device that the process computes with.
_OF_DRIVER = _OF_KERNEL | _IOCTL_DEV

_FIRST_WITH_TCP, _FIRST_WITH_SCOPES = 4, 6


@dataclass(frozen=True, slots=True)
class Handled:
    """The accesses that a ruleset denies unless a rule allows them, as bits of linux/landlock.h."""

    #: Accesses to files and folders.
    files: int
    #: Accesses to TCP.
    network: int
    #: Signals to, and abstract sockets of, processes outside.
    scoped: int


def handled(abi: int) -> Handled:
    """Return all accesses that a version of the interface controls.

    Args:
        abi: Version of the interface, from 1.
    """
    return Handled(
        files=_ALL_FILE_ACCESS[max(version for version in _ALL_FILE_ACCESS if version <= abi)],
        network=_BIND_AND_CONNECT_TCP if abi >= _FIRST_WITH_TCP else 0,
        scoped=_ABSTRACT_SOCKETS_AND_SIGNALS if abi >= _FIRST_WITH_SCOPES else 0,
    )


def restrict(
    abi: int,
    readable: Iterable[str],
    writable: Iterable[str] = (),
    devices: Iterable[str] = (),
    *,
    links: bool = False,
    programs: bool = True,
    drivers: Iterable[str] = (),
) -> None:
    """Put the calling process under Landlock for good.

    Args:
        abi: Version of the interface to use, from 1 to what the kernel offers.
        readable: Folders and files that may be read. Missing ones are passed over.
        writable: Folders in which plain files and folders may be made, changed and removed.
        links: Also links and sockets may be made in the writable folders.
        devices: Device files, and folders of the kernel's own files, that may be read and written.
        programs: Whether what may be read may be executed as a program too.
        drivers: Device files that may be read and written, and whose drivers may be called (ioctl).

    Raises:
        OSError: The kernel refused.
    """
    bits = handled(abi)
    ruleset = syscalls.landlock_create_ruleset(bits.files, bits.network, bits.scoped)
    try:
        for path, access in rules(abi, readable, writable, devices, links=links, programs=programs):
            _allow(ruleset, path, access)
        for path in drivers:
            _allow(ruleset, path, _OF_DRIVER & bits.files)
        syscalls.landlock_restrict_self(ruleset)
    finally:
        os.close(ruleset)


def rules(
    abi: int,
    readable: Iterable[str],
    writable: Iterable[str] = (),
    devices: Iterable[str] = (),
    *,
    links: bool = False,
    programs: bool = True,
) -> list[tuple[str, int]]:
    """Return the rules that ``restrict`` makes of its arguments: paths, and the accesses allowed there.

    Of a path that is not a folder the kernel takes only the accesses of ``FILE_ONLY``.
    """
    read = _READ if programs else _READ & ~_EXECUTE
    return [
        (path, access & handled(abi).files)
        for paths, access in (
            (readable, read),
            (writable, writable_access(abi, links=links)),
            (devices, _OF_KERNEL),
        )
        for path in paths
    ]


def writable_access(abi: int, *, links: bool = False, programs: bool = True) -> int:
    """Return the accesses that are allowed in a writable folder; see ``restrict``."""
    write = _WRITE | (_MAKE_SOCK | _MAKE_SYM if links else 0)
    return (write if programs else write & ~_EXECUTE) & handled(abi).files


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            access &= FILE_ONLY
        syscalls.landlock_allow_path(ruleset, fd, access)
    finally:
        os.close(fd)
