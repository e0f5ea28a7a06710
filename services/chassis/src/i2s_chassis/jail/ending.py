"""Learn of the end of a child while waiting for other things too, and without reaping it."""

from __future__ import annotations

import contextlib
import errno
import os
import signal


class Ending:
    """Something that poll waits for. Only one at a time in a process, and in its first thread.

    Attributes:
        fd: Readable once the child may have ended; after each wait ask ``happened``.
    """

    def __init__(self, child: int) -> None:
        """Begin.

        Args:
            child: Pid of a child that nobody has waited for yet.
        """
        self._child = child
        self._wake: int | None = None
        try:
            self.fd = os.pidfd_open(child)
        except OSError as error:
            if error.errno != errno.ENOSYS:
                raise
            # gVisor of 2022 has no such call: a pipe then shows that some child has ended.
            self.fd, self._wake = os.pipe()
            for end in (self.fd, self._wake):
                os.set_blocking(end, False)
            signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
            signal.signal(signal.SIGCHLD, lambda *_: None)
            if self.happened():  # before we listened
                os.write(self._wake, b".")

    def happened(self) -> bool:
        """Whether the child has ended."""
        if self._wake is not None:
            with contextlib.suppress(BlockingIOError):
                os.read(self.fd, 4096)
        return os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def close(self) -> None:
        """Stop listening."""
        if self._wake is not None:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(self._wake)
        os.close(self.fd)
