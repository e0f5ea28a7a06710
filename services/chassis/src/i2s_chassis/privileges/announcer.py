"""Writes the file of ``--announce`` for a service that may not write to its folder any more.

A process of its own with the user that the service was started with. It writes one file, whose place was
fixed before the service became another user, if what it is sent is an announcement of the service; and
removes it when the service has ended.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

from i2s_chassis.announcement import Announcement, remove, write
from i2s_chassis.privileges.confine import confine

_MAX_BYTES = 4096
_READ_AND_WRITE_FILES = 1  # CAP_DAC_OVERRIDE: the folder may be somebody else's


class Announcer:
    """The service's end of it."""

    def __init__(self, pid: int, writing: int, reading: int) -> None:
        self._pid, self._writing, self._reading = pid, writing, reading

    @classmethod
    def start(cls, file: Path) -> Announcer:
        """Fork it: there may be one thread only."""
        from_service, writing = os.pipe()
        reading, to_service = os.pipe()
        service = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(writing)
                os.close(reading)
                _be_the_announcer(file, service, from_service, to_service)
            finally:
                os._exit(0)
        os.close(from_service)
        os.close(to_service)
        return cls(pid, writing, reading)

    def write(self, announcement: Announcement) -> None:
        """Have the file written.

        Raises:
            OSError: It cannot be written.
        """
        os.write(self._writing, announcement.to_json().encode())
        complaint = os.read(self._reading, _MAX_BYTES).decode()
        if complaint != "written":
            raise OSError(0, complaint or "the announcer has ended")

    def end(self) -> None:
        """Have the file removed."""
        os.close(self._writing)
        os.close(self._reading)
        os.waitpid(self._pid, 0)


def _be_the_announcer(file: Path, service: int, requests: int, answers: int) -> None:
    # A Ctrl-C or the end of the terminal is for the service, whose end we see.
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    first, last = sorted((requests, answers))
    os.closerange(3, first)
    os.closerange(first + 1, last)
    os.closerange(last + 1, 1 << 16)
    confine((_READ_AND_WRITE_FILES,))
    while data := os.read(requests, _MAX_BYTES):
        try:
            announcement = Announcement.from_json(data.decode())
            if announcement.pid != service:
                raise ValueError("it names another process")
            write(file, announcement)
        except (OSError, ValueError) as error:
            answer = (error.strerror if isinstance(error, OSError) else str(error)) or "failed"
        else:
            answer = "written"
        os.write(answers, answer.encode()[:_MAX_BYTES])
    remove(file, service)
