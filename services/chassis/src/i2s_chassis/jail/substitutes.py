"""What the system call filter does in place of an older Landlock.

Landlock grew with the kernel. A kernel with an older version of its interface (ABI) does not control some
accesses, and the filter then denies the calls that lead to them:

- ``ioctl`` (ABI 5, Linux 6.10): only the requests that act on any descriptor pass; others fail with ENOTTY.
- ``signals`` (ABI 6, Linux 6.12): a process may signal itself and its own process group, and nobody else.
  Only for a job that has the user of the service; the kernel keeps other users apart.
- ``sockets`` (TCP: ABI 4, Linux 6.7; names of abstract sockets: ABI 6): no sockets at all. The filter holds
  this on every kernel, so nothing is added.
- ``truncate`` (ABI 3, Linux 6.2): no truncation by path, and none by opening a file without writing to it.

Links and renames from one folder to another (ABI 2, Linux 5.19) need nothing: without it the kernel refuses
all of them, so a program that renames a file into another folder fails with EXDEV and copies it.

See https://docs.kernel.org/userspace-api/landlock.html.
"""

from __future__ import annotations

import enum


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


def needed(landlock_abi: int, *, our_user: bool) -> tuple[Substitute, ...]:
    """Return what the filter must control in the tier ``landlock``, in alphabetical order.

    Args:
        landlock_abi: Version of Landlock's interface in force, from 1.
        our_user: Whether jobs run as the user of the service.
    """
    return tuple(
        one
        for one, first in _CONTROLLED_FROM.items()
        if landlock_abi < first and (our_user or one is not Substitute.SIGNALS)
    )
