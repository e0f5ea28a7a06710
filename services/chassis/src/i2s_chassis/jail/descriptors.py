"""Closing the descriptors that a process was born with and has no use for."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet


def close_all_but(kept: AbstractSet[int]) -> None:
    """Close every descriptor of the calling process that is not among these."""
    last = -1
    for fd in sorted(kept):
        if fd > last + 1:  # os.closerange(0, 0) closes everything
            os.closerange(last + 1, fd)
        last = fd
    os.closerange(last + 1, 1 << 20)
