"""What a process without need of privileges gives up, for good: capabilities, its user, and system calls."""

from __future__ import annotations

import os

from i2s_chassis.errors import StartError
from i2s_chassis.jail import seccomp, syscalls
from i2s_chassis.privileges.account import UserAccount


def confine(kept: tuple[int, ...] = (), account: UserAccount | None = None) -> None:
    """Confine the calling process, which has one thread.

    Args:
        kept: Numbers of the capabilities that stay in force.
        account: The user to become; None stays who it is.

    Raises:
        OSError: The kernel refused.
        StartError: The parent that this process is tied to has ended meanwhile.
    """
    by_parent, parent = syscalls.parent_death_signal(), os.getppid()
    if account is not None:
        syscalls.drop_bounding_set()  # while we may
        if kept:
            syscalls.prctl(syscalls.PR_SET_KEEPCAPS, 1)
        account.become()
    syscalls.drop_capabilities(kept)
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if seccomp.supported():
        seccomp.restrict_service()
    if by_parent:
        # The kernel forgets it with a change of user.
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, by_parent)
        if os.getppid() != parent:
            raise StartError("the process that this service is tied to has ended")
