"""The tie between a process and its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from i2s_sdk.stack import tether

_ASK = """
import ctypes, os
number = ctypes.c_int()
ctypes.CDLL(None).prctl(2, ctypes.byref(number))  # PR_GET_PDEATHSIG
print(number.value, os.getpid())
"""


def test_the_command_is_signalled_at_the_death_of_its_parent() -> None:
    command = [sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), sys.executable, "-c", _ASK]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        number, pid = process.stdout.read().split()
    assert int(number) == signal.SIGTERM
    assert int(pid) == process.pid  # it became the command, there is nothing between


def test_an_orphan_does_not_start() -> None:
    command = [sys.executable, "-I", "-S", tether.__file__, "1", sys.executable, "-c", "print('started')"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert "is gone" in ended.stderr
