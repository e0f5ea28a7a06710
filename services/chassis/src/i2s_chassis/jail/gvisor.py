"""Whether the kernel is gVisor's: one in user space that isolates a whole container.

See https://gvisor.dev/docs/ for what it is.
"""

from __future__ import annotations

import re
from pathlib import Path

from i2s_chassis.jail import syscalls

# Its log begins with this at the moment 0, which a line that anybody has brought into the log of an
# ordinary kernel does not have.
_GREETING = re.compile(rb"<\d>\[ *0\.000000\] Starting gVisor\.\.\.\n")
_COMMAND_LINE = re.compile(rb"(^| )BOOT_IMAGE=/vmlinuz-\S*-gvisor( |$)")


def recognised(log: bytes, command_line: bytes) -> bool:
    """Whether a kernel that says so of itself is gVisor's. Both signs are wanted.

    Args:
        log: The whole log of the kernel.
        command_line: Command line with which it was started, as in /proc/cmdline.
    """
    return _GREETING.match(log) is not None and _COMMAND_LINE.search(command_line) is not None


def inside() -> bool:
    """Whether this process runs on gVisor's kernel; False also if that cannot be asked."""
    try:
        return recognised(syscalls.kernel_log(), Path("/proc/cmdline").read_bytes().strip())
    except OSError:
        return False
