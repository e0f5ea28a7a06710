"""Starts a program that ends when the process that asked for it ends, however that ends.

Run as a script: ``python -I -S tether.py PARENT COMMAND…``. It asks the kernel for SIGTERM at the death of
the parent (prctl(2), PR_SET_PDEATHSIG, which survives execve), and then becomes the command. The signal
comes at the end of the *thread* that started this process, so that thread must live as long as the command
shall: here it is the one that runs the event loop. It imports nothing of the SDK and nothing that is slow.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Tie this process to its parent and become the command."""
    parent, command = int(arguments[0]), arguments[1:]
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0) != 0:
        sys.exit(f"{command[0]}: cannot be tied to its parent: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent:  # it died before the kernel knew
        sys.exit(f"{command[0]}: the process that asked for it is gone")
    os.execv(command[0], command)  # noqa: S606 - there is no shell on purpose


if __name__ == "__main__":
    main(sys.argv[1:])
