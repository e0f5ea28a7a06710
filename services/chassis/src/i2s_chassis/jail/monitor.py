"""The monitor: the parent of the spawner, which starts it again when it is lost.

It keeps the rights that the service was started with, and the service does not: so the service could start
neither another spawner nor another monitor. If the monitor is lost, the service drains and ends with exit
code 1, so that whatever supervises the service starts it again. The monitor reads one message, the terms,
which the service sends before it gives up its rights, and nothing afterwards; a new spawner has the same
terms and the same end of the control socket as the one before.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
import traceback

from i2s_chassis.jail import gvisor, spawner, syscalls
from i2s_chassis.jail.plan import Terms
from i2s_chassis.jail.workspace import remove_tree

_MAX_PACKET = 128 * 1024
_PAUSE_SECONDS = 0.02


def main(control_fd: int, alive_fd: int) -> None:
    """Keep a spawner running until the other end of the control socket closes.

    Args:
        control_fd: Control socket of the spawner.
        alive_fd: End of a pipe that no other process holds: the service notices when it is closed.
    """
    control = socket.socket(fileno=control_fd)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    data = control.recv(_MAX_PACKET)
    if not data:
        return
    terms = Terms.from_json(json.loads(data))
    if not gvisor.inside():  # some versions of it do not know this
        # What a killed spawner leaves behind falls to us, to be reaped.
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    while _ended_with(_spawner(control, terms, alive_fd)) != 0:
        sys.stderr.write("i2s monitor: the spawner was lost and is started again\n")
        sys.stderr.flush()
        time.sleep(_PAUSE_SECONDS)
    if terms.removed_at_end:
        remove_tree(terms.removed_at_end)


def _spawner(control: socket.socket, terms: Terms, alive_fd: int) -> int:
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(alive_fd)
            spawner.serve(control, terms)
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    return pid


def _ended_with(pid: int) -> int:
    """Wait for the end of a child, and reap others that were left to us meanwhile."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == pid:
            return status
