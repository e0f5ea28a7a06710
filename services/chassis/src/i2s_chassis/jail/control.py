"""The service's end of the spawner: how it is started, and asked for cells."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from i2s_chassis.jail.bounds import Terms
from i2s_chassis.jail.errors import CellLostError, JailError
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.jail.spawner import Survey

_SURVEY_SECONDS = 120
_END_SECONDS = 15


class SpawnerClient:
    """Our end of the spawner process. Its parent, the monitor, starts it again when it is lost."""

    def __init__(self, terms: Terms) -> None:
        """Start both.

        Args:
            terms: What holds for as long as they run.
        """
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        alive_read, alive_write = os.pipe()
        self._alive = open(alive_read, "rb")  # noqa: SIM115 - closed by ``close``
        root = str(Path(__file__).resolve().parents[2])
        program = (
            f"import sys; sys.path.insert(0, {root!r}); "
            f"from i2s_chassis.jail.monitor import main; main({theirs.fileno()}, {alive_write})"
        )
        # A fresh, bare interpreter: no site packages, no threads, an empty environment, and a
        # session of its own so that a Ctrl-C at the terminal is for the service alone.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", program],
            pass_fds=(theirs.fileno(), alive_write),
            env={},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        os.close(alive_write)
        self._control.send(json.dumps(terms.to_json()).encode())

    @property
    def alive_fd(self) -> int:
        """A descriptor that can be read from once the monitor has ended."""
        return self._alive.fileno()

    def survey(self, bwrap: str) -> Survey:
        """Return what this machine permits. Not answered if plans have bounds.

        Raises:
            JailError: The spawner did not start.
        """
        try:
            self._control.send(json.dumps({"op": "survey", "bwrap": bwrap}).encode())
            self._control.settimeout(_SURVEY_SECONDS)
            answer = self._control.recv(65536)
        except OSError as error:
            raise JailError(f"the spawner process did not start: {error}") from error
        if not answer:
            raise JailError("the spawner process did not start; its complaint is on standard error")
        fields: dict[str, Any] = json.loads(answer)
        return Survey(**fields)

    def fork_supervisor(self, plan: CellPlan, descriptors: Sequence[int]) -> None:
        """Have a supervisor forked.

        Args:
            plan: The plan of its cell.
            descriptors: The socket that it talks over, then the channels of the plan in order.

        Raises:
            CellLostError: The monitor was lost, and the spawner with it.
        """
        packet = json.dumps({"op": "cell", "plan": plan.to_json()}).encode()
        try:
            socket.send_fds(self._control, [packet], descriptors)
        except OSError as error:
            raise CellLostError(f"the spawner process was lost: {error}") from error

    def close(self) -> None:
        """Close our end and wait for the spawner and its supervisors to clean up."""
        self._control.close()
        try:
            self._process.wait(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            # It may have rights that we have given up; then it ends by itself, as its supervisors do.
            with contextlib.suppress(PermissionError):
                self._process.kill()
                self._process.wait()
        self._alive.close()
