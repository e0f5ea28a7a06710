"""What confines the child of a warm process beside the sandbox of the process: Landlock and a call filter.

A child has the user of the warm process and of other children. So, in whatever tier, it may signal none of
them, and of its files it may touch its own folder alone.
"""

from __future__ import annotations

from i2s_chassis.jail import Isolation, substitutes
from i2s_chassis.jail.seccomp import build
from i2s_chassis.warm.errors import WarmError


def landlock_abi(isolation: Isolation) -> int:
    """Return the version of Landlock's interface that keeps the children of one process apart.

    Raises:
        WarmError: There is none here.
    """
    if not isolation.landlock_abi:
        raise WarmError("jobs of one warm process are kept apart by Landlock, which is not to be had here")
    return isolation.landlock_abi


def call_filter(isolation: Isolation) -> bytes:
    """Return the filter of system calls of a child, as the kernel takes it.

    Raises:
        WarmError: There is no Landlock here.
    """
    stand_ins = substitutes.needed(landlock_abi(isolation), our_user=True)
    return build(our_user=True, substitutes=stand_ins, own_pid=None)
