"""What worker processes write to standard error, for the log of the service: bounded and printable."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

_log = logging.getLogger(__name__)
#: Default of what is logged of one process in each minute.
LOG_BYTES = 64 * 1024
_MESSAGE = "a process of this service wrote to standard error"
_CHUNK_BYTES = 64 * 1024
#: A longer line is logged in pieces.
_LINE_BYTES = 1000
_PERIOD_SECONDS = 60.0


class ErrorLog:
    r"""Logs what one process writes to standard error, a record for each line.

    A process that works on hostile data may write anything. Bytes that are not UTF-8 and characters that are
    not printable are logged as escapes such as ``\x1b``. What exceeds the limit is discarded, and the number
    of discarded bytes is logged.

    Args:
        pid: Process id, a field of each record.
        most_bytes: Bytes that are logged in each minute; 0 for none.
        clock: Returns seconds, monotonic.
    """

    def __init__(self, pid: int, most_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._pid, self._most_bytes, self._clock = pid, most_bytes, clock
        self._line = b""
        self._period_began = clock()
        self._left, self._discarded = most_bytes, 0

    async def read(self, reader: asyncio.StreamReader) -> None:
        """Log what is read until the other end is closed."""
        try:
            while data := await reader.read(_CHUNK_BYTES):
                self.write(data)
        except ConnectionError:
            pass  # the process has ended
        finally:
            self.close()

    def write(self, data: bytes) -> None:
        """Take what the process wrote, and log the lines that are complete."""
        if self._clock() - self._period_began >= _PERIOD_SECONDS:
            self._report_discarded()
            self._period_began, self._left = self._clock(), self._most_bytes
        taken = data[: self._left]
        self._left -= len(taken)
        self._discarded += len(data) - len(taken)
        *lines, self._line = (self._line + taken).split(b"\n")
        for line in lines:
            self._log(line)
        while len(self._line) > _LINE_BYTES:
            self._log(self._line[:_LINE_BYTES])
            self._line = self._line[_LINE_BYTES:]

    def close(self) -> None:
        """Log the last line, which may have no end, and what was discarded."""
        self._log(self._line)
        self._line = b""
        self._report_discarded()

    def _log(self, line: bytes) -> None:
        for start in range(0, len(line), _LINE_BYTES):
            text = printable(line[start : start + _LINE_BYTES])
            _log.warning(_MESSAGE, extra={"fields": {"pid": self._pid, "text": text}})

    def _report_discarded(self) -> None:
        if self._discarded:
            fields = {"pid": self._pid, "discarded_bytes": self._discarded}
            _log.warning(_MESSAGE, extra={"fields": fields})
            self._discarded = 0


def printable(raw: bytes) -> str:
    r"""Return a line as text in which everything that is not printable is an escape such as ``\x1b``."""
    text = raw.decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
