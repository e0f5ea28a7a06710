"""The file of ``--announce``: where a service can be reached, as JSON."""

from __future__ import annotations

import contextlib
import json
import tempfile
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Announcement:
    """What the file says.

    Attributes:
        service: Name of the service.
        address: Address of the gRPC server, host:port.
        metrics_address: Address of the metrics for Prometheus; None if they are not served.
        health_address: Address that serves health alone; None if there is none.
        pid: Number of the process.
    """

    service: str
    address: str
    metrics_address: str | None
    health_address: str | None
    pid: int

    def to_json(self) -> str:
        """Return the content of the file."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Announcement:
        """Read the content of a file.

        Raises:
            ValueError: It is no announcement.
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
