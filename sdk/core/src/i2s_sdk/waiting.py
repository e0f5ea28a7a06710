"""Log lines about a wait that lasts."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: Seconds that a wait may be silent, and seconds between its lines after the first.
QUIET_SECONDS, SILENT_SECONDS = 2.0, 10.0

_log = logging.getLogger(__name__)


@contextmanager
def logged_wait(subject: str) -> Iterator[None]:
    """Log how long a block takes: a line after QUIET_SECONDS, then one every SILENT_SECONDS.

    Args:
        subject: The thing that takes long and what it does, such as "the services are ending".
    """
    ended = threading.Event()
    started = time.monotonic()

    def log_lines() -> None:
        pause = QUIET_SECONDS
        while not ended.wait(pause):
            _log.warning("%s: since %.0f s", subject, time.monotonic() - started)
            pause = SILENT_SECONDS

    thread = threading.Thread(target=log_lines, name="i2s-wait", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
