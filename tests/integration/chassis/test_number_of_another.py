"""A number of a process that has ended may be that of another process by now, which is not harmed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from i2s_chassis.jail import Jail, JailSettings, Tier, processes
from i2s_chassis.limits import Limits

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may choose the number of a process"),
]

LIMITS = Limits(cpu_seconds=5.0, wall_seconds=60.0)
#: Makes a process with a number, which sleeps until standard input ends; prints the signal that ended it.
_WITH_NUMBER = """
import ctypes, os, signal, struct, sys
number = ctypes.c_int(int(sys.argv[1]))
arguments = struct.pack("10Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(number), 1)
libc = ctypes.CDLL(None, use_errno=True)
made = libc.syscall(435, arguments, len(arguments))  # clone3
if made == 0:
    while True:
        signal.pause()
print(made if made > 0 else f"errno {ctypes.get_errno()}", flush=True)
sys.stdin.read()
os.kill(made, signal.SIGTERM)
print(os.waitstatus_to_exitcode(os.waitpid(made, 0)[1]))
"""


class Bystander:
    """A process that has the number of one that has ended."""

    def __init__(self, number: int) -> None:
        command = [sys.executable, "-I", "-S", "-c", _WITH_NUMBER, str(number)]
        self._parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._parent.stdout is not None
        assert self._parent.stdout.readline().strip() == str(number)

    def end(self) -> int:
        """End it; returns the signal that it has ended with, SIGTERM if nobody else has sent it one."""
        said, _ = self._parent.communicate()
        return -int(said)


@pytest_asyncio.fixture
async def jail() -> AsyncIterator[Jail]:
    jail = await Jail.start(JailSettings(tier=Tier.NAMESPACE))
    yield jail
    await jail.close()


def first_process_of_a_sandbox(before: list[int]) -> int:
    """Return the number of the first process in the only sandbox that was made since."""
    for pid in processes.descendants(os.getpid()):
        isolation = processes.isolation_of(pid)
        if pid not in before and isolation is not None and isolation.pid_namespaces > 1:
            return pid
    raise AssertionError("there is no sandbox")


async def test_the_end_of_a_cell_harms_nobody_who_has_the_number_of_its_sandbox(jail: Jail) -> None:
    before = processes.descendants(os.getpid())
    async with jail.cell(LIMITS) as cell:
        assert (await cell.run(["true"])).exit_code == 0
        first = first_process_of_a_sandbox(before)
        os.kill(first, signal.SIGKILL)
        while processes.look_at(first) is not None:  # until its number is free
            await asyncio.sleep(0.01)
        bystander = Bystander(first)
    assert bystander.end() == signal.SIGTERM
