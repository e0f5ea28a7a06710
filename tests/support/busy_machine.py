"""Busy processes that keep everything else waiting for a processor."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator

BUSY = ("perl", "-e", "1 while 1")
FOR_EACH_PROCESSOR = 8


@contextlib.contextmanager
def busy_machine(for_each_processor: int = FOR_EACH_PROCESSOR) -> Iterator[None]:
    """Have busy processes, each in a session of its own: schedulers may group those of one session."""
    number = for_each_processor * len(os.sched_getaffinity(0))
    burners: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(number):
            burners.append(subprocess.Popen(BUSY, start_new_session=True))
        yield
    finally:
        for burner in burners:
            burner.kill()
        for burner in burners:
            burner.wait()
