"""Run functions and tests in a child process that has no children of other tests, and inherits its orphans.

Whoever counts descendants, or what has been reaped, must not meet those of other tests in the same process.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import traceback
from collections.abc import Callable

import pytest

from i2s_chassis.jail import processes, syscalls


def in_a_child(act: Callable[[], bytes]) -> bytes:
    """Return what a function returns in a child, whose processes are then killed; nothing if it raises."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
            os.write(write, act())
        _kill(processes.descendants(os.getpid()))
        os._exit(0)
    os.close(write)
    try:
        with open(read, "rb") as output:
            return output.read()
    finally:  # also after the time limit of a test
        _kill([*processes.descendants(child), child])
        os.waitpid(child, 0)


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def apart(test: Callable[[], None]) -> Callable[[], None]:
    """Decorate a test so that it runs in a child process; a failure shows the traceback as text."""

    def tried() -> bytes:
        try:
            test()
        except BaseException:
            return traceback.format_exc().encode()
        return b"passed"

    @functools.wraps(test)
    def run() -> None:
        outcome = in_a_child(tried).decode()
        if outcome != "passed":
            pytest.fail(outcome or "the child process ended without a result", pytrace=False)

    return run
