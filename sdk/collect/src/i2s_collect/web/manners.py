"""How a host is asked: how often, with how many connections, and what its refusals mean."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from i2s_collect.web.answer import WebAnswer
from i2s_sdk.files import writing

#: Seconds between two requests to a host of which nothing else is known.
DEFAULT_GAP = 3.0

#: Seconds to wait before a request is repeated, or None if the answer is not a request to wait.
WaitOf = Callable[[WebAnswer], float | None]


def wait_of(answer: WebAnswer) -> float | None:
    """Return how long a server asks to wait, in seconds: Retry-After of 429 and 503, else None.

    Without Retry-After, or with one that cannot be read, it is a minute.
    """
    if answer.status not in (429, 503):
        return None
    said = answer.headers.get("retry-after", "").strip()
    if said.isdecimal() and len(said) < 10:
        return float(said)
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return 60.0
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)


@dataclass(frozen=True, slots=True)
class Manners:
    """How one host is asked."""

    #: Seconds from the start of a request to the start of the next.
    gap: float = DEFAULT_GAP
    #: What an answer says about waiting; for hosts that say it otherwise than HTTP does.
    wait_of: WaitOf = wait_of


class HostGaps:
    """Keeps the gaps of hosts, and one connection to each, over all processes of a user.

    Each host has a file. It is locked while a request is under way and holds when the last one began.

    Attributes:
        folder: Folder of the files.
        sleep: How waiting is done.
    """

    def __init__(self, folder: Path, sleep: Callable[[float], None] = time.sleep) -> None:
        self.folder = folder
        self.sleep = sleep

    @contextmanager
    def turn(self, host: str, gap: float) -> Iterator[None]:
        """Wait until the host may be asked; the request is the block.

        Args:
            host: Name and port.
            gap: Seconds since the last request began.

        Raises:
            WriteError: The file cannot be written.
        """
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(
                self.folder / host.replace(":", "_"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644
            )
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            self._wait(handle, gap)
            yield
        finally:
            os.close(handle)

    def _wait(self, handle: int, gap: float) -> None:
        try:
            last = float(os.pread(handle, 40, 0))
        except ValueError:
            last = 0.0
        # A clock that was set back makes one gap longer by at most one gap.
        rest = min(last + gap - time.time(), gap)
        if rest > 0:
            self.sleep(rest)
        os.ftruncate(handle, 0)
        os.pwrite(handle, repr(time.time()).encode(), 0)
        os.fsync(handle)
