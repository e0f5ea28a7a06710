"""A bound on work that the load of the machine does not move."""

from __future__ import annotations

import time
from collections.abc import Callable


def assert_linear(work: Callable[[int], object], length: int, cpu_seconds: float) -> None:
    """Fail if work takes longer than allowed and its time grows faster than its length.

    Under load the same work takes more CPU time; a quarter of it does so too.

    Args:
        work: Does the work for a length.
        length: The greatest length.
        cpu_seconds: CPU time below which nothing more is measured.
    """
    whole = _cpu(work, length)
    if whole >= cpu_seconds:
        quarter = _cpu(work, length // 4)
        assert whole < 8 * quarter, f"{whole:.1f} s for {length}, {quarter:.1f} s for a quarter of it"


def _cpu(work: Callable[[int], object], length: int) -> float:
    started = time.process_time()
    work(length)
    return time.process_time() - started
