"""Runs what a guest is started for: as its first process, see init.

    python guest OUTPUT PART

PART is one of tests/support/guest_machine.py. Each step is a program of its own, started as root or as an
ordinary user. A line of OUTPUT is a JSON object with "step", "seconds", "code", "out" and "err"; the last one
has the step "end".
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import sys
import termios
import time
import traceback
import tty
from pathlib import Path

from steps import run_part

_SIOCSIFFLAGS, _IFF_UP = 0x8914, 0x1


def restore_times() -> None:
    """Give files the times that they have outside, to the nanosecond; see tests/support/guest_disk.py."""
    for disk in (Path("/"), Path.cwd()):
        for name, nanoseconds in json.loads((disk / "times.json").read_text()).items():
            os.utime(name, ns=(nanoseconds, nanoseconds))


def bring_up_loopback() -> None:
    """Give the machine 127.0.0.1: without, services can listen there and nobody can reach them."""
    with socket.socket() as any_socket:
        request = struct.pack("16sh22x", b"lo", _IFF_UP)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)


def main(output: str, part: str) -> None:
    """Run the steps in a child, and adopt what they leave behind, as a first process must."""
    with open(output, "wb", buffering=0) as out:
        if os.isatty(out.fileno()):
            tty.setraw(out.fileno(), termios.TCSANOW)
        worker = os.fork()
        if worker == 0:
            try:
                restore_times()
                bring_up_loopback()
                run_part(out.write, part)
            except BaseException:
                traceback.print_exc()  # to the console
            os._exit(0)
        while os.wait()[0] != worker:
            pass
        termios.tcdrain(out.fileno())
    Path("/proc/sysrq-trigger").write_text("o")
    while True:  # a kernel panics whose first process ends
        time.sleep(1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
