"""Runs a Python program as root of a user namespace, as root is in a rootless container.

    python tests/support/root_of_namespace.py own|shared PROGRAM ARGUMENT…

With "own" it has a process namespace and a /proc of its own too. With "shared" it stays in the process
namespace of its parent, so the kernel lets it mount no /proc. All users have the numbers that they have
outside. Needs root.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from i2s_chassis.jail import syscalls

_EVERY_USER = "0 0 65536"


def run_as_root_of_namespace(
    program: str, *, own_processes: bool, seconds: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """Run Python source; returns what came of it.

    Args:
        program: The source.
        own_processes: Whether it has a process namespace of its own.
        seconds: Seconds after which it is killed.
    """
    words = ["own" if own_processes else "shared", sys.executable, "-c", program]
    command = [sys.executable, __file__, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


def _become(own_processes: bool, command: list[str]) -> None:
    if own_processes:
        child = os.fork()  # the first one in the namespace, which the calling process is not
        if child:
            os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
    if own_processes:
        syscalls.mount("proc", "/proc", "proc", 0, "")
    os.execv(command[0], command)


def main(kind: str, command: list[str]) -> int:
    """Make the namespaces and run the command in them; returns its exit code."""
    made_read, made_write = os.pipe()
    go_read, go_write = os.pipe()
    own_processes = kind == "own"
    child = os.fork()
    if child == 0:
        kinds = (
            syscalls.CLONE_NEWUSER | syscalls.CLONE_NEWNS | (syscalls.CLONE_NEWPID if own_processes else 0)
        )
        syscalls.unshare(kinds)
        os.write(made_write, b".")
        os.read(go_read, 1)
        _become(own_processes, command)
    os.close(made_write)
    os.read(made_read, 1)
    for name in ("uid_map", "gid_map"):
        Path(f"/proc/{child}/{name}").write_text(_EVERY_USER)
    os.write(go_write, b".")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2:]))
