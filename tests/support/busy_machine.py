"""Busy processes that keep everything else waiting for a processor."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator

#: Ends with the process that started it: tests that are killed cannot end it.
BUSY = ("perl", "-e", "my $parent = getppid; while (getppid == $parent) { 1 for 1 .. 100_000 }")
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


@contextlib.contextmanager
def crowded_processor(pid: int, number: int) -> Iterator[None]:
    """Have a process share one processor with busy processes, so that it gets a small part of it."""
    before = os.sched_getaffinity(pid)
    processor = {min(before)}
    with contextlib.ExitStack() as burners:
        os.sched_setaffinity(pid, processor)
        burners.callback(_allow, pid, before)
        for _ in range(number):
            burner = subprocess.Popen(BUSY, start_new_session=True)
            burners.callback(burner.wait)
            burners.callback(burner.kill)
            os.sched_setaffinity(burner.pid, processor)
        yield


def _allow(pid: int, processors: set[int]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.sched_setaffinity(pid, processors)
