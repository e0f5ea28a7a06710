"""The file of ``--announce``: where a service can be reached, as JSON, and the process that writes it.

A service that has become another user may not write to the folder any more. Then a process of its own, with
the user that the service was started with, writes one file, whose place was fixed before, if what it is sent
is an announcement of the service; and removes it when the service has ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tempfile
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from i2s_chassis.server.service_user import confine


@dataclass(frozen=True, slots=True)
class Announcement:
    """The contents of the file."""

    #: Name of the service.
    service: str
    #: Address of the gRPC server, host:port.
    address: str
    #: Address of the metrics for Prometheus; None if they are not served.
    metrics_address: str | None
    #: Address that serves health alone; None if there is none.
    health_address: str | None
    #: Number of the process.
    pid: int

    def to_json(self) -> str:
        """Return the content of the file."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Announcement:
        """Read the content of a file.

        Raises:
            ValueError: It is not an announcement.
        """
        content = json.loads(text)
        if not isinstance(content, dict) or content.keys() != {field.name for field in fields(cls)}:
            raise ValueError("no announcement")
        optional = (content["metrics_address"], content["health_address"])
        texts = (content["service"], content["address"], *(one for one in optional if one is not None))
        pid = content["pid"]
        if not all(isinstance(one, str) for one in texts) or type(pid) is not int:
            raise ValueError("no announcement")
        return cls(**content)


def write(file: Path, announcement: Announcement) -> None:
    """Write the file, all at once.

    Raises:
        OSError: It cannot be written.
    """
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=f".{file.name}.", delete=False) as draft:
        draft.write(announcement.to_json())
    Path(draft.name).replace(file)


def remove(file: Path, pid: int) -> None:
    """Remove the file, unless it is another process's by now."""
    with contextlib.suppress(OSError, ValueError):
        if Announcement.from_json(file.read_text()).pid == pid:
            file.unlink()


_MAX_MESSAGE_BYTES = 4096
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
        complaint = os.read(self._reading, _MAX_MESSAGE_BYTES).decode()
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
    while data := os.read(requests, _MAX_MESSAGE_BYTES):
        try:
            announcement = Announcement.from_json(data.decode())
            if announcement.pid != service:
                raise ValueError("it names another process")
            write(file, announcement)
        except (OSError, ValueError) as error:
            answer = (error.strerror if isinstance(error, OSError) else str(error)) or "failed"
        else:
            answer = "written"
        os.write(answers, answer.encode()[:_MAX_MESSAGE_BYTES])
    remove(file, service)
